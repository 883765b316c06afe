#include "skinpose/math.h"

#include <algorithm>
#include <array>

namespace skinpose {

namespace {

constexpr double kHalfPi = 1.5707963267948966;         // pi / 2, rounded
constexpr double kHalfPiRest = 6.123233995736766e-17;  // what the rounding left over

/// Taylor coefficients of sin(x) / x in powers of x^2: (-1)^k / (2k + 1)!. The first one left out
/// is below 2e-18 of the result for |x| <= pi / 2.
constexpr std::array<double, 12> sine_coefficients() {
    std::array<double, 12> c{};
    double factorial = 1.0;
    for (std::size_t k = 0; k < c.size(); ++k) {
        if (k > 0) factorial *= static_cast<double>((2 * k) * (2 * k + 1));
        c[k] = (k % 2 == 0 ? 1.0 : -1.0) / factorial;
    }
    return c;
}

/// Taylor coefficients of arcsin(y) / y in powers of y^2: (2k)! / (4^k k!^2 (2k + 1)). The first
/// one left out is below 1e-18 of the result for |y| <= sin(pi / 8).
constexpr std::array<double, 21> arc_sine_coefficients() {
    std::array<double, 21> c{};
    double a = 1.0;
    for (std::size_t k = 0; k < c.size(); ++k) {
        if (k > 0) a *= static_cast<double>(2 * k - 1) / static_cast<double>(2 * k);
        c[k] = a / static_cast<double>(2 * k + 1);
    }
    return c;
}

/// x + x * (c1 * s + c2 * s^2 + ...), s = x^2; the large term is added last.
template <std::size_t N>
double odd_series(const std::array<double, N>& c, double x) {
    const double s = x * x;
    double sum = 0.0;
    for (std::size_t k = N - 1; k > 0; --k) sum = (sum + c[k]) * s;
    return x + x * sum;
}

/// arcsin for 0 <= x <= 0.71: the sine of half the angle, then the series.
double arc_sine_by_half(double x) {
    static constexpr auto kCoefficients = arc_sine_coefficients();
    const double cosine = std::sqrt((1.0 - x) * (1.0 + x));
    const double half = x / std::sqrt(2.0 * (1.0 + cosine));
    return 2.0 * odd_series(kCoefficients, half);
}

Vec4 weighted_sum(const Vec4& a, double wa, const Vec4& b, double wb) {
    return Vec4(a[0] * wa + b[0] * wb, a[1] * wa + b[1] * wb, a[2] * wa + b[2] * wb,
                a[3] * wa + b[3] * wb);
}

}  // namespace

Mat4 multiply(const Mat4& a, const Mat4& b) {
    Mat4 r;
    for (int c = 0; c < 4; ++c)
        for (int i = 0; i < 4; ++i)
            r(i, c) = a(i, 0) * b(0, c) + a(i, 1) * b(1, c) + a(i, 2) * b(2, c) + a(i, 3) * b(3, c);
    return r;
}

Vec3 transform_point(const Mat4& m, const Vec3& p) {
    Vec3 r;
    for (int i = 0; i < 3; ++i) r[i] = m(i, 0) * p[0] + m(i, 1) * p[1] + m(i, 2) * p[2] + m(i, 3);
    return r;
}

double determinant3(const Mat4& m) {
    return dot3(column(m, 0), cross3(column(m, 1), column(m, 2)));
}

Mat4 compose_trs(const Vec3& translation, const Vec4& q, const Vec3& scale) {
    // 2 / |q|^2 instead of 2: a key that is a rounding away from unit length stays as it is, and
    // its matrix is a rotation all the same.
    const double s = 2.0 / dot4(q, q);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    Mat4 m;
    m(0, 0) = (1.0 - s * (y * y + z * z)) * scale[0];
    m(1, 0) = s * (x * y + z * w) * scale[0];
    m(2, 0) = s * (x * z - y * w) * scale[0];
    m(0, 1) = s * (x * y - z * w) * scale[1];
    m(1, 1) = (1.0 - s * (x * x + z * z)) * scale[1];
    m(2, 1) = s * (y * z + x * w) * scale[1];
    m(0, 2) = s * (x * z + y * w) * scale[2];
    m(1, 2) = s * (y * z - x * w) * scale[2];
    m(2, 2) = (1.0 - s * (x * x + y * y)) * scale[2];
    for (int i = 0; i < 3; ++i) {
        m(i, 3) = translation[i];
        m(3, i) = 0.0;
    }
    m(3, 3) = 1.0;
    return m;
}

Vec4 normalized_rotation(const Vec4& q) {
    const double length = std::sqrt(dot4(q, q));
    if (length < 1e-12) return Vec4(0, 0, 0, 1);
    return Vec4(q[0] / length, q[1] / length, q[2] / length, q[3] / length);
}

Vec4 slerp(const Vec4& a, const Vec4& b, double u) {
    const double sign = dot4(a, b) < 0.0 ? -1.0 : 1.0;
    const Vec4 chord = weighted_sum(a, 1.0, b, -sign);
    const double half_chord = std::min(0.5 * std::sqrt(dot4(chord, chord)), 1.0);
    const double angle = 2.0 * arc_sine(half_chord);
    if (angle < 1e-12) return normalized_rotation(weighted_sum(a, 1.0 - u, b, sign * u));
    const double s = sine(angle);
    const double wa = sine((1.0 - u) * angle) / s, wb = sign * sine(u * angle) / s;
    return normalized_rotation(weighted_sum(a, wa, b, wb));
}

double sine(double x) {
    static constexpr auto kCoefficients = sine_coefficients();
    return odd_series(kCoefficients, x);
}

double arc_sine(double x) {
    const double a = std::fabs(x);
    double r;
    if (a <= 0.71)
        r = arc_sine_by_half(a);
    else
        r = kHalfPi - (2.0 * arc_sine_by_half(std::sqrt(0.5 * (1.0 - a))) - kHalfPiRest);
    return x < 0.0 ? -r : r;
}

double arc_cosine(double x) {
    if (x > 0.5) return 2.0 * arc_sine_by_half(std::sqrt(0.5 * (1.0 - x)));
    if (x < -0.5) {
        const double rest = 2.0 * arc_sine_by_half(std::sqrt(0.5 * (1.0 + x)));
        return 2.0 * kHalfPi - (rest - 2.0 * kHalfPiRest);
    }
    return kHalfPi - (arc_sine(x) - kHalfPiRest);
}

}  // namespace skinpose
