#include <algorithm>
#include <cmath>

#include "skinpose/skinning.h"

namespace skinpose {

SkinningReport& SkinningReport::operator+=(const SkinningReport& other) {
    singular_normal_matrices += other.singular_normal_matrices;
    antipodal_flips += other.antipodal_flips;
    ambiguous_flips += other.ambiguous_flips;
    unweighted_vertices += other.unweighted_vertices;
    return *this;
}

namespace {

/// v at unit length, whatever its scale; left as it is where it has no direction.
Vec3 unit_vector(const Vec3& v) {
    if (std::fabs(dot3(v, v) - 1.0) <= kUnitLengthTolerance) return v;
    const double largest = std::max({std::fabs(v[0]), std::fabs(v[1]), std::fabs(v[2])});
    if (!(largest > 0.0) || length3(v) < kLeastLength) return v;
    const Vec3 s(v[0] / largest, v[1] / largest, v[2] / largest);
    const double n = length3(s);
    return Vec3(s[0] / n, s[1] / n, s[2] / n);
}

Vec3 times(const Mat3& m, const Vec3& v) {
    return Vec3(m(0, 0) * v[0] + m(0, 1) * v[1] + m(0, 2) * v[2],
                m(1, 0) * v[0] + m(1, 1) * v[1] + m(1, 2) * v[2],
                m(2, 0) * v[0] + m(2, 1) * v[1] + m(2, 2) * v[2]);
}

Mat3 upper3(const Mat4& m) {
    Mat3 r;
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c) r(i, c) = m(i, c);
    return r;
}

/// The exact normal under a 3x3: its cofactors times the sign of its determinant, not yet of unit
/// length. Brought to the matrix's own scale first, so that only its shape decides.
struct NormalMatrix {
    Vec3 c0, c1, c2;  // columns over the largest one's length
    double scale = 0.0;
    double determinant = 0.0;
    bool singular = false;

    explicit NormalMatrix(const Mat3& m) {
        c0 = Vec3(m(0, 0), m(1, 0), m(2, 0));
        c1 = Vec3(m(0, 1), m(1, 1), m(2, 1));
        c2 = Vec3(m(0, 2), m(1, 2), m(2, 2));
        scale = std::max({length3(c0), length3(c1), length3(c2)});
        if (scale > 0.0)
            for (Vec3* c : {&c0, &c1, &c2})
                *c = Vec3((*c)[0] / scale, (*c)[1] / scale, (*c)[2] / scale);
        determinant = dot3(c0, cross3(c1, c2));
        singular = std::fabs(determinant) <=
                   kSingularDeterminant * length3(c0) * length3(c1) * length3(c2);
    }

    [[nodiscard]] bool mirrors() const { return !singular && determinant < 0.0; }

    [[nodiscard]] Vec3 plain(const Vec3& n) const {
        return Vec3(c0[0] * n[0] + c1[0] * n[1] + c2[0] * n[2],
                    c0[1] * n[0] + c1[1] * n[1] + c2[1] * n[2],
                    c0[2] * n[0] + c1[2] * n[1] + c2[2] * n[2]);
    }

    [[nodiscard]] Vec3 transform(const Vec3& n) const {
        const Vec3 k0 = cross3(c1, c2), k1 = cross3(c2, c0), k2 = cross3(c0, c1);
        const double sign = determinant < 0.0 ? -1.0 : 1.0;
        const Vec3 v(sign * (k0[0] * n[0] + k1[0] * n[1] + k2[0] * n[2]),
                     sign * (k0[1] * n[0] + k1[1] * n[1] + k2[1] * n[2]),
                     sign * (k0[2] * n[0] + k1[2] * n[1] + k2[2] * n[2]));
        if (!singular || length3(v) > kLeastCofactor) return v;
        const Vec3 p = plain(n);
        return length3(p) > kLeastLength ? p : n;
    }
};

/// Everything a vertex is transformed by: p' = frame * (shape * p) + translation. Linear blend has
/// its blended 3x3 in `shape`; dual quaternions the blended residual, with the rotation in `frame`.
struct VertexTransform {
    Mat3 frame = Mat3::Identity();
    Mat3 shape = Mat3::Identity();
    Vec3 translation = Vec3::Zero();
};

VertexTransform affine_transform(const Mat4& m) {
    VertexTransform x;
    x.shape = upper3(m);
    x.translation = column(m, 3);
    return x;
}

VertexTransform blend_linear(const SkinJob& job, std::size_t vertex) {
    Mat4 sum = Mat4::Zero();
    for (std::size_t k = 0; k < job.width; ++k) {
        const std::size_t slot = vertex * job.width + k;
        const double w = static_cast<double>(job.weights[slot]);
        if (w == 0.0) continue;
        const Mat4& m = job.palette->exact[job.joints[slot]];
        for (Eigen::Index i = 0; i < 16; ++i) sum.data()[i] += w * m.data()[i];
    }
    return affine_transform(sum);
}

/// Kavan et al. 2008 with the residual of split_rigid blended beside it.
VertexTransform blend_dual(const SkinJob& job, std::size_t vertex, SkinningReport& report) {
    const DualQuaternionPalette& palette = *job.dual_palette;
    const auto& pivot = palette.exact[job.joints[vertex * job.width]].real;
    Vec4 r = Vec4::Zero(), d = Vec4::Zero();
    Mat3 s = Mat3::Zero();
    for (std::size_t k = 0; k < job.width; ++k) {
        const std::size_t slot = vertex * job.width + k;
        const double w = static_cast<double>(job.weights[slot]);
        if (w == 0.0) continue;
        const auto& q = palette.exact[job.joints[slot]];
        const double dot = dot4(pivot, q.real);
        const double signed_w = dot < 0.0 ? -w : w;
        if (dot < 0.0) ++report.antipodal_flips;
        if (std::fabs(dot) < kAmbiguousDot) ++report.ambiguous_flips;
        for (std::size_t i = 0; i < 4; ++i) {
            r[static_cast<int>(i)] += signed_w * q.real[i];
            d[static_cast<int>(i)] += signed_w * q.dual[i];
        }
        for (int i = 0; i < 9; ++i) s(i / 3, i % 3) += w * q.residual[static_cast<std::size_t>(i)];
    }
    const double squared = dot4(r, r);
    if (squared < kLeastDualLengthSquared) {
        r = Vec4(0, 0, 0, 1);
        d = Vec4::Zero();
    } else {
        const double length = std::sqrt(squared);
        for (int i = 0; i < 4; ++i) {
            r[i] /= length;
            d[i] /= length;
        }
        const double along = dot4(r, d);
        for (int i = 0; i < 4; ++i) d[i] -= r[i] * along;
    }
    VertexTransform x;
    x.frame = upper3(compose_trs(Vec3::Zero(), r, Vec3::Ones()));
    if (palette.has_residual) x.shape = s;
    // Vector part of 2 d conj(r).
    x.translation = Vec3(2.0 * (-d[3] * r[0] + d[0] * r[3] - d[1] * r[2] + d[2] * r[1]),
                         2.0 * (-d[3] * r[1] + d[1] * r[3] - d[2] * r[0] + d[0] * r[2]),
                         2.0 * (-d[3] * r[2] + d[2] * r[3] - d[0] * r[1] + d[1] * r[0]));
    return x;
}

Vec4 transform_tangent(const VertexTransform& x, const Vec4f& tangent, const Vec3& normal,
                       bool mirrors) {
    const Vec3 in(static_cast<double>(tangent[0]), static_cast<double>(tangent[1]),
                  static_cast<double>(tangent[2]));
    Vec3 t = unit_vector(times(x.frame, times(x.shape, in)));
    const double along = dot3(normal, t);
    t = unit_vector(
        Vec3(t[0] - normal[0] * along, t[1] - normal[1] * along, t[2] - normal[2] * along));
    const double w = static_cast<double>(tangent[3]);
    return Vec4(t[0], t[1], t[2], mirrors ? -w : w);
}

void apply(const VertexTransform& x, const SkinJob& job, std::size_t v,
           const SkinOutput<double>& out, SkinningReport& report) {
    const Vec3 p = job.positions[v].cast<double>();
    const Vec3 q = times(x.frame, times(x.shape, p));
    out.positions[v] =
        Vec3(q[0] + x.translation[0], q[1] + x.translation[1], q[2] + x.translation[2]);
    if (job.normals.empty() && out.mirrored.empty()) return;
    const NormalMatrix matrix(x.shape);
    if (!out.mirrored.empty()) out.mirrored[v] = matrix.mirrors() ? 1 : 0;
    if (job.normals.empty()) return;
    if (matrix.singular && !job.fast_normals) ++report.singular_normal_matrices;
    const Vec3 n = job.normals[v].cast<double>();
    out.normals[v] =
        unit_vector(times(x.frame, job.fast_normals ? matrix.plain(n) : matrix.transform(n)));
    if (!job.tangents.empty())
        out.tangents[v] = transform_tangent(x, job.tangents[v], out.normals[v], matrix.mirrors());
}

void copy_vertex(const SkinJob& job, std::size_t v, const SkinOutput<double>& out) {
    out.positions[v] = job.positions[v].cast<double>();
    if (!job.normals.empty()) out.normals[v] = unit_vector(job.normals[v].cast<double>());
    if (!job.tangents.empty()) out.tangents[v] = job.tangents[v].cast<double>();
    if (!out.mirrored.empty()) out.mirrored[v] = 0;
}

}  // namespace

SkinningReport skin_reference(const SkinJob& job, const SkinOutput<double>& out) {
    SkinningReport report;
    const bool stays = job.unweighted == Mat4::Identity();
    const VertexTransform unweighted = affine_transform(job.unweighted);
    for (std::size_t v = 0; v < job.positions.size(); ++v) {
        if (job.width == 0 || job.weights[v * job.width] == 0.0f) {
            ++report.unweighted_vertices;
            if (stays)
                copy_vertex(job, v, out);
            else
                apply(unweighted, job, v, out, report);
        } else if (job.method == SkinMethod::LinearBlend) {
            apply(blend_linear(job, v), job, v, out, report);
        } else {
            apply(blend_dual(job, v, report), job, v, out, report);
        }
    }
    return report;
}

}  // namespace skinpose
