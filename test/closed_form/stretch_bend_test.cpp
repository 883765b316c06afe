#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fixtures/rigs.h"
#include "support/mesh_compare.h"
#include "support/posing.h"

/// The other side of the twist: motions where dual quaternions put the surface where a straight
/// blend would not, measured against closed forms. Neither method is the right one; each has its
/// error, and these tests hold both to theirs.
///
/// With joint 0 at rest and joint 1 turned by a about z, the blend of the unit quaternions
/// (1 - w) 1 + w (cos a/2 + k sin a/2) is a turn by
///     theta(w) = 2 atan2(w sin a/2, 1 - w + w cos a/2),
/// half-way a / 2, but not w a elsewhere.
namespace skinpose::test {
namespace {

namespace fx = fixtures;

constexpr std::size_t kRings = 32;
constexpr SkinMethod kBoth[] = {SkinMethod::LinearBlend, SkinMethod::DualQuaternion};

double blended_angle(double w, double a) {
    return 2 * std::atan2(w * std::sin(a / 2), 1 - w + w * std::cos(a / 2));
}

double weight(std::size_t ring) { return static_cast<double>(ring) / kRings; }

TriMesh posed(const fx::GltfBuilder& builder, SkinMethod method, const PoseTime& when = {}) {
    PoseOptions options;
    options.method = method;
    options.precision = Precision::Double;
    return pose(builder, when, options).mesh;
}

Vec3 ring_centre(const TriMesh& mesh, std::size_t ring, std::size_t corners) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t j = 0; j < corners; ++j) sum += mesh.exact_positions[ring * corners + j];
    return Vec3(sum / static_cast<double>(corners));
}

/// The upper joint is pulled up the axis by d and turned by a about z: x -> R x + (0, d, 0). Look
/// at the image of the origin under the blend of weight w.
///
/// Linear blend: (0, w d, 0), on the straight line between the joints.
/// Dual quaternions: x -> R x + t is a turn by a about a fixed centre c, and every blend of it with
/// the rest is a turn about the same c. The origin is carried along the circle through (0, 0) and
/// (0, d) about c = (-d/2 cot(a/2), d/2), of radius d / (2 sin(a/2)): half-way it stands
/// d/2 tan(a/4) beside the line. The joint bulges sideways, and the way is longer than d by the
/// factor (a/2) / sin(a/2).
class StretchedJoint : public testing::TestWithParam<double> {
   protected:
    static constexpr double kPull = 4;
    static constexpr std::size_t kCorners = 8;
    double a_ = radians(GetParam());

    /// Where the joint's blend at `ring` takes the origin: the ring's centre was at (0, y, 0), and
    /// the turn by `theta` with radius factor `s` carried it on by s R(theta) (0, y, 0).
    Vec3 origin_image(const TriMesh& mesh, std::size_t ring, double s, double theta) const {
        const double y = 2 * weight(ring) - 1;
        return Vec3(ring_centre(mesh, ring, kCorners) -
                    Vec3(-s * y * std::sin(theta), s * y * std::cos(theta), 0));
    }
};

TEST_P(StretchedJoint, LinearBlendGoesStraightAndThins) {
    const TriMesh mesh =
        posed(fx::stretched_joint(kRings, kCorners, kPull, GetParam()), SkinMethod::LinearBlend);
    for (std::size_t ring = 0; ring <= kRings; ++ring) {
        const double w = weight(ring);
        const double x = 1 - w + w * std::cos(a_), y = w * std::sin(a_);  // (1 - w) + w e^ia
        const Vec3 image = origin_image(mesh, ring, std::hypot(x, y), std::atan2(y, x));
        EXPECT_TRUE(point_close(image, Vec3(0, w * kPull, 0), 1e-6)) << ring;
    }
    // The first corner of a ring starts at (1, y, 0): half-way its lever arm is cos(a/2) long.
    const Vec3 corner = mesh.exact_positions[kRings / 2 * kCorners];
    EXPECT_NEAR(length3(Vec3(corner - Vec3(0, kPull / 2, 0))), std::cos(a_ / 2), 1e-6);
}

TEST_P(StretchedJoint, DualQuaternionsGoRoundACircleAndBulge) {
    const TriMesh mesh =
        posed(fx::stretched_joint(kRings, kCorners, kPull, GetParam()), SkinMethod::DualQuaternion);
    const Vec3 centre(-kPull / 2 / std::tan(a_ / 2), kPull / 2, 0);
    const double radius = kPull / 2 / std::sin(a_ / 2);
    double length = 0;
    Vec3 before = Vec3::Zero();
    for (std::size_t ring = 0; ring <= kRings; ++ring) {
        const Vec3 image = origin_image(mesh, ring, 1, blended_angle(weight(ring), a_));
        EXPECT_NEAR(length3(Vec3(image - centre)), radius, 2e-6) << ring;
        if (ring == kRings / 2) {
            EXPECT_TRUE(point_close(image, Vec3(kPull / 2 * std::tan(a_ / 4), kPull / 2, 0), 2e-6));
        }
        length += length3(Vec3(image - before));
        before = image;
    }
    EXPECT_TRUE(point_close(before, Vec3(0, kPull, 0), 2e-6));
    // A chord of angle e is shorter than its arc by e^2 / 24; no step here is over 4 a / rings.
    const double step = 4 * a_ / kRings;
    EXPECT_NEAR(length, radius * a_, radius * a_ * step * step / 24);
    EXPECT_GT(length, kPull * (1 + a_ * a_ / 30));  // (a/2) / sin(a/2) > 1 + a^2 / 24
    // The lever arm, though, keeps its length.
    const Vec3 corner = mesh.exact_positions[kRings / 2 * kCorners];
    EXPECT_NEAR(length3(Vec3(corner - Vec3(kPull / 2 * std::tan(a_ / 4), kPull / 2, 0))), 1, 2e-6);
}

INSTANTIATE_TEST_SUITE_P(Angles, StretchedJoint, testing::Values(30, 60, 90, 120, 150));

TEST(StretchedJoint, PulledWithoutATurnBothMethodsAgree) {
    for (const SkinMethod method : kBoth) {
        const TriMesh mesh = posed(fx::stretched_joint(kRings, 8, 4, 0), method);
        for (std::size_t ring = 0; ring <= kRings; ++ring)
            EXPECT_TRUE(point_close(ring_centre(mesh, ring, 8),
                                    Vec3(0, 2 * weight(ring) - 1 + 4 * weight(ring), 0), 1e-6));
    }
}

/// A square bar of half width r = 1/2 from y = -1 to 1, weights linear over its length, bent by a
/// at its middle. Both methods act in the plane of the bend.
///
/// Linear blend multiplies a point (x, y) by 1 - w + w e^ia: its distance from the joint's centre
/// shrinks by sqrt(1 - 2 w (1 - w) (1 - cos a)).
/// Dual quaternions turn it by theta(w): its distance from the centre stays. Seen from the upper
/// bone, which has turned by a, it is turned back by phi = a - theta(w), and a point of the outer
/// wall (r, y) stands r cos phi + y sin phi from the bone's axis, up to sqrt(r^2 + y^2): outside
/// the bar's own half width. That is the bulge.
class BentBox : public testing::TestWithParam<double> {
   protected:
    static constexpr double kHalf = 0.5;
    double a_ = radians(GetParam());

    /// Distance of the outer wall's vertex at `ring` from the axis of the upper bone: its
    /// coordinate across the bone, whose own x axis has turned by a.
    double across_upper_bone(const TriMesh& mesh, std::size_t ring) const {
        const Vec3 p = mesh.exact_positions[ring * 4];  // corner 0 starts at (r, y, -r)
        return p[0] * std::cos(a_) + p[1] * std::sin(a_);
    }
};

TEST_P(BentBox, LinearBlendShrinksTowardsTheJoint) {
    const TriMesh mesh = posed(fx::bent_box(kRings, GetParam()), SkinMethod::LinearBlend);
    for (std::size_t ring = 0; ring <= kRings; ++ring) {
        const double w = weight(ring), y = 2 * w - 1;
        const Vec3 p = mesh.exact_positions[ring * 4];
        EXPECT_NEAR(std::hypot(p[0], p[1]),
                    std::hypot(kHalf, y) * std::sqrt(1 - 2 * w * (1 - w) * (1 - std::cos(a_))),
                    1e-6);
        EXPECT_NEAR(across_upper_bone(mesh, ring),
                    w * kHalf + (1 - w) * (kHalf * std::cos(a_) + y * std::sin(a_)), 1e-6);
    }
}

TEST_P(BentBox, DualQuaternionsKeepTheDistanceAndBulge) {
    const TriMesh mesh = posed(fx::bent_box(kRings, GetParam()), SkinMethod::DualQuaternion);
    for (std::size_t ring = 0; ring <= kRings; ++ring) {
        const double w = weight(ring), y = 2 * w - 1, phi = a_ - blended_angle(w, a_);
        const Vec3 p = mesh.exact_positions[ring * 4];
        EXPECT_NEAR(std::hypot(p[0], p[1]), std::hypot(kHalf, y), 1e-6);
        EXPECT_NEAR(across_upper_bone(mesh, ring), kHalf * std::cos(phi) + y * std::sin(phi), 1e-6);
    }
}

/// Areas in the plane of the bend, points as complex numbers z = x + iy, y in -1..1, w = (1 + y)
/// / 2. Dual quaternions map z to e^(i theta(y)) z, of Jacobian 1 + theta'(y) x; linear blend to b
/// z with b = 1 - w + w e^(ia), of Jacobian
///     Im(conj(b) (i b + b' z)) = |b|^2 + x Im(conj(b) b') + y Re(conj(b) b').
/// Terms odd in x drop out over a section symmetric in x. So dual quaternions keep the (signed)
/// volume exactly, and linear blend keeps, with 2 Re(conj(b) b') = d|b|^2/dy, the ratio
///     mean over y of |b|^2 + (y / 2) d|b|^2/dy,
/// whose second term by parts, |b| being 1 at both ends, is (1 - mean |b|^2) / 2. As for the twist,
/// mean |b|^2 = 1 - (1 - cos a) / 3, which leaves the ratio 1 - (1 - cos a) / 6.
TEST(BentBoxVolume, LinearBlendLosesASixthOfOneMinusTheCosineAndDualQuaternionsNone) {
    constexpr std::size_t kMany = 256;
    for (const double degrees : {30.0, 60.0, 90.0, 150.0}) {
        const fx::GltfBuilder box = fx::bent_box(kMany, degrees);
        const TriMesh straight = posed(box, SkinMethod::LinearBlend, bound());
        const double volume = enclosed_volume(straight.exact_positions, straight.triangles);
        EXPECT_NEAR(volume, 2, 1e-12);
        const TriMesh linear = posed(box, SkinMethod::LinearBlend);
        const TriMesh dual = posed(box, SkinMethod::DualQuaternion);
        // The walls are polygons inscribed in smooth curves: off by O(1 / rings^2).
        constexpr double kTolerance = 10.0 / (kMany * kMany);
        EXPECT_NEAR(enclosed_volume(linear.exact_positions, linear.triangles) / volume,
                    1 - (1 - std::cos(radians(degrees))) / 6, kTolerance);
        EXPECT_NEAR(enclosed_volume(dual.exact_positions, dual.triangles) / volume, 1, kTolerance);
    }
}

INSTANTIATE_TEST_SUITE_P(Angles, BentBox, testing::Values(30, 60, 90, 120, 150));

TEST(BentBoxAtNinety, EachMethodHasAPlaceWhereItIsTheWorseOne) {
    // Ring 24 of 32: w = 3/4, y = 1/2, a = 90 degrees.
    // Linear blend: 3/4 * 1/2 + 1/4 (0 + 1/2) = 1/2, just the bar's own half width.
    // Dual quaternions: theta = 2 atan2(3/4 s, 1/4 + 3/4 s), s = sin 45, is 68.4 degrees; phi 21.6,
    // and cos phi / 2 + sin phi / 2 = 0.649: a bulge of 30 percent.
    const TriMesh linear = posed(fx::bent_box(kRings, 90), SkinMethod::LinearBlend);
    const TriMesh dual = posed(fx::bent_box(kRings, 90), SkinMethod::DualQuaternion);
    EXPECT_NEAR(linear.exact_positions[24 * 4][1], 0.5, 1e-6);
    EXPECT_NEAR(dual.exact_positions[24 * 4][1], 0.649, 1e-3);
    // Ring 16: w = 1/2, y = 0. Linear blend leaves cos 45 of the half width, dual quaternions all.
    EXPECT_NEAR(length3(linear.exact_positions[16 * 4]),
                std::hypot(0.5 * std::cos(radians(45)), 0.5), 1e-6);
    EXPECT_NEAR(length3(dual.exact_positions[16 * 4]), std::hypot(0.5, 0.5), 1e-6);
}

/// A stretch that turns: joint 1 scaled by s along y, turned by a. Half-way dual quaternions carry
/// (0, y) out to y (1 + s) / 2, the mean length, at a / 2; linear blend to the middle of the chord,
/// y |1 + s e^ia| / 2, at the angle of 1 + s e^ia, drawn towards the longer one.
TEST(StretchedAndTurned, HalfWayBothAreWhereTheirFormulasSay) {
    const double s = 3, a = radians(80);
    fx::PointRig rig{.joints = {fx::at(0, 0, 0),
                                {.rotation = fx::axis_rotation({0, 0, 1}, 80), .scale = {1, s, 1}}},
                     .positions = {{0, 2, 0}},
                     .influences = {{{0, .5}, {1, .5}}}};
    const fx::GltfBuilder builder = fx::point_rig(rig);
    const Vec3 dual = posed(builder, SkinMethod::DualQuaternion).exact_positions[0];
    EXPECT_TRUE(
        point_close(dual, Vec3(-(1 + s) * std::sin(a / 2), (1 + s) * std::cos(a / 2), 0), 1e-6));
    const Vec3 linear = posed(builder, SkinMethod::LinearBlend).exact_positions[0];
    EXPECT_TRUE(point_close(linear, Vec3(-s * std::sin(a), 1 + s * std::cos(a), 0), 1e-6));
}

}  // namespace
}  // namespace skinpose::test
