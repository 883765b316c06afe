#pragma once

#include <cstddef>

#include "skinpose/tri_mesh.h"

namespace skinpose {

/// Scene units (glTF: metres), squared, cubed. Sums in double, compensated (Neumaier 1974).
struct MeshMeasure {
    Vec3 bounds_min = Vec3::Zero(), bounds_max = Vec3::Zero();  ///< over all vertices, used or not
    double area = 0.0;
    double signed_volume = 0.0;  ///< counter-clockwise outside is positive; of the closed surface
    /// Every edge, between places rather than vertices (seams closed by exact position), is used
    /// once in each direction by non-degenerate triangles.
    bool closed = false;
    std::size_t logical_vertices = 0;  ///< distinct positions of vertices that triangles use
};

/// Measures `mesh`, from its exact positions where it has them. An empty mesh is not closed.
/// The volume is taken about the centre of the bounds, so a mesh far from the origin does not
/// cancel; for a mesh that is not closed it depends on that centre and is only a hint.
MeshMeasure measure_mesh(const TriMesh& mesh);

}  // namespace skinpose
