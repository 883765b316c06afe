#include <algorithm>
#include <cmath>

#include "gltf/readers.h"

namespace skinpose::gltf {

namespace {

Mat4 read_matrix(const Element& element) {
    const std::vector<double> numbers = element.as_numbers(16);
    Mat4 m;
    std::copy(numbers.begin(), numbers.end(), m.data());  // column-major, as Eigen
    if (!is_affine(m)) element.fail("has " + last_row(m));
    return m;
}

void read_rotation(const Element& element, Scene& scene, Node& node) {
    const std::vector<double> q = element.as_numbers(4);
    node.rest.rotation = Vec4(q[0], q[1], q[2], q[3]);
    const double squared = dot4(node.rest.rotation, node.rest.rotation);
    if (!(squared > 0.0)) element.fail("a quaternion of length 0 is no rotation");
    if (std::fabs(squared - 1.0) <= kRotationLengthTolerance) return;
    const double length = std::sqrt(squared);
    for (int i = 0; i < 4; ++i) node.rest.rotation[i] /= length;
    ++scene.normalized_rest_rotations;
    scene.largest_rest_rotation_length_error =
        std::max(scene.largest_rest_rotation_length_error, std::fabs(length - 1.0));
    element.warn(fmt::format("a quaternion of length {} is normalised", length));
}

Vec3 read_vec3(const Element& element) {
    const std::vector<double> v = element.as_numbers(3);
    return Vec3(v[0], v[1], v[2]);
}

/// What else hangs on a node and would change what is seen, named where it is left out.
void note_extensions(const Element& element) {
    const auto extensions = element.get("extensions");
    if (!extensions) return;
    for (const char* name : {"EXT_mesh_gpu_instancing", "KHR_node_visibility", "MSFT_lod"})
        if (const auto extension = extensions->get(name))
            extension->ignore(fmt::format("{} is not read", name));
}

Node read_node(const Element& element, std::size_t source_index, Scene& scene) {
    Node node;
    node.source_index = source_index;
    node.name = element.text("name");
    const auto matrix = element.get("matrix");
    const auto translation = element.get("translation"), rotation = element.get("rotation"),
               scale = element.get("scale");
    if (matrix) {
        if (translation || rotation || scale)
            element.fail("has a matrix and a translation, rotation or scale");
        node.has_matrix = true;
        node.matrix = read_matrix(*matrix);
    }
    if (translation) node.rest.translation = read_vec3(*translation);
    if (rotation) read_rotation(*rotation, scene, node);
    if (scale) node.rest.scale = read_vec3(*scale);
    if (const auto mesh = element.get("mesh")) node.mesh = mesh->as_index_into("meshes");
    if (const auto skin = element.get("skin")) {
        node.skin = skin->as_index_into("skins");
        if (node.mesh == kNone) {
            skin->warn("a skin without a mesh is ignored");
            node.skin = kNone;
        }
    }
    note_extensions(element);
    return node;
}

/// Children of every node of the file, checked: in range, one parent each.
struct Hierarchy {
    std::vector<std::vector<std::size_t>> children;
    std::vector<std::size_t> parent;
};

Hierarchy read_hierarchy(const Document& document) {
    Hierarchy h;
    const std::size_t n = document.count("nodes");
    h.children.resize(n);
    h.parent.assign(n, kNone);
    for (std::size_t i = 0; i < n; ++i) {
        const auto children = document.item("nodes", i).get("children");
        if (!children) continue;
        for (std::size_t c = 0; c < children->size(); ++c) {
            const Element entry = children->item(c);
            const std::size_t child = entry.as_index_into("nodes");
            if (child == i) entry.fail("a node cannot be its own child");
            if (h.parent[child] != kNone)
                entry.fail(
                    fmt::format("node {} already has the parent {}", child, h.parent[child]));
            h.parent[child] = i;
            h.children[i].push_back(child);
        }
    }
    return h;
}

/// Walks up from every node; a walk that meets itself has gone round in a circle.
void refuse_cycles(const Document& document, const std::vector<std::size_t>& parent) {
    std::vector<std::size_t> walk_of(parent.size(), kNone);
    for (std::size_t i = 0; i < parent.size(); ++i) {
        std::size_t at = i;
        while (at != kNone && walk_of[at] == kNone) {
            walk_of[at] = i;
            at = parent[at];
        }
        if (at == kNone || walk_of[at] != i) continue;
        std::size_t last = at;
        for (std::size_t j = parent[at]; j != at; j = parent[j]) last = std::max(last, j);
        document.item("nodes", last)
            .at("children")
            .fail(fmt::format("node {} is an ancestor of itself", last));
    }
}

std::vector<std::size_t> read_roots(const Element& scene, const Hierarchy& hierarchy) {
    std::vector<std::size_t> roots;
    std::vector<bool> listed(hierarchy.parent.size(), false);
    const auto nodes = scene.get("nodes");
    for (std::size_t i = 0; nodes && i < nodes->size(); ++i) {
        const Element entry = nodes->item(i);
        const std::size_t root = entry.as_index_into("nodes");
        if (hierarchy.parent[root] != kNone)
            entry.fail(fmt::format("node {} is a child of node {}; a scene lists roots", root,
                                   hierarchy.parent[root]));
        if (listed[root]) entry.fail(fmt::format("node {} is listed twice", root));
        listed[root] = true;
        roots.push_back(root);
    }
    return roots;
}

void check_scene_option(const Document& document, const ReadOptions& options) {
    const std::size_t count = document.count("scenes");
    if (options.scene && *options.scene >= count)
        throw Error(ErrorCode::Usage, document.file(), "",
                    fmt::format("there is no scene {}, the file has {}", *options.scene, count),
                    "choose one with --scene N, or --scene all");
}

/// The chosen scene's roots (in the file's numbering). Sets `scene.scene`.
std::vector<std::size_t> choose_roots(const Document& document, const ReadOptions& options,
                                      const std::vector<std::vector<std::size_t>>& roots_of,
                                      const Hierarchy& hierarchy, Scene& scene) {
    check_scene_option(document, options);
    const auto default_scene = document.root().get("scene");
    const std::size_t fallback = default_scene ? default_scene->as_index_into("scenes") : 0;
    std::vector<std::size_t> roots;
    if (roots_of.empty()) {
        for (std::size_t i = 0; i < hierarchy.parent.size(); ++i)
            if (hierarchy.parent[i] == kNone) roots.push_back(i);
    } else if (options.all_scenes) {
        std::vector<bool> listed(hierarchy.parent.size(), false);
        for (const auto& of_scene : roots_of)
            for (const std::size_t root : of_scene) {
                if (!listed[root]) roots.push_back(root);
                listed[root] = true;
            }
    } else {
        scene.scene = options.scene.value_or(fallback);
        roots = roots_of[*scene.scene];
    }
    return roots;
}

/// Appends the tree under `root` in pre-order, without recursion: files nest as deep as they like.
void append_tree(const Document& document, const Hierarchy& hierarchy, std::size_t root,
                 bool in_scene, std::vector<std::size_t>& node_of, Scene& scene) {
    std::vector<std::size_t> pending{root};
    while (!pending.empty()) {
        const std::size_t source = pending.back();
        pending.pop_back();
        Node node = read_node(document.item("nodes", source), source, scene);
        node.in_scene = in_scene;
        const std::size_t parent = hierarchy.parent[source];
        if (parent != kNone) node.parent = node_of[parent];
        node_of[source] = scene.nodes.size();
        scene.nodes.push_back(std::move(node));
        const auto& children = hierarchy.children[source];
        pending.insert(pending.end(), children.rbegin(), children.rend());
    }
}

}  // namespace

bool is_affine(const Mat4& m) {
    constexpr double kRounding = 1e-5;
    for (int c = 0; c < 4; ++c)
        if (std::fabs(m(3, c) - (c == 3 ? 1.0 : 0.0)) > kRounding) return false;
    return true;
}

std::string last_row(const Mat4& m) {
    return fmt::format("the last row {} {} {} {}, must be 0 0 0 1", m(3, 0), m(3, 1), m(3, 2),
                       m(3, 3));
}

std::vector<std::size_t> read_nodes(const Document& document, const ReadOptions& options,
                                    Scene& scene) {
    const Hierarchy hierarchy = read_hierarchy(document);
    refuse_cycles(document, hierarchy.parent);
    std::vector<std::vector<std::size_t>> roots_of;
    for (std::size_t s = 0; s < document.count("scenes"); ++s)
        roots_of.push_back(read_roots(document.item("scenes", s), hierarchy));
    const std::vector<std::size_t> roots =
        choose_roots(document, options, roots_of, hierarchy, scene);

    document.budget().charge(hierarchy.parent.size(), sizeof(Node), "/nodes");
    std::vector<std::size_t> node_of(hierarchy.parent.size(), kNone);
    for (const std::size_t root : roots)
        append_tree(document, hierarchy, root, true, node_of, scene);
    for (std::size_t i = 0; i < node_of.size(); ++i)
        if (hierarchy.parent[i] == kNone && node_of[i] == kNone)
            append_tree(document, hierarchy, i, false, node_of, scene);

    for (std::size_t s = 0; s < roots_of.size(); ++s) {
        SceneEntry entry;
        entry.name = document.item("scenes", s).text("name");
        for (const std::size_t root : roots_of[s]) entry.roots.push_back(node_of[root]);
        scene.scenes.push_back(std::move(entry));
    }
    return node_of;
}

}  // namespace skinpose::gltf
