#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "skinpose/tri_mesh.h"

namespace skinpose::test {

/// Distances between two lists of points, by index.
struct PointDifference {
    double max = 0.0, rms = 0.0;
    std::size_t worst = 0;  ///< index of the largest distance
};

PointDifference compare_points(std::span<const Vec3> a, std::span<const Vec3> b);

/// As double, for the comparisons below.
std::vector<Vec3> widened(std::span<const Vec3f> points);

/// Success where no point is further than `tolerance` from its counterpart; else says max, rms and
/// the worst vertex with both its places. A coordinate that is not a number is infinitely far.
testing::AssertionResult points_close(std::span<const Vec3> actual, std::span<const Vec3> expected,
                                      double tolerance);
testing::AssertionResult points_close(std::span<const Vec3f> actual, std::span<const Vec3> expected,
                                      double tolerance);
testing::AssertionResult points_close(std::span<const Vec3f> actual,
                                      std::span<const Vec3f> expected, double tolerance);

/// The same for one point.
testing::AssertionResult point_close(const Vec3& actual, const Vec3& expected, double tolerance);
testing::AssertionResult point_close(const Vec3f& actual, const Vec3& expected, double tolerance);

/// Success where every bit agrees (so -0 is not 0); else names the first vertex that differs.
testing::AssertionResult same_bits(std::span<const Vec3f> actual, std::span<const Vec3f> expected);

/// Volume inside the surface by the divergence theorem, plainly, in double: sum of a . (b x c) / 6.
/// Written apart from the library's own measure.
double enclosed_volume(std::span<const Vec3> positions, std::span<const Triangle> triangles);

}  // namespace skinpose::test
