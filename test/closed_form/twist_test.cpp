#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "fixtures/rigs.h"
#include "support/mesh_compare.h"
#include "support/posing.h"

/// A closed cylinder of radius 1 along y, weights w = 0..1 linear over its whole length, the upper
/// joint turned by a about the axis.
///
/// Linear blend takes the section at w by (1 - w) I + w R(a): a turn with the radius scaled by
/// |1 - w + w e^ia|, so its area by
///     |1 - w + w e^ia|^2 = 1 - 2 w (1 - w) (1 - cos a).
/// The mean of w (1 - w) over 0..1 is 1/6, which leaves the volume ratio 1 - (1 - cos a) / 3.
/// Dual quaternions turn each section and scale none: ratio 1.
///
/// A mesh of n rings is a stack of slices whose walls are pairs of triangles. Between two sections
/// turned apart by d ~ a / n, the diagonal that splits each wall quad cuts off (or adds) a volume
/// proportional to d times the slice's height: n slices of height 1 / n and turn a / n leave an
/// error of order 1 / n. Hence the claim of convergence, checked by doubling n.
namespace skinpose::test {
namespace {

namespace fx = fixtures;

constexpr std::size_t kSegments = 24;

double volume_ratio(std::size_t rings, double degrees, SkinMethod method) {
    const Scene scene = read(fx::twisted_cylinder(rings, kSegments, degrees));
    PoseOptions options;
    options.method = method;
    options.precision = Precision::Double;
    const TriMesh turned = pose(scene, {}, options).mesh;
    const TriMesh as_stored = pose(scene, bound(), options).mesh;
    return enclosed_volume(turned.exact_positions, turned.triangles) /
           enclosed_volume(as_stored.exact_positions, as_stored.triangles);
}

/// Error against `ratio` must at least nearly halve at each doubling and end small: O(1 / rings).
void converges(SkinMethod method, double degrees, double ratio) {
    double before = 0;
    for (std::size_t rings = 16; rings <= 256; rings *= 2) {
        const double error = std::fabs(volume_ratio(rings, degrees, method) - ratio);
        std::printf("%3.0f degrees, %s, %3zu rings: off by %.3e\n", degrees,
                    method == SkinMethod::LinearBlend ? "lbs" : "dqs", rings, error);
        if (rings > 16) {
            EXPECT_LE(error, 0.55 * before + 1e-7) << rings << " rings at " << degrees;
        }
        before = error;
    }
    EXPECT_LE(before, 2.0 / 256);
}

TEST(TwistedCylinder, TheUntwistedOneIsClosedAndOfTheRightVolume) {
    const Scene scene = read(fx::twisted_cylinder(16, kSegments, 0));
    PoseOptions options;
    options.precision = Precision::Double;
    const TriMesh mesh = pose(scene, {}, options).mesh;
    // A regular polygon of n corners on the unit circle has area n / 2 sin(2 pi / n); height 2.
    const double n = kSegments;
    EXPECT_NEAR(enclosed_volume(mesh.exact_positions, mesh.triangles),
                n * std::sin(radians(360 / n)), 1e-6);
    EXPECT_TRUE(measure_mesh(mesh).closed);
}

TEST(TwistedCylinder, UnderLinearBlendLosesAThirdOfOneMinusTheCosine) {
    for (const double degrees : {30.0, 45.0, 90.0, 135.0, 180.0})
        converges(SkinMethod::LinearBlend, degrees, 1 - (1 - std::cos(radians(degrees))) / 3);
}

TEST(TwistedCylinder, UnderDualQuaternionsKeepsItsVolume) {
    for (const double degrees : {30.0, 45.0, 90.0, 135.0, 175.0})
        converges(SkinMethod::DualQuaternion, degrees, 1);
}

TEST(TwistedCylinder, AtAHalfTurnLinearBlendPinchesTheMiddleToAPoint) {
    const std::size_t rings = 16;
    const Scene scene = read(fx::twisted_cylinder(rings, kSegments, 180));
    PoseOptions options;
    options.precision = Precision::Double;
    const TriMesh mesh = pose(scene, {}, options).mesh;
    for (std::size_t j = 0; j < kSegments; ++j)
        EXPECT_TRUE(point_close(mesh.exact_positions[rings / 2 * kSegments + j], Vec3(0, 0, 0), 1e-7));
}

TEST(TwistedCylinder, DualQuaternionsKeepEveryRadius) {
    const Scene scene = read(fx::twisted_cylinder(16, kSegments, 150));
    PoseOptions options = dual_quaternion_options();
    options.precision = Precision::Double;
    const TriMesh mesh = pose(scene, {}, options).mesh;
    for (std::size_t v = 0; v < 17 * kSegments; ++v)
        EXPECT_NEAR(std::hypot(mesh.exact_positions[v][0], mesh.exact_positions[v][2]), 1.0, 1e-7);
}

TEST(TwistedCylinder, TheLibrarysMeasureAgreesWithThePlainSum) {
    const TriMesh mesh = pose(fx::twisted_cylinder(32, kSegments, 90)).mesh;
    const double plain = enclosed_volume(widened(mesh.positions), mesh.triangles);
    EXPECT_NEAR(measure_mesh(mesh).signed_volume, plain, 1e-12);
    EXPECT_NEAR(plain, kSegments * std::sin(radians(360.0 / kSegments)) * 2 / 3, 0.05);
}

}  // namespace
}  // namespace skinpose::test
