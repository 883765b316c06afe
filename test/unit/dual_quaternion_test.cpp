#include "skinpose/dual_quaternion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/mesh_compare.h"
#include "support/posing.h"

namespace skinpose::test {
namespace {

Mat4 moved(Mat4 m, const Vec3& t) {
    for (int r = 0; r < 3; ++r) m(r, 3) = t[r];
    return m;
}

Mat4 widened(const Mat3& m) {
    Mat4 result = Mat4::Identity();
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) result(r, c) = m(r, c);
    return result;
}

/// Translation * rotation * residual put together again, by the textbook matrix of a quaternion.
Mat4 rebuilt(const RigidSplit& s) {
    const auto [x, y, z, w] =
        std::array{s.rotation[0], s.rotation[1], s.rotation[2], s.rotation[3]};
    Mat4 rotation = Mat4::Identity();
    rotation.row(0) << 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 0;
    rotation.row(1) << 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 0;
    rotation.row(2) << 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), 0;
    return moved(multiply(rotation, widened(s.residual)), s.translation);
}

double difference(const Mat4& a, const Mat4& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(RigidSplit, OfTheIdentityIsExact) {
    const RigidSplit s = split_rigid(Mat4::Identity());
    EXPECT_EQ(s.rotation, Vec4(0, 0, 0, 1));
    EXPECT_EQ(s.translation, Vec3(0, 0, 0));
    EXPECT_EQ(s.residual, Mat3::Identity());
    EXPECT_TRUE(s.rigid);
}

TEST(RigidSplit, OfARigidMatrixHasNoResidual) {
    for (const double degrees : {0.1, 60.0, 90.0, 179.0, 180.0, 181.0, 300.0})
        for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0.6, 0, 0.8),
                                 Vec3(-0.48, 0.6, 0.64)}) {
            const Mat4 m = moved(rotation_matrix(axis, degrees), Vec3(1, -2, 3));
            const RigidSplit s = split_rigid(m);
            EXPECT_TRUE(s.rigid);
            EXPECT_LE((s.residual - Mat3::Identity()).cwiseAbs().maxCoeff(), 1e-15);
            EXPECT_LE(difference(rebuilt(s), m), 2e-15) << degrees << " about " << axis;
            EXPECT_GE(s.rotation[3], 0.0);
            EXPECT_NEAR(dot4(s.rotation, s.rotation), 1.0, 1e-15);
        }
}

TEST(RigidSplit, PutTogetherAgainIsTheMatrix) {
    Mat4 shear = Mat4::Identity();
    shear(0, 1) = 0.5;
    shear(2, 0) = -0.25;
    for (const Mat4& inner : {shear, scale_matrix(1, 2, 3), scale_matrix(-1, 1, 1),
                              scale_matrix(-1, -2, -3), scale_matrix(1e-3, 1e3, 1)}) {
        const Mat4 m =
            moved(multiply(rotation_matrix(Vec3(0.6, 0, 0.8), 130), inner), Vec3(4, 5, 6));
        EXPECT_LE(difference(rebuilt(split_rigid(m)), m), 1e-12);
    }
}

TEST(RigidSplit, AMirrorLandsInTheResidual) {
    const RigidSplit s = split_rigid(scale_matrix(1, 1, -1));
    EXPECT_EQ(s.rotation, Vec4(0, 0, 0, 1));
    EXPECT_EQ(s.residual(2, 2), -1);
    EXPECT_FALSE(s.rigid);
    // A mirror of x turns the basis first (r0 = -x), and S mirrors back: R stays proper.
    const RigidSplit x = split_rigid(scale_matrix(-1, 1, 1));
    EXPECT_LE(difference(rebuilt(x), scale_matrix(-1, 1, 1)), 1e-15);
    EXPECT_LT(determinant3(widened(x.residual)), 0.0);
}

TEST(RigidSplit, ScaleAndShearAreNotRigid) {
    EXPECT_FALSE(split_rigid(scale_matrix(1, 1, 1.0001)).rigid);
    Mat4 shear = Mat4::Identity();
    shear(0, 1) = 1e-4;
    EXPECT_FALSE(split_rigid(shear).rigid);
    EXPECT_FALSE(split_rigid(scale_matrix(2, 2, 2)).rigid);
}

TEST(RigidSplit, WithinOneInAHundredThousandIsRigid) {
    EXPECT_TRUE(split_rigid(scale_matrix(1, 1 + 0.9e-5, 1)).rigid);
    EXPECT_FALSE(split_rigid(scale_matrix(1, 1 + 1.1e-5, 1)).rigid);
}

TEST(RigidSplit, ADegenerateBasisGoesToTheResidualWhole) {
    Mat4 parallel = Mat4::Identity();  // m1 is a multiple of m0
    parallel(0, 1) = 2;
    parallel(1, 1) = 0;
    for (const Mat4& m : {scale_matrix(0, 1, 1), scale_matrix(1, 0, 1), scale_matrix(0, 0, 0),
                          scale_matrix(1e-7, 1, 1), scale_matrix(1, 1e-7, 1), parallel}) {
        const RigidSplit s = split_rigid(moved(m, Vec3(7, 8, 9)));
        EXPECT_EQ(s.rotation, Vec4(0, 0, 0, 1));
        EXPECT_EQ(s.translation, Vec3(7, 8, 9));
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) EXPECT_EQ(s.residual(r, c), m(r, c));
        EXPECT_FALSE(s.rigid);
    }
}

TEST(RigidSplit, AFlatThirdColumnIsNotDegenerate) {
    // r2 is made from r0 x r1, so m2 may vanish: the rotation survives.
    const Mat4 m = multiply(rotation_matrix(Vec3(0, 0, 1), 90), scale_matrix(1, 1, 0));
    const RigidSplit s = split_rigid(m);
    EXPECT_NEAR(s.rotation[2], std::sqrt(0.5), 1e-15);
    EXPECT_LE(difference(rebuilt(s), m), 1e-15);
}

TEST(RigidSplit, AHalfTurnAboutAnyAxisIsFound) {
    // w is 0 there: a quaternion taken from the trace alone would divide by it.
    for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(0.6, 0.8, 0)}) {
        const RigidSplit s = split_rigid(rotation_matrix(axis, 180));
        EXPECT_NEAR(std::fabs(s.rotation[0]), std::fabs(axis[0]), 1e-15);
        EXPECT_NEAR(std::fabs(s.rotation[1]), std::fabs(axis[1]), 1e-15);
        EXPECT_NEAR(std::fabs(s.rotation[2]), std::fabs(axis[2]), 1e-15);
        EXPECT_NEAR(s.rotation[3], 0.0, 1e-15);
    }
}

TEST(DualPalette, HoldsHalfTheTranslationTimesTheRotation) {
    // Quarter turn about z, moved by (2, 0, 0): dual = (2, 0, 0, 0) * (0, 0, s, s) / 2, s = sin 45.
    // i * k = -j, so (1, 0, 0, 0) * (0, 0, s, s) = (s, -s, 0, 0).
    JointPalette palette;
    palette.exact = {moved(rotation_matrix(Vec3(0, 0, 1), 90), Vec3(2, 0, 0))};
    palette.rounded.resize(1);
    DualQuaternionPalette dual = make_dual_palette(1);
    split_palette(palette, dual);
    const double s = std::sqrt(0.5);
    const std::array<double, 4> real{0, 0, s, s}, expected{s, -s, 0, 0};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(dual.exact[0].real[i], real[i], 1e-15);
        EXPECT_NEAR(dual.exact[0].dual[i], expected[i], 1e-15);
        EXPECT_EQ(dual.rounded[0].real[i], static_cast<float>(dual.exact[0].real[i]));
        EXPECT_EQ(dual.rounded[0].dual[i], static_cast<float>(dual.exact[0].dual[i]));
    }
    EXPECT_EQ(dual.non_rigid_joints, 0u);
}

TEST(DualPalette, CountsTheJointsThatAreNotRigidAfresh) {
    JointPalette palette;
    Mat4 shear = Mat4::Identity();
    shear(1, 0) = 0.3;
    palette.exact = {Mat4::Identity(), scale_matrix(1, 2, 1), shear};
    palette.rounded.resize(3);
    DualQuaternionPalette dual = make_dual_palette(3);
    split_palette(palette, dual);
    EXPECT_EQ(dual.non_rigid_joints, 2u);
    palette.exact[1] = palette.exact[2] = Mat4::Identity();
    split_palette(palette, dual);
    EXPECT_EQ(dual.non_rigid_joints, 0u);
}

TEST(DualPalette, KeepsTheResidualRowMajor) {
    JointPalette palette;
    Mat4 shear = Mat4::Identity();
    shear(0, 1) = 0.5;
    shear(1, 2) = 0.25;
    palette.exact = {shear};
    palette.rounded.resize(1);
    DualQuaternionPalette dual = make_dual_palette(1);
    split_palette(palette, dual);
    EXPECT_EQ(dual.exact[0].residual, (std::array<double, 9>{1, .5, 0, 0, 1, .25, 0, 0, 1}));
    EXPECT_EQ(dual.rounded[0].residual, (std::array<float, 9>{1, .5, 0, 0, 1, .25, 0, 0, 1}));
}

}  // namespace
}  // namespace skinpose::test
