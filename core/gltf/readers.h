#pragma once

#include <vector>

#include "gltf/buffers.h"
#include "skinpose/read_scene.h"

/// The steps of read_scene, each one file, in the order they run.
namespace skinpose::gltf {

/// Scenes and nodes: `scene.scenes`, `scene.scene` and the flat pre-order `scene.nodes`, the chosen
/// scene's roots first. Returns for each node of the file its index in `scene.nodes`.
std::vector<std::size_t> read_nodes(const Document& document, const ReadOptions& options,
                                    Scene& scene);

/// Skins: joints and inverse bind matrices; counts joints outside the scene.
void read_skins(Buffers& buffers, const std::vector<std::size_t>& node_of, Scene& scene);

/// The scene's mesh instances in depth-first order, then the meshes they use (all of them where the
/// options ask for it).
void read_meshes(Buffers& buffers, const ReadOptions& options, Scene& scene);

/// Clips, every one, with their samplers; needs the meshes' target counts.
void read_animations(Buffers& buffers, const std::vector<std::size_t>& node_of, Scene& scene);

/// Whether the last row is 0 0 0 1 up to what exporters' rounding leaves (they write 0.99999994); a
/// perspective row has no place in skinning. The row itself, for the message.
bool is_affine(const Mat4& m);
std::string last_row(const Mat4& m);

/// Default morph weights of every node that has a mesh with targets: node over mesh over 0.
void read_default_weights(const Document& document, Scene& scene);

}  // namespace skinpose::gltf
