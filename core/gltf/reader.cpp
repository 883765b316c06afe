#include <algorithm>

#include "gltf/document.h"
#include "gltf/readers.h"
#include "skinpose/read_scene.h"

namespace skinpose {

namespace {

std::vector<std::string> strings(const gltf::Element& root, std::string_view key) {
    std::vector<std::string> out;
    if (const auto list = root.get(key))
        for (std::size_t i = 0; i < list->size(); ++i) out.push_back(list->item(i).as_string());
    return out;
}

bool has_own_transform(const Node& node) {
    if (node.has_matrix) return node.matrix != Mat4::Identity();
    return node.rest.translation != Vec3::Zero() || node.rest.rotation != Vec4(0, 0, 0, 1) ||
           node.rest.scale != Vec3::Ones();
}

/// Skinned nodes that are moved, at rest or by a clip: skinning ignores it (glTF 2.0 3.7.3.2).
std::size_t count_ignored_transforms(const Scene& scene) {
    std::vector<bool> animated(scene.nodes.size(), false);
    for (const Clip& clip : scene.clips)
        for (const Channel& channel : clip.channels)
            if (channel.path != ChannelPath::Weights) animated[channel.node] = true;
    return static_cast<std::size_t>(
        std::count_if(scene.instances.begin(), scene.instances.end(), [&](const MeshInstance& i) {
            return i.skin != kNone && (animated[i.node] || has_own_transform(scene.nodes[i.node]));
        }));
}

}  // namespace

Scene read_scene(const std::string& path, const ReadOptions& options) {
    const gltf::Document document(path, options.max_memory_bytes);
    gltf::check_asset_and_extensions(document);
    gltf::Buffers buffers(document, options.allow_outside_files);
    Scene scene;
    scene.file = path;
    scene.reader = "gltf";
    const gltf::Element root = document.root(), asset = root.at("asset");
    scene.generator = asset.text("generator");
    scene.copyright = asset.text("copyright");
    scene.extensions_used = strings(root, "extensionsUsed");
    scene.extensions_required = strings(root, "extensionsRequired");
    const std::vector<std::size_t> node_of = gltf::read_nodes(document, options, scene);
    gltf::read_skins(buffers, node_of, scene);
    gltf::read_meshes(buffers, options, scene);
    gltf::read_default_weights(document, scene);
    gltf::read_animations(buffers, node_of, scene);
    scene.ignored_node_transforms = count_ignored_transforms(scene);
    scene.source_files = buffers.files();
    scene.source_files.insert(scene.source_files.begin(), path);
    scene.warnings = std::move(document.warnings());
    scene.ignored = std::move(document.ignored());
    return scene;
}

}  // namespace skinpose
