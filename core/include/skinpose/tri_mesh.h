#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skinpose/math.h"
#include "skinpose/scene.h"

namespace skinpose {

/// One primitive on one node: its share of the mesh's vertices and triangles.
struct MeshPart {
    std::string node, material;  ///< names as the file has them, not yet safe for any format
    std::size_t node_index = 0;  ///< in the file
    std::size_t primitive_index = 0;
    std::size_t first_vertex = 0, vertex_count = 0;
    std::size_t first_triangle = 0, triangle_count = 0;
    bool has_normals = false, has_texcoords = false, has_colors = false, has_tangents = false;
};

/// Triangles in scene space, vertices and faces in source order, nothing welded or split.
/// Attributes are empty where no part has them, else one per vertex; `MeshPart` says which parts
/// filled theirs (the rest holds 0, colours 1).
struct TriMesh {
    std::vector<Vec3f> positions;
    std::vector<Vec3> exact_positions;  ///< empty unless posed in double; then `positions` rounded
    std::vector<Vec3f> normals;         ///< unit length
    std::vector<Vec3f> face_normals;    ///< empty, or one per triangle (flat shading asked for)
    std::vector<Vec4f> tangents;
    std::vector<Vec2f> texcoords;     ///< v down, as glTF has it
    std::vector<Vec4f> colors;        ///< linear RGBA
    std::vector<Triangle> triangles;  ///< indices into the whole mesh
    std::vector<MeshPart> parts;      ///< cover all vertices and triangles, in order
};

/// 64-bit FNV-1a over the vertex count and the indices: equal for every time, clip and backend of
/// one rig and options, so two outputs can be compared by index when it agrees.
std::uint64_t topology_hash(const TriMesh& mesh);

}  // namespace skinpose
