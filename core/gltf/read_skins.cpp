#include <algorithm>

#include "gltf/accessor.h"
#include "gltf/readers.h"

namespace skinpose::gltf {

namespace {

void read_inverse_binds(Buffers& buffers, const Element& index, Skin& skin) {
    const Accessor accessor = open_accessor(buffers, index, AccessorUse::Other);
    accessor.expect({"MAT4"}, {Component::Float});
    if (accessor.count < skin.joints.size())
        accessor.fail(
            fmt::format("has {} matrices for {} joints", accessor.count, skin.joints.size()));
    buffers.document().budget().charge(accessor.count, 16 * sizeof(double), accessor.user);
    std::vector<double> numbers(accessor.count * 16);
    read_numbers(accessor, numbers);
    for (std::size_t j = 0; j < skin.joints.size(); ++j) {
        Mat4& m = skin.joint_from_mesh[j];
        std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(16 * j), 16, m.data());
        if (!is_affine(m)) accessor.fail(fmt::format("matrix {} has {}", j, last_row(m)));
    }
}

Skin read_skin(Buffers& buffers, const Element& element, const std::vector<std::size_t>& node_of) {
    Skin skin;
    skin.name = element.text("name");
    const Element joints = element.at("joints");
    if (joints.size() == 0) joints.fail("must not be empty");
    buffers.document().budget().charge(joints.size(), sizeof(Mat4) + sizeof(std::size_t),
                                       joints.place());
    for (std::size_t j = 0; j < joints.size(); ++j)
        skin.joints.push_back(node_of[joints.item(j).as_index_into("nodes")]);
    std::vector<std::size_t> sorted = skin.joints;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        joints.warn("a node is a joint twice");
    if (const auto skeleton = element.get("skeleton")) (void)skeleton->as_index_into("nodes");
    skin.joint_from_mesh.assign(skin.joints.size(), Mat4::Identity());
    if (const auto index = element.get("inverseBindMatrices"))
        read_inverse_binds(buffers, *index, skin);
    return skin;
}

}  // namespace

void read_skins(Buffers& buffers, const std::vector<std::size_t>& node_of, Scene& scene) {
    const Document& document = buffers.document();
    for (std::size_t s = 0; s < document.count("skins"); ++s)
        scene.skins.push_back(read_skin(buffers, document.item("skins", s), node_of));
    // Only skins that the scene poses; each joint node once.
    std::vector<bool> counted(scene.nodes.size(), false), skin_seen(scene.skins.size(), false);
    for (const Node& node : scene.nodes) {
        if (!node.in_scene || node.skin == kNone || skin_seen[node.skin]) continue;
        skin_seen[node.skin] = true;
        for (const std::size_t joint : scene.skins[node.skin].joints) {
            if (scene.nodes[joint].in_scene || counted[joint]) continue;
            counted[joint] = true;
            ++scene.joints_outside_scene;
        }
    }
}

}  // namespace skinpose::gltf
