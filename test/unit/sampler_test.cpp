#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "skinpose/clip.h"
#include "support/posing.h"

namespace skinpose::test {
namespace {

Sampler make(Interpolation interpolation, std::vector<float> times, std::size_t components,
             std::vector<double> values) {
    return {interpolation, std::move(times), components, std::move(values)};
}

std::vector<double> sample(const Sampler& sampler, double time_s, bool rotation = false) {
    std::vector<double> out(sampler.components, -1234.5);
    sample_sampler(sampler, time_s, rotation, out);
    return out;
}

double value(const Sampler& sampler, double time_s) { return sample(sampler, time_s).at(0); }

Sampler one_to_three(Interpolation interpolation) { return make(interpolation, {1, 2}, 1, {1, 3}); }

Sampler quarter_turn(Interpolation interpolation) {
    const Vec4 q = turn(Vec3(0, 0, 1), 90);
    std::vector<double> values{0, 0, 0, 1, q[0], q[1], q[2], q[3]};
    if (interpolation == Interpolation::CubicSpline)
        values = {0, 0, 0, 0, 0,    0,    0,    1,    0, 0, 0, 0,
                  0, 0, 0, 0, q[0], q[1], q[2], q[3], 0, 0, 0, 0};
    return make(interpolation, {0, 1}, 4, values);
}

TEST(Sampler, LinearIsClampedAtBothEnds) {
    const Sampler s = one_to_three(Interpolation::Linear);
    EXPECT_EQ(value(s, -5), 1);
    EXPECT_EQ(value(s, 0), 1);
    EXPECT_EQ(value(s, 1.5), 2);
    EXPECT_EQ(value(s, 2), 3);
    EXPECT_EQ(value(s, 5), 3);
}

TEST(Sampler, OneKeyIsAConstantInEveryMode) {
    EXPECT_EQ(value(make(Interpolation::Step, {0.3F}, 1, {7}), 0), 7);
    EXPECT_EQ(value(make(Interpolation::Linear, {0.3F}, 1, {7}), 9), 7);
    EXPECT_EQ(value(make(Interpolation::CubicSpline, {0.3F}, 1, {100, 7, 100}), 0.2), 7);
    EXPECT_EQ(value(make(Interpolation::CubicSpline, {0.3F}, 1, {100, 7, 100}), 0.4), 7);
}

TEST(Sampler, StepHoldsUntilJustBeforeTheNextKey) {
    const Sampler s = one_to_three(Interpolation::Step);
    EXPECT_EQ(value(s, 0), 1);
    EXPECT_EQ(value(s, 1), 1);
    // The largest float below 2 is not the key; nor is a double that rounds to it.
    EXPECT_EQ(value(s, static_cast<double>(std::nextafter(2.0F, 0.0F))), 1);
    EXPECT_EQ(value(s, 2), 3);
    EXPECT_EQ(value(s, 3), 3);
}

TEST(Sampler, ATimeThatRoundsToAKeysFloatIsThatKey) {
    // 0.1 as a double is below 0.1F, so a plain comparison would still show the key before.
    ASSERT_LT(0.1, static_cast<double>(0.1F));
    const Sampler step = make(Interpolation::Step, {0, 0.1F, 1}, 1, {1, 2, 3});
    EXPECT_EQ(value(step, 0.1), 2);
    // 0.7 is above 0.7F: linear would add a trace of the next value.
    ASSERT_GT(0.7, static_cast<double>(0.7F));
    const Sampler linear = make(Interpolation::Linear, {0, 0.7F, 1}, 1, {0, 0.3, 1e6});
    EXPECT_EQ(value(linear, 0.7), 0.3);
    const Sampler cubic =
        make(Interpolation::CubicSpline, {0, 0.7F, 1}, 1, {0, 0, 1e9, 1e9, 0.3, 1e9, 0, 1, 0});
    EXPECT_EQ(value(cubic, 0.7), 0.3);
}

TEST(Sampler, ExactKeysAreTheKeysBitForBit) {
    // Values with no short binary form, and a quaternion that is not quite unit: within rounding it
    // is left alone, so normalising on the way out would show.
    const std::vector<double> odd{0.1, -0.7, 1.0 / 3, 5e-324, -1e300, 0.3, 7.7, 8.8, 9.9};
    const Sampler linear = make(Interpolation::Linear, {0.1F, 0.2F, 0.7F}, 3, odd);
    const float x = std::sin(0.4F), w = std::cos(0.4F);
    const std::vector<double> q{0, 0, 0, 1, static_cast<double>(x), 0, 0, static_cast<double>(w)};
    const Sampler turned = make(Interpolation::Linear, {0.1F, 0.9F}, 4, q);
    for (std::size_t k = 0; k < 3; ++k) {
        const auto out = sample(linear, static_cast<double>(linear.times_s[k]));
        EXPECT_EQ(std::memcmp(out.data(), odd.data() + 3 * k, 3 * sizeof(double)), 0) << k;
    }
    for (std::size_t k = 0; k < 2; ++k) {
        const auto out = sample(turned, static_cast<double>(turned.times_s[k]), true);
        EXPECT_EQ(std::memcmp(out.data(), q.data() + 4 * k, 4 * sizeof(double)), 0) << k;
        const auto clamped = sample(turned, k == 0 ? -1.0 : 2.0, true);
        EXPECT_EQ(std::memcmp(clamped.data(), q.data() + 4 * k, 4 * sizeof(double)), 0) << k;
    }
}

TEST(Sampler, NegativeZeroInAKeyIsKept) {
    const Sampler s = make(Interpolation::Linear, {0, 1}, 1, {-0.0, 1});
    EXPECT_TRUE(std::signbit(value(s, 0)));
}

TEST(Sampler, LinearRotationIsASlerp) {
    // A third of 90 degrees. A normalised lerp would be at atan(sin 45 / (2 + cos 45)) = 14.64
    // degrees of half angle instead of 15.
    const auto q = sample(quarter_turn(Interpolation::Linear), 1.0 / 3, true);
    EXPECT_NEAR(q[2], std::sin(radians(15)), 1e-15);
    EXPECT_NEAR(q[3], std::cos(radians(15)), 1e-15);
}

TEST(Sampler, LinearRotationTakesTheShortWay) {
    Sampler s = quarter_turn(Interpolation::Linear);
    for (std::size_t i = 4; i < 8; ++i) s.values[i] = -s.values[i];
    const auto q = sample(s, 0.5, true);
    EXPECT_NEAR(std::fabs(q[2]), std::sin(radians(22.5)), 1e-15);
    EXPECT_NEAR(q[2] / q[3], std::tan(radians(22.5)), 1e-15);
    // The key itself keeps the sign that the file gave it.
    EXPECT_EQ(sample(s, 1, true)[2], s.values[6]);
}

TEST(Sampler, CubicRotationWithZeroTangentsIsHalfWayAndUnit) {
    // The Hermite spline at the middle is (a + b) / 2, of length cos 22.5 degrees = 0.924: without
    // the normalisation a turned mesh would shrink.
    const auto q = sample(quarter_turn(Interpolation::CubicSpline), 0.5, true);
    EXPECT_NEAR(q[2], std::sin(radians(22.5)), 1e-15);
    EXPECT_NEAR(q[3], std::cos(radians(22.5)), 1e-15);
}

TEST(Sampler, CubicRotationFlipsNoSign) {
    // From q to -q of a quarter turn: the spline passes through (1 - u) q - u q', the long way, as
    // appendix C has it for CUBICSPLINE. At the middle of 0 -> (negated 90 degrees) it is
    // ((0,0,0,1) - b) / 2, normalised: perpendicular to the short way's (a + b).
    Sampler s = quarter_turn(Interpolation::CubicSpline);
    for (std::size_t i = 16; i < 20; ++i) s.values[i] = -s.values[i];
    const auto q = sample(s, 0.5, true);
    EXPECT_NEAR(q[2], -std::cos(radians(22.5)), 1e-15);
    EXPECT_NEAR(q[3], std::sin(radians(22.5)), 1e-15);
}

TEST(Sampler, CubicSplineThroughZeroIsTheIdentityRotation) {
    // From q to -q with zero tangents: exactly no quaternion at the middle.
    const Sampler s =
        make(Interpolation::CubicSpline, {0, 1}, 4,
             {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(sample(s, 0.5, true), (std::vector<double>{0, 0, 0, 1}));
}

TEST(Sampler, CubicTangentsAreScaledByTheKeyInterval) {
    // Keys at 1 and 5 s, both 0, out-tangent 3 per second, in-tangent -1 per second. At the middle
    // h10 = 1/8 and h11 = -1/8, so the value is 4 * (3 / 8 + 1 / 8) = 2.
    const Sampler s = make(Interpolation::CubicSpline, {1, 5}, 1, {99, 0, 3, -1, 0, 99});
    EXPECT_DOUBLE_EQ(value(s, 3), 2);
}

TEST(Sampler, CubicIsTheHermitePolynomial) {
    // Values 2 and 10, tangents 0: 2 + 8 (3 u^2 - 2 u^3); at u = 1/4, 2 + 8 * 5 / 32 = 3.25.
    const Sampler s = make(Interpolation::CubicSpline, {0, 2}, 1, {0, 2, 0, 0, 10, 0});
    EXPECT_DOUBLE_EQ(value(s, 0.5), 3.25);
    EXPECT_DOUBLE_EQ(value(s, 1), 6);
}

TEST(Sampler, CubicReproducesACubic) {
    // f(t) = t^3 - 2 t^2 + 3 with its own slopes as tangents, on uneven keys, is f everywhere.
    const auto f = [](double t) { return t * t * t - 2 * t * t + 3; };
    const auto slope = [](double t) { return 3 * t * t - 4 * t; };
    std::vector<double> values;
    const std::vector<float> times{-1, 0.5, 0.75, 4};
    for (const float t : times) {
        const auto d = static_cast<double>(t);
        values.insert(values.end(), {slope(d), f(d), slope(d)});
    }
    const Sampler s = make(Interpolation::CubicSpline, times, 1, values);
    for (double t = -1; t <= 4; t += 0.0625) EXPECT_NEAR(value(s, t), f(t), 1e-13) << t;
}

TEST(Sampler, OfTwoKeysAtOneTimeTheLaterHolds) {
    // A jump, as exporters write it: 0 -> 1 over the first second, 5 -> 6 over the next.
    const Sampler linear = make(Interpolation::Linear, {0, 1, 1, 2}, 1, {0, 1, 5, 6});
    EXPECT_EQ(value(linear, 0.5), 0.5);
    EXPECT_NEAR(value(linear, static_cast<double>(std::nextafter(1.0F, 0.0F))), 1, 1e-6);
    EXPECT_EQ(value(linear, 1), 5);
    EXPECT_EQ(value(linear, 1.5), 5.5);
    EXPECT_EQ(value(make(Interpolation::Step, {0, 1, 1, 2}, 1, {0, 1, 5, 6}), 1), 5);
    EXPECT_EQ(value(make(Interpolation::Linear, {0, 1, 1}, 1, {0, 1, 5}), 7), 5);
}

TEST(Sampler, ARotationKeyOffUnitIsNormalisedAndOneWithinRoundingIsNot) {
    const Sampler two = make(Interpolation::Linear, {0, 1}, 4, {0, 0, 0, 2, 0, 0, 2, 2});
    EXPECT_EQ(sample(two, 0, true), (std::vector<double>{0, 0, 0, 1}));
    EXPECT_NEAR(sample(two, 1, true)[2], std::sqrt(0.5), 1e-15);
    EXPECT_NEAR(sample(two, 0.5, true)[2], std::sin(radians(22.5)), 1e-15);
    const double nearly = 1 + 4e-7;  // length^2 - 1 is 8e-7
    const Sampler close = make(Interpolation::Step, {0}, 4, {0, 0, 0, nearly});
    EXPECT_EQ(sample(close, 0, true)[3], nearly);
    // A scale is no rotation.
    EXPECT_EQ(sample(two, 0)[3], 2);
}

TEST(Sampler, SeveralComponentsDoNotMix) {
    const Sampler s = make(Interpolation::Linear, {0, 1}, 3, {0, 10, 20, 1, 20, 40});
    EXPECT_EQ(sample(s, 0.5), (std::vector<double>{0.5, 15, 30}));
    const Sampler c =
        make(Interpolation::CubicSpline, {0, 1}, 2, {0, 0, 1, 2, 8, 16, 0, 0, 1, 2, 0, 0});
    // h10(1/2) = 1/8: out-tangents 8 and 16 add 1 and 2 to the constants 1 and 2.
    EXPECT_EQ(sample(c, 0.5), (std::vector<double>{2, 4}));
}

TEST(Sampler, EverySpanOfManyKeysIsFound) {
    std::vector<float> times;
    std::vector<double> values;
    for (int k = 0; k < 1000; ++k) {
        times.push_back(static_cast<float>(k) * 0.5F);
        values.push_back(k);
    }
    const Sampler linear = make(Interpolation::Linear, times, 1, values);
    const Sampler step = make(Interpolation::Step, times, 1, values);
    for (int k = 0; k < 999; ++k) {
        EXPECT_EQ(value(linear, k * 0.5), k);
        EXPECT_EQ(value(linear, k * 0.5 + 0.25), k + 0.5);
        EXPECT_EQ(value(step, k * 0.5 + 0.25), k);
    }
}

TEST(Sampler, NoStateIsLeftBetweenEvaluations) {
    const Sampler s = quarter_turn(Interpolation::CubicSpline);
    const auto alone = sample(s, 0.3, true);
    for (const double other : {0.9, 0.0, 0.5, 1.0, -3.0}) {
        (void)sample(s, other, true);
        EXPECT_EQ(sample(s, 0.3, true), alone);
    }
}

double resampled(const Sampler& sampler, double time_s, double rate_hz, double end_s) {
    std::vector<double> out(1), scratch(1);
    sample_resampled(sampler, time_s, false, rate_hz, end_s, out, scratch);
    return out[0];
}

TEST(Resampling, CutsTheCornerOfAKeyBetweenGridPoints) {
    // A peak of 1 at 0.5 s between zeros at 0 and 1; a grid of 1 Hz never sees it.
    const Sampler s = make(Interpolation::Linear, {0, 0.5, 1}, 1, {0, 1, 0});
    EXPECT_EQ(resampled(s, 0.5, 1, 1), 0);
    EXPECT_EQ(resampled(s, 0.5, 2, 1), 1);
    // At 4 Hz 0.3 lies between 0.6 (exactly 0.5) at 0.25 and 1 at 0.5: as exact as the segment.
    EXPECT_NEAR(resampled(s, 0.3, 4, 1), 0.6, 1e-15);
}

TEST(Resampling, SmearsAStepOverOneGridInterval) {
    // STEP 1 -> 3 on 1 s; at 2 Hz the grid has 1 at 0.5 s and 3 at 1 s: 2 half-way between.
    const Sampler s = make(Interpolation::Step, {0, 1, 2}, 1, {1, 3, 3});
    EXPECT_NEAR(resampled(s, 0.75, 2, 2), 2, 1e-15);
    EXPECT_EQ(resampled(s, 0.5, 2, 2), 1);
    EXPECT_EQ(resampled(s, 1.0, 2, 2), 3);
}

TEST(Resampling, TheClipsEndClosesTheGrid) {
    // Grid of 2 Hz over a clip of 0.8 s: 0, 0.5, then the end 0.8. f = t on LINEAR keys 0 and 0.8
    // but STEP at 0.7: value 0 before, 1 from 0.7. Half-way from 0.5 to 0.8 (0.65) the bake shows
    // 1/2.
    const Sampler s = make(Interpolation::Step, {0, 0.7F, 0.8F}, 1, {0, 1, 1});
    const auto end = static_cast<double>(0.8F);
    EXPECT_NEAR(resampled(s, (0.5 + end) / 2, 2, end), 0.5, 1e-12);
    EXPECT_EQ(resampled(s, end, 2, end), 1);
    EXPECT_EQ(resampled(s, 5, 2, end), 1);
}

TEST(Resampling, AShorterChannelHoldsItsLastKeyToTheClipsEnd) {
    const Sampler s = make(Interpolation::Linear, {0, 0.5}, 1, {0, 1});
    EXPECT_EQ(resampled(s, 1.75, 1, 2), 1);
}

TEST(Resampling, RotationsAreSlerpedBetweenGridPoints) {
    std::vector<double> out(4), scratch(4);
    sample_resampled(quarter_turn(Interpolation::Linear), 0.25, true, 1, 1, out, scratch);
    EXPECT_NEAR(out[2], std::sin(radians(11.25)), 1e-15);
    EXPECT_NEAR(out[3], std::cos(radians(11.25)), 1e-15);
}

}  // namespace
}  // namespace skinpose::test
