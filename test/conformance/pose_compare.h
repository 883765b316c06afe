#pragma once

#include <array>
#include <string>
#include <vector>

#include "skinpose/tri_mesh.h"

namespace skinpose::test {

/// A pose made by a program that shares no code with skinpose. Scene space, double.
struct ReferencePose {
    std::vector<std::array<double, 3>> positions;
    std::vector<std::array<double, 3>> normals;  ///< empty, or one per position
    std::vector<Triangle> faces;
};

/// How far apart two lists of points are, vertex by vertex in order.
struct PositionDifference {
    double diagonal = 0.0;  ///< of the reference's bounds; 1 where they are a point
    double largest = 0.0, rms = 0.0;
    std::size_t worst_vertex = 0;

    [[nodiscard]] double relative() const { return largest / diagonal; }
    [[nodiscard]] std::string text() const;
};

/// Exact positions where the mesh has them, else the float ones. Both have the same, non-zero
/// number of vertices. Something that is not finite counts as infinitely far.
PositionDifference position_difference(const TriMesh& mesh, const ReferencePose& reference);

/// Largest angle in degrees between normals of the same vertex, and how far our own lengths are
/// from 1. Vertices whose reference normal is zero have no direction and are not compared: their
/// number is in `undefined`.
struct NormalDifference {
    double largest_deg = 0.0;
    double largest_length_error = 0.0;
    std::size_t worst_vertex = 0, undefined = 0;
};
NormalDifference normal_difference(const TriMesh& mesh, const ReferencePose& reference);

}  // namespace skinpose::test
