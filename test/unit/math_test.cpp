#include "skinpose/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <numbers>

#include "support/posing.h"

namespace skinpose::test {
namespace {

constexpr double kAllowedUlps = 4.0;  // what math.h promises

/// Distance of `value` from `truth` (80 bits of libm) in units in the last place of the double.
double ulps(double value, long double truth) {
    const double nearest = std::fabs(static_cast<double>(truth));
    const long double ulp =
        std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest;
    return static_cast<double>(std::fabs(static_cast<long double>(value) - truth) / ulp);
}

/// The worst error over an even grid and over values that crowd towards both ends and zero.
double worst_ulps(const char* name, double low, double high, const std::function<double(double)>& f,
                  const std::function<long double(long double)>& truth) {
    double worst = 0.0, where = 0.0;
    const auto look = [&](double x) {
        if (x < low || x > high) return;
        const double error = ulps(f(x), truth(x));
        if (!(error <= worst)) {  // also when it is not a number
            worst = error;
            where = x;
        }
    };
    constexpr int kSamples = 400'000;
    for (int i = 0; i <= kSamples; ++i) look(low + (high - low) * i / kSamples);
    for (int e = 1; e < 300; ++e)
        for (const double base : {low, high, 0.0, 0.5, -0.5})
            for (const double sign : {-1.0, 1.0})
                for (const double digit : {1.0, 1.3, 1.7})
                    look(base + sign * std::ldexp(digit, -e));
    std::printf("%s: at most %.3f ulp, at %.17g\n", name, worst, where);
    return worst;
}

TEST(Math, SineIsWithinFourUlpOfTheTruth) {
    constexpr double kHalfPi = std::numbers::pi / 2;
    EXPECT_LE(
        worst_ulps("sine", -kHalfPi, kHalfPi, sine, [](long double x) { return std::sin(x); }),
        kAllowedUlps);
}

TEST(Math, ArcSineIsWithinFourUlpOfTheTruth) {
    EXPECT_LE(worst_ulps("arc_sine", -1, 1, arc_sine, [](long double x) { return std::asin(x); }),
              kAllowedUlps);
}

TEST(Math, ArcCosineIsWithinFourUlpOfTheTruth) {
    // Near x = 0 the true value passes pi/2, and near -1 pi: no small results but at x = 1, where
    // the half angle is what keeps the digits.
    EXPECT_LE(
        worst_ulps("arc_cosine", -1, 1, arc_cosine, [](long double x) { return std::acos(x); }),
        kAllowedUlps);
}

TEST(Math, SineAndArcSineKeepTheirSymmetryAndZero) {
    EXPECT_EQ(sine(0.0), 0.0);
    EXPECT_EQ(arc_sine(0.0), 0.0);
    EXPECT_EQ(arc_cosine(1.0), 0.0);
    for (const double x : {1e-300, 1e-9, 0.1, 0.5, 0.7, 0.999, 1.0}) {
        EXPECT_EQ(sine(-x), -sine(x)) << x;
        EXPECT_EQ(arc_sine(-x), -arc_sine(x)) << x;
    }
}

TEST(Math, LerpIsExactAtBothEnds) {
    // a + (b - a) * 1 would give 0 here: 1 is lost beside 1e17.
    EXPECT_EQ(lerp(1e17, 1.0, 1.0), 1.0);
    EXPECT_EQ(lerp(0.1, 0.3, 0.0), 0.1);
    EXPECT_EQ(lerp(0.1, 0.3, 1.0), 0.3);
    EXPECT_EQ(lerp(2.0, 4.0, 0.25), 2.5);
}

TEST(Math, SlerpOfAQuarterTurnIsEvenInAngle) {
    const Vec4 a(0, 0, 0, 1), b = turn(Vec3(0, 0, 1), 90);
    for (const double u : {0.1, 0.25, 0.5, 0.9}) {
        const Vec4 q = slerp(a, b, u);
        EXPECT_NEAR(q[2], std::sin(radians(45 * u)), 4e-16) << u;
        EXPECT_NEAR(q[3], std::cos(radians(45 * u)), 4e-16) << u;
    }
}

TEST(Math, SlerpTakesTheShortWay) {
    // -b is the same rotation as b; the long way round would pass 225 degrees at the middle.
    const Vec4 a(0, 0, 0, 1), b = turn(Vec3(0, 0, 1), 90);
    const Vec4 q = slerp(a, Vec4(-b), 0.5);
    EXPECT_NEAR(std::fabs(q[2]), std::sin(radians(22.5)), 4e-16);
    EXPECT_NEAR(std::fabs(q[3]), std::cos(radians(22.5)), 4e-16);
    EXPECT_GT(q[2] * q[3], 0.0);
}

TEST(Math, SlerpOfNearlyEqualRotationsKeepsItsDigits) {
    // 1 - cos of 1e-9 is below the last place of 1, so an arc cosine of the dot sees no angle at
    // all.
    const Vec4 a(0, 0, 0, 1), b(0, 0, std::sin(1e-9), std::cos(1e-9));
    for (const double u : {0.25, 0.5, 0.75}) EXPECT_NEAR(slerp(a, b, u)[2], 1e-9 * u, 1e-23) << u;
}

TEST(Math, SlerpOfEqualEndsIsThatEnd) {
    const Vec4 q = turn(Vec3(1, 0, 0), 33);
    for (const double u : {0.0, 0.3, 1.0}) {
        const Vec4 same = slerp(q, q, u);
        for (int i = 0; i < 4; ++i) EXPECT_NEAR(same[i], q[i], 2.3e-16) << u;
    }
}

TEST(Math, SlerpOfAHalfTurnIsUnitAndHalfWay) {
    // 180 degrees apart as rotations, 90 as quaternions: well defined, unlike antipodal
    // quaternions.
    const Vec4 q = slerp(Vec4(0, 0, 0, 1), Vec4(0, 1, 0, 0), 0.5);
    EXPECT_NEAR(q[1], std::sqrt(0.5), 4e-16);
    EXPECT_NEAR(q[3], std::sqrt(0.5), 4e-16);
}

TEST(Math, SlerpIsOfUnitLengthForAnyPair) {
    const Vec4 ends[] = {turn(Vec3(1, 0, 0), 10), turn(Vec3(0, 1, 0), 170),
                         turn(Vec3(0, 0, 1), 359), turn(Vec3(0.6, 0.8, 0), 181),
                         turn(Vec3(0, 0.6, 0.8), 1e-4)};
    for (const Vec4& a : ends)
        for (const Vec4& b : ends)
            for (double u = 0; u <= 1; u += 0.125) {
                const Vec4 q = slerp(a, b, u);
                EXPECT_NEAR(dot4(q, q), 1.0, 1e-15);
            }
}

TEST(Math, AQuaternionWithoutDirectionBecomesTheIdentity) {
    EXPECT_EQ(normalized_rotation(Vec4(0, 0, 0, 0)), Vec4(0, 0, 0, 1));
    EXPECT_EQ(normalized_rotation(Vec4(1e-13, 0, 0, 0)), Vec4(0, 0, 0, 1));
    EXPECT_EQ(normalized_rotation(Vec4(0, 0, 2, 0)), Vec4(0, 0, 1, 0));
}

TEST(Math, ComposeOfTheIdentityRotationIsExact) {
    const Mat4 m = compose_trs(Vec3(0.1, 0.2, 0.3), Vec4(0, 0, 0, 1), Vec3(1, 1, 1));
    Mat4 expected = Mat4::Identity();
    expected(0, 3) = 0.1;
    expected(1, 3) = 0.2;
    expected(2, 3) = 0.3;
    EXPECT_EQ(m, expected);
}

TEST(Math, ComposeScalesThenTurnsThenMoves) {
    // (1, 1, 0) scaled by (2, 3, 4) is (2, 3, 0); a quarter turn about z makes it (-3, 2, 0).
    const Mat4 m = compose_trs(Vec3(10, 20, 30), turn(Vec3(0, 0, 1), 90), Vec3(2, 3, 4));
    const Vec3 p = transform_point(m, Vec3(1, 1, 0));
    EXPECT_NEAR(p[0], 7, 1e-14);
    EXPECT_NEAR(p[1], 22, 1e-14);
    EXPECT_NEAR(p[2], 30, 1e-14);
}

TEST(Math, ComposeOfALongQuaternionIsThatOfItsDirection) {
    const Vec4 q = turn(Vec3(0.6, 0, 0.8), 70);
    const Mat4 unit = compose_trs(Vec3::Zero(), q, Vec3::Ones());
    const Mat4 scaled = compose_trs(Vec3::Zero(), Vec4(q * 3.0), Vec3::Ones());
    EXPECT_LE((unit - scaled).cwiseAbs().maxCoeff(), 5e-16);
    EXPECT_LE((unit - rotation_matrix(Vec3(0.6, 0, 0.8), 70)).cwiseAbs().maxCoeff(), 5e-16);
}

TEST(Math, MultiplyAppliesTheRightFactorFirst) {
    Mat4 scale = Mat4::Identity();
    scale(0, 0) = 2;
    const Mat4 move = translation_matrix(1, 0, 0);
    EXPECT_EQ(transform_point(multiply(scale, move), Vec3(0, 0, 0)), Vec3(2, 0, 0));
    EXPECT_EQ(transform_point(multiply(move, scale), Vec3(0, 0, 0)), Vec3(1, 0, 0));
}

TEST(Math, MultiplySumsLeftToRight) {
    // 1e16 + 1 + 1: left to right each 1 is lost; paired from the right, 2 is kept.
    Mat4 a = Mat4::Zero(), b = Mat4::Zero();
    a.row(0) << 1e16, 1, 1, 0;
    b.col(0) << 1, 1, 1, 0;
    EXPECT_EQ(multiply(a, b)(0, 0), 1e16);
    a.row(0) << 1, 1, 1e16, 0;
    EXPECT_EQ(multiply(a, b)(0, 0), 1e16 + 2);
}

TEST(Math, ADeterminantTellsAMirror) {
    Mat4 m = rotation_matrix(Vec3(0, 0.6, 0.8), 50);
    EXPECT_NEAR(determinant3(m), 1.0, 1e-15);
    for (int r = 0; r < 3; ++r) m(r, 1) = -2 * m(r, 1);
    EXPECT_NEAR(determinant3(m), -2.0, 1e-15);
}

TEST(Math, OneBadElementMakesAMatrixNotFinite) {
    Mat4 m = Mat4::Identity();
    EXPECT_TRUE(all_finite(m));
    m(2, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(all_finite(m));
    m(2, 1) = -std::numeric_limits<double>::infinity();
    EXPECT_FALSE(all_finite(m));
}

}  // namespace
}  // namespace skinpose::test
