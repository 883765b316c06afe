#include "skinpose/dual_quaternion.h"

#include <algorithm>
#include <cmath>

namespace skinpose {

namespace {

constexpr double kDegenerateColumn = 1e-6;  // of the largest column
constexpr double kRigidTolerance = 1e-5;    // max |S - I|
// Skipping a residual moves a vertex by about this share of the rig's size: less than float
// skinning itself does. 1e-5 would be more than the accuracy promised (docs/accuracy.md).
constexpr double kNegligibleResidual = 5e-7;

struct Basis {
    Vec3 r0, r1, r2;
};

Vec3 scaled(const Vec3& v, double s) { return Vec3(v[0] * s, v[1] * s, v[2] * s); }

Vec3 without(const Vec3& v, const Vec3& unit) {
    const double along = dot3(unit, v);
    return Vec3(v[0] - unit[0] * along, v[1] - unit[1] * along, v[2] - unit[2] * along);
}

/// False where the columns have no usable basis.
bool orthonormal_basis(const Vec3& m0, const Vec3& m1, const Vec3& m2, Basis& basis) {
    const double largest = std::max({length3(m0), length3(m1), length3(m2)});
    const double n0 = length3(m0);
    if (!(n0 > kDegenerateColumn * largest)) return false;
    basis.r0 = scaled(m0, 1.0 / n0);
    Vec3 r1 = without(m1, basis.r0);
    const double n1 = length3(r1);
    if (!(n1 > kDegenerateColumn * largest)) return false;
    // Once more: the first subtraction leaves a part along r0 when m0 and m1 are nearly parallel.
    r1 = without(scaled(r1, 1.0 / n1), basis.r0);
    basis.r1 = scaled(r1, 1.0 / length3(r1));
    basis.r2 = cross3(basis.r0, basis.r1);
    return true;
}

/// Shepperd's method: divide by the largest of the four components. x y z w, w >= 0.
Vec4 quaternion_of(const Basis& b) {
    const double m00 = b.r0[0], m10 = b.r0[1], m20 = b.r0[2];
    const double m01 = b.r1[0], m11 = b.r1[1], m21 = b.r1[2];
    const double m02 = b.r2[0], m12 = b.r2[1], m22 = b.r2[2];
    const double trace = m00 + m11 + m22;
    Vec4 q;
    if (trace >= m00 && trace >= m11 && trace >= m22)
        q = Vec4(m21 - m12, m02 - m20, m10 - m01, 1.0 + trace);
    else if (m00 >= m11 && m00 >= m22)
        q = Vec4(1.0 + m00 - m11 - m22, m01 + m10, m02 + m20, m21 - m12);
    else if (m11 >= m22)
        q = Vec4(m01 + m10, 1.0 + m11 - m00 - m22, m12 + m21, m02 - m20);
    else
        q = Vec4(m02 + m20, m12 + m21, 1.0 + m22 - m00 - m11, m10 - m01);
    q = normalized_rotation(q);
    return q[3] < 0.0 ? Vec4(-q[0], -q[1], -q[2], -q[3]) : q;
}

double distance_from_identity(const Mat3& s) {
    double worst = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c)
            worst = std::max(worst, std::fabs(s(i, c) - (i == c ? 1.0 : 0.0)));
    return worst;
}

DualQuaternion<double> dual_quaternion_of(const RigidSplit& split) {
    const Vec4& q = split.rotation;
    const Vec3& t = split.translation;
    DualQuaternion<double> dq;
    for (int i = 0; i < 4; ++i) dq.real[static_cast<std::size_t>(i)] = q[i];
    dq.dual = {0.5 * (t[0] * q[3] + t[1] * q[2] - t[2] * q[1]),
               0.5 * (t[1] * q[3] + t[2] * q[0] - t[0] * q[2]),
               0.5 * (t[2] * q[3] + t[0] * q[1] - t[1] * q[0]),
               -0.5 * (t[0] * q[0] + t[1] * q[1] + t[2] * q[2])};
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c)
            dq.residual[static_cast<std::size_t>(3 * i + c)] = split.residual(i, c);
    return dq;
}

template <std::size_t N>
void round_each(const std::array<double, N>& from, std::array<float, N>& to) {
    for (std::size_t i = 0; i < N; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace

RigidSplit split_rigid(const Mat4& m) {
    const Vec3 m0 = column(m, 0), m1 = column(m, 1), m2 = column(m, 2);
    RigidSplit split;
    split.translation = column(m, 3);
    Basis b;
    if (!orthonormal_basis(m0, m1, m2, b)) {
        split.rotation = Vec4(0, 0, 0, 1);
        for (int i = 0; i < 3; ++i)
            for (int c = 0; c < 3; ++c) split.residual(i, c) = m(i, c);
    } else {
        split.rotation = quaternion_of(b);
        // S = R^T M is upper triangular by construction; what rounding leaves below is dropped.
        split.residual << dot3(b.r0, m0), dot3(b.r0, m1), dot3(b.r0, m2),  //
            0.0, dot3(b.r1, m1), dot3(b.r1, m2),                           //
            0.0, 0.0, dot3(b.r2, m2);
    }
    split.residual_size = distance_from_identity(split.residual);
    split.rigid = split.residual_size <= kRigidTolerance;
    return split;
}

DualQuaternionPalette make_dual_palette(std::size_t joint_count) {
    DualQuaternionPalette palette;
    palette.exact.resize(joint_count);
    palette.rounded.resize(joint_count);
    return palette;
}

void split_palette(const JointPalette& palette, DualQuaternionPalette& out) {
    out.non_rigid_joints = 0;
    out.has_residual = false;
    for (std::size_t j = 0; j < palette.exact.size(); ++j) {
        const RigidSplit split = split_rigid(palette.exact[j]);
        if (!split.rigid) ++out.non_rigid_joints;
        out.has_residual |= split.residual_size > kNegligibleResidual;
        out.exact[j] = dual_quaternion_of(split);
        round_each(out.exact[j].real, out.rounded[j].real);
        round_each(out.exact[j].dual, out.rounded[j].dual);
        round_each(out.exact[j].residual, out.rounded[j].residual);
    }
}

}  // namespace skinpose
