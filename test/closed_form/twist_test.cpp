#include <gtest/gtest.h>

#include <cmath>
#include <complex>
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
/// A mesh has N rings of n corners. Between two rings of radius r0 and r1, turned apart by d, each
/// of the n walls is two triangles that meet on the diagonal from corner j below to j + 1 above.
/// Cutting the slice at the fraction t of its height h gives a polygon of 2 n corners, (1 - t) P_j
/// + t Q_j and (1 - t) P_j + t Q_(j+1), whose area integrates over t to
///     h n / 6 ((r0^2 + r1^2) sin f + r0 r1 (sin(f + d) - sin d)),   f = 2 pi / n.
/// So the volume of the mesh itself is known, for any N (`mesh_volume_ratio`). To first order in
/// d = O(1 / N) the bracket is short by r0 r1 d (1 - cos f): the sum over the slices leaves
///     ratio = limit - tan(f / 2) / (3 N) * integral of r^2 dtheta,
/// which converges as O(1 / N). The integral of r^2 dtheta is Im(conj(b) b') dw with
/// b = 1 - w + w e^ia: -sin a for linear blend, and -a for dual quaternions (seen from +y, x
/// towards z, a turn about y is negative).
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

/// Radius and angle of the section of weight w.
struct Section {
    double radius, angle;
};

Section section(double w, double degrees, SkinMethod method) {
    const double a = radians(degrees);
    if (method == SkinMethod::LinearBlend) {
        const std::complex<double> b = 1 - w + w * std::polar(1.0, a);
        return {std::abs(b), std::arg(b)};
    }
    return {1, 2 * std::atan2(w * std::sin(a / 2), 1 - w + w * std::cos(a / 2))};
}

/// What the formula above gives for the mesh, over its volume untwisted.
double mesh_volume_ratio(std::size_t rings, double degrees, SkinMethod method) {
    const double f = radians(360.0 / kSegments);
    double sum = 0;
    for (std::size_t i = 0; i < rings; ++i) {
        const double n = static_cast<double>(rings), low = static_cast<double>(i) / n;
        const Section s0 = section(low, degrees, method);
        const Section s1 = section(low + 1 / n, degrees, method);
        const double d = s0.angle - s1.angle;  // the turn about y runs from z to x
        sum += (s0.radius * s0.radius + s1.radius * s1.radius) / 3 +
               s0.radius * s1.radius * (std::sin(f + d) - std::sin(d)) / (3 * std::sin(f));
    }
    return sum / static_cast<double>(rings);
}

/// The mesh's volume is that of its formula, and goes to `ratio` as slope / rings.
void converges(SkinMethod method, double degrees, double ratio, double slope) {
    for (std::size_t rings = 16; rings <= 256; rings *= 2) {
        const double measured = volume_ratio(rings, degrees, method);
        const double error = measured - ratio, n = static_cast<double>(rings);
        std::printf("%3.0f degrees, %s, %3zu rings: off by %.3e = %.4f / rings\n", degrees,
                    method == SkinMethod::LinearBlend ? "lbs" : "dqs", rings, error, error * n);
        EXPECT_NEAR(measured, mesh_volume_ratio(rings, degrees, method), 1e-6) << rings;
        // The next term is of second order; its factor is below (a / 2)^2 here.
        const double a = radians(degrees);
        EXPECT_NEAR(error, slope / n, a * a / (n * n) + 1e-6) << rings << " rings at " << degrees;
    }
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
    for (const double degrees : {30.0, 45.0, 90.0, 135.0, 180.0}) {
        const double a = radians(degrees);
        converges(SkinMethod::LinearBlend, degrees, 1 - (1 - std::cos(a)) / 3,
                  std::tan(radians(180.0 / kSegments)) * std::sin(a) / 3);
    }
}

TEST(TwistedCylinder, UnderDualQuaternionsKeepsItsVolume) {
    for (const double degrees : {30.0, 45.0, 90.0, 135.0, 175.0})
        converges(SkinMethod::DualQuaternion, degrees, 1,
                  std::tan(radians(180.0 / kSegments)) * radians(degrees) / 3);
}

TEST(TwistedCylinder, AtAHalfTurnLinearBlendPinchesTheMiddleToAPoint) {
    const std::size_t rings = 16;
    const Scene scene = read(fx::twisted_cylinder(rings, kSegments, 180));
    PoseOptions options;
    options.precision = Precision::Double;
    const TriMesh mesh = pose(scene, {}, options).mesh;
    for (std::size_t j = 0; j < kSegments; ++j)
        EXPECT_TRUE(
            point_close(mesh.exact_positions[rings / 2 * kSegments + j], Vec3(0, 0, 0), 1e-7));
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
