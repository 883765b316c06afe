#include <algorithm>

#include "gltf/read_primitive.h"
#include "gltf/readers.h"

namespace skinpose::gltf {

namespace {

/// What one posed vertex takes, read and written, at the least: charged for every primitive and
/// instance before any is read, so that a small file cannot multiply itself.
constexpr std::uint64_t kBytesPerVertex = 64;

std::uint64_t declared_vertices(const Document& document, const Element& mesh) {
    std::uint64_t sum = 0;
    const Element primitives = mesh.at("primitives");
    for (std::size_t p = 0; p < primitives.size(); ++p) {
        const auto position = primitives.item(p).at("attributes").get("POSITION");
        if (!position) continue;
        const Element count =
            document.item("accessors", position->as_index_into("accessors")).at("count");
        // Saturating: many counts of 2^63 must not wrap to a small sum.
        sum += std::min(count.as_size(), ~sum);
    }
    return sum;
}

std::size_t target_count(const Element& mesh) {
    const Element primitives = mesh.at("primitives");
    std::size_t count = 0;
    for (std::size_t p = 0; p < primitives.size(); ++p) {
        const auto targets = primitives.item(p).get("targets");
        const std::size_t own = targets ? targets->size() : 0;
        if (p > 0 && own != count)
            primitives.item(p).fail(
                fmt::format("has {} morph targets, the first primitive {}", own, count));
        count = own;
    }
    return count;
}

struct MeshUse {
    bool used = false;
    std::size_t joint_count = kNone;  ///< of the smallest skin that poses it
};

void add_instances(const Document& document, Scene& scene, std::vector<MeshUse>& uses) {
    for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
        const Node& node = scene.nodes[n];
        if (!node.in_scene || node.mesh == kNone) continue;
        scene.instances.push_back({n, node.mesh, node.skin});
        MeshUse& use = uses[node.mesh];
        use.used = true;
        if (node.skin != kNone)
            use.joint_count = std::min(use.joint_count, scene.skins[node.skin].joints.size());
    }
    document.budget().charge(scene.instances.size(), sizeof(MeshInstance), "/nodes");
}

void charge_instances(const Document& document, const Scene& scene) {
    std::vector<std::uint64_t> vertices(scene.meshes.size(), ~std::uint64_t{0});
    for (const MeshInstance& instance : scene.instances) {
        const Element mesh = document.item("meshes", instance.mesh);
        std::uint64_t& count = vertices[instance.mesh];
        if (count == ~std::uint64_t{0}) count = declared_vertices(document, mesh);
        document.budget().charge(count, kBytesPerVertex, mesh.place() + "/primitives");
    }
}

void read_mesh_primitives(Buffers& buffers, const Element& element, const MeshUse& use,
                          Scene& scene, Mesh& mesh) {
    const Element primitives = element.at("primitives");
    if (primitives.size() == 0) primitives.fail("must not be empty");
    for (std::size_t p = 0; p < primitives.size(); ++p) {
        auto primitive = read_primitive(buffers, primitives.item(p), {use.joint_count});
        if (primitive)
            mesh.primitives.push_back(std::move(*primitive));
        else if (use.used)
            ++scene.left_out_primitives;
    }
    mesh.read = true;
}

/// Skinned mesh on a node without a skin: legal to write, but rarely meant.
void warn_unskinned_use(const Document& document, const Scene& scene,
                        const std::vector<MeshUse>& uses) {
    for (const MeshInstance& instance : scene.instances) {
        if (instance.skin != kNone) continue;
        const Element primitives = document.item("meshes", instance.mesh).at("primitives");
        const bool weighted = uses[instance.mesh].joint_count != kNone ||
                              (primitives.size() > 0 &&
                               primitives.item(0).at("attributes").get("JOINTS_0").has_value());
        if (weighted)
            document.item("nodes", scene.nodes[instance.node].source_index)
                .warn("places a mesh that has joint weights rigidly: it names no skin");
    }
}

}  // namespace

void read_meshes(Buffers& buffers, const ReadOptions& options, Scene& scene) {
    const Document& document = buffers.document();
    std::vector<MeshUse> uses(document.count("meshes"));
    for (std::size_t m = 0; m < uses.size(); ++m) {
        const Element element = document.item("meshes", m);
        Mesh mesh;
        mesh.place = element.place();
        mesh.name = element.text("name");
        scene.meshes.push_back(std::move(mesh));
    }
    add_instances(document, scene, uses);
    charge_instances(document, scene);
    for (std::size_t m = 0; m < uses.size(); ++m) {
        const Element element = document.item("meshes", m);
        if (!uses[m].used && !options.read_unused_meshes) continue;
        scene.meshes[m].target_count = target_count(element);
        read_mesh_primitives(buffers, element, uses[m], scene, scene.meshes[m]);
    }
    warn_unskinned_use(document, scene, uses);
}

void read_default_weights(const Document& document, Scene& scene) {
    for (Node& node : scene.nodes) {
        if (node.mesh == kNone || !scene.meshes[node.mesh].read) continue;
        const std::size_t count = scene.meshes[node.mesh].target_count;
        const auto own = document.item("nodes", node.source_index).get("weights");
        const auto weights = own ? own : document.item("meshes", node.mesh).get("weights");
        if (count == 0) {
            if (weights) weights->warn("the mesh has no morph targets");
            continue;
        }
        node.weights = weights ? weights->as_numbers(count) : std::vector<double>(count, 0.0);
    }
}

}  // namespace skinpose::gltf
