#pragma once

#include <Eigen/Core>

#include <cmath>

/// Types, and the few products whose order of operations must not depend on compiler, build type or
/// CPU. Eigen holds the numbers; its own products, norms and dot products are not used on the way
/// to a result, because it vectorises (and fuses) them differently under different compiler flags.
/// For the same reason the fixed-size types that Eigen would over-align are declared unaligned: a
/// library built for SSE2 and a caller built for AVX then agree on their layout.
namespace skinpose {

using Vec3 = Eigen::Matrix<double, 3, 1, Eigen::DontAlign>;
using Vec4 = Eigen::Matrix<double, 4, 1, Eigen::DontAlign>;  ///< quaternions are x y z w
using Mat3 = Eigen::Matrix<double, 3, 3, Eigen::DontAlign>;
using Mat4 = Eigen::Matrix<double, 4, 4, Eigen::DontAlign>;
using Vec2f = Eigen::Matrix<float, 2, 1, Eigen::DontAlign>;
using Vec3f = Eigen::Matrix<float, 3, 1, Eigen::DontAlign>;
using Vec4f = Eigen::Matrix<float, 4, 1, Eigen::DontAlign>;

template <typename V>
auto dot3(const V& a, const V& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <typename V>
auto dot4(const V& a, const V& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

template <typename V>
V cross3(const V& a, const V& b) {
    return V(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

template <typename V>
auto length3(const V& a) {
    return std::sqrt(dot3(a, a));
}

/// Column `c` of the upper 3x3.
inline Vec3 column(const Mat4& m, int c) { return Vec3(m(0, c), m(1, c), m(2, c)); }

/// Every element is a finite number.
template <typename M>
bool all_finite(const M& m) {
    for (Eigen::Index i = 0; i < m.size(); ++i)
        if (!std::isfinite(m.data()[i])) return false;
    return true;
}

/// a * b, sums left to right.
Mat4 multiply(const Mat4& a, const Mat4& b);

/// m * (p, 1), upper three rows, sums left to right.
Vec3 transform_point(const Mat4& m, const Vec3& p);

/// Determinant of the upper 3x3: m0 . (m1 x m2) of its columns.
double determinant3(const Mat4& m);

/// translation * rotation * scale. `rotation` (x y z w) need not be of unit length: the matrix is
/// that of the normalised quaternion, and exactly the identity for (0, 0, 0, 1).
Mat4 compose_trs(const Vec3& translation, const Vec4& rotation, const Vec3& scale);

/// a + (b - a) * u written as a * (1 - u) + b * u, exact at both ends.
inline double lerp(double a, double b, double u) { return a * (1.0 - u) + b * u; }

/// Spherical interpolation between unit quaternions (x y z w), the short way: one sign is flipped
/// when their dot product is negative. Unit length. glTF 2.0 appendix C.4; the angle is taken from
/// the chord, which stays accurate where arccos(dot) does not. Where both ends coincide it is a
/// lerp.
Vec4 slerp(const Vec4& a, const Vec4& b, double u);

/// q / |q|. A quaternion shorter than 1e-12 (a spline through zero) has no direction: identity.
Vec4 normalized_rotation(const Vec4& q);

/// sin(x) for |x| <= pi/2 and arcsin(x) for |x| <= 1, in plain IEEE additions, multiplications,
/// divisions and square roots, so that every machine gives the same bits (libm picks its routine by
/// CPU). Within 4 units in the last place of the true value; the tests measure it against libm.
double sine(double x);
double arc_sine(double x);

/// pi/2 - arc_sine(x), taken from the half angle near 1 where the difference would cancel.
double arc_cosine(double x);

}  // namespace skinpose
