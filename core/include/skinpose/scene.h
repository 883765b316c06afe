#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "skinpose/clip.h"
#include "skinpose/influences.h"
#include "skinpose/math.h"

namespace skinpose {

using Triangle = std::array<std::uint32_t, 3>;

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Trs {
    Vec3 translation = Vec3::Zero();
    Vec4 rotation = Vec4(0, 0, 0, 1);  ///< x y z w
    Vec3 scale = Vec3::Ones();
};

/// A node of the flat hierarchy. Nodes are in pre-order, so `parent` is less than the own index;
/// a node is known by its index, never by its name.
struct Node {
    std::string name;
    std::size_t source_index = 0;  ///< index in the file
    std::size_t parent = kNone;
    bool has_matrix = false;  ///< `matrix` holds parent_from_node; else `rest` does
    Mat4 matrix = Mat4::Identity();
    Trs rest;
    std::size_t mesh = kNone, skin = kNone;
    std::vector<double> weights;  ///< default morph weights of its mesh, node over mesh over 0
    bool in_scene = false;        ///< reached from the roots of the chosen scene
};

struct Skin {
    std::string name;
    std::vector<std::size_t> joints;    ///< indices into Scene::nodes
    std::vector<Mat4> joint_from_mesh;  ///< inverse bind matrices, one per joint
};

/// Deltas in mesh space, each empty or one per vertex.
struct MorphTarget {
    std::vector<Vec3f> positions, normals, tangents;
};

/// A primitive as stored: mesh space, source order of vertices and faces. Strips and fans are
/// already triangles.
struct Primitive {
    std::string place;     ///< JSON pointer
    std::string material;  ///< name; empty where there is none
    std::vector<Vec3f> positions;
    std::vector<Vec3f> normals;    ///< empty or one per vertex, as all below
    std::vector<Vec4f> tangents;   ///< w is the handedness
    std::vector<Vec2f> texcoords;  ///< TEXCOORD_0, v down
    std::vector<Vec4f> colors;     ///< COLOR_0, linear RGBA 0..1
    std::vector<Triangle> triangles;
    std::vector<MorphTarget> targets;
    VertexInfluences influences;  ///< read where a skinned node uses the mesh; else width 0
    std::size_t degenerate_triangles = 0;  ///< kept: two corners are the same vertex
    std::size_t surplus_indices = 0;       ///< left out: they fill no triangle
};

struct Mesh {
    std::string name;
    std::string place;
    bool read = false;  ///< false: not part of this scene, so its primitives were not read
    std::vector<Primitive> primitives;
    std::size_t target_count = 0;
};

/// A mesh on a node of the scene, in depth-first node order.
struct MeshInstance {
    std::size_t node = kNone, mesh = kNone;
    std::size_t skin = kNone;  ///< kNone: placed rigidly by its node
};

/// Something in the file that was left out or is odd, at its JSON pointer.
struct Finding {
    std::string place, fact;
};

struct SceneEntry {
    std::string name;
    std::vector<std::size_t> roots;  ///< indices into Scene::nodes
};

/// A rig, validated once at the border: every index is in range, every array has its length, every
/// number is finite, no cycles. Kernels trust that. Immutable after reading.
struct Scene {
    std::string file;                       ///< as the caller named it
    std::vector<std::string> source_files;  ///< everything that was read: the file and its buffers
    std::string reader;                     ///< "gltf"
    std::string generator, copyright;
    std::vector<std::string> extensions_used, extensions_required;
    std::vector<SceneEntry> scenes;
    std::optional<std::size_t> scene;  ///< the chosen one; none: all scenes, or every root

    std::vector<Node> nodes;
    std::vector<Mesh> meshes;  ///< source order
    std::vector<Skin> skins;
    std::vector<Clip> clips;
    std::vector<MeshInstance> instances;

    std::vector<Finding> warnings;  ///< accepted, but not what the specification says
    std::vector<Finding> ignored;   ///< left out: channels, primitives, attributes, extensions

    std::size_t left_out_primitives = 0;      ///< points, lines, or no POSITION; in this scene
    std::size_t ignored_channels = 0;         ///< no node, unknown path, pointer channels
    std::size_t joints_outside_scene = 0;     ///< they count all the same
    std::size_t ignored_node_transforms = 0;  ///< skinned nodes whose own transform is not identity
    std::size_t normalized_rest_rotations = 0;  ///< |length^2 - 1| > 1e-6
    double largest_rest_rotation_length_error = 0.0;
};

}  // namespace skinpose
