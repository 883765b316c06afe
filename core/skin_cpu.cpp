#include <algorithm>
#include <array>
#include <cmath>

#include "skinpose/skinning.h"

namespace skinpose {

namespace {

using Matrix3f = std::array<float, 9>;  // row-major

constexpr float kSingular = static_cast<float>(kSingularDeterminant);
constexpr float kCofactor = static_cast<float>(kLeastCofactor);
constexpr float kLength = static_cast<float>(kLeastLength);
constexpr float kUnit = static_cast<float>(kUnitLengthTolerance);
constexpr float kAmbiguous = static_cast<float>(kAmbiguousDot);
constexpr float kLeastSquared = static_cast<float>(kLeastDualLengthSquared);

Vec3f times(const Matrix3f& m, const Vec3f& v) {
    return Vec3f(m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
                 m[6] * v[0] + m[7] * v[1] + m[8] * v[2]);
}

Matrix3f upper3(const Affine3f& m) {
    return {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]};
}

/// v at unit length, whatever its scale; left as it is where it has no direction.
Vec3f unit_vector(const Vec3f& v) {
    if (std::fabs(dot3(v, v) - 1.0f) <= kUnit) return v;
    const float largest = std::max({std::fabs(v[0]), std::fabs(v[1]), std::fabs(v[2])});
    if (!(largest >= kLength)) return v;
    const Vec3f s(v[0] / largest, v[1] / largest, v[2] / largest);
    const float n = length3(s);
    return Vec3f(s[0] / n, s[1] / n, s[2] / n);
}

struct NormalMatrix {
    Vec3f c0, c1, c2;  // columns over the largest element: no product can leave the floats
    float determinant;
    bool singular;

    explicit NormalMatrix(const Matrix3f& m)
        : c0(m[0], m[3], m[6]), c1(m[1], m[4], m[7]), c2(m[2], m[5], m[8]) {
        float scale = 0.0f;
        for (const float x : m) scale = std::max(scale, std::fabs(x));
        if (scale > 0.0f)
            for (Vec3f* c : {&c0, &c1, &c2})
                *c = Vec3f((*c)[0] / scale, (*c)[1] / scale, (*c)[2] / scale);
        determinant = dot3(c0, cross3(c1, c2));
        singular = std::fabs(determinant) <= kSingular * length3(c0) * length3(c1) * length3(c2);
    }

    [[nodiscard]] bool mirrors() const { return !singular && determinant < 0.0f; }

    [[nodiscard]] Vec3f plain(const Vec3f& n) const {
        return Vec3f(c0[0] * n[0] + c1[0] * n[1] + c2[0] * n[2],
                     c0[1] * n[0] + c1[1] * n[1] + c2[1] * n[2],
                     c0[2] * n[0] + c1[2] * n[1] + c2[2] * n[2]);
    }

    [[nodiscard]] Vec3f transform(const Vec3f& n) const {
        const Vec3f k0 = cross3(c1, c2), k1 = cross3(c2, c0), k2 = cross3(c0, c1);
        const float sign = determinant < 0.0f ? -1.0f : 1.0f;
        const Vec3f v(sign * (k0[0] * n[0] + k1[0] * n[1] + k2[0] * n[2]),
                      sign * (k0[1] * n[0] + k1[1] * n[1] + k2[1] * n[2]),
                      sign * (k0[2] * n[0] + k1[2] * n[1] + k2[2] * n[2]));
        if (!singular) return v;
        const float largest = std::max({length3(c0), length3(c1), length3(c2)});
        if (length3(v) > kCofactor * largest * largest) return v;
        const Vec3f p = plain(n);
        return length3(p) > kLength ? p : n;
    }
};

/// p' = frame * (shape * p) + translation; `framed` false means that frame is the identity.
struct VertexTransform {
    Matrix3f frame{1, 0, 0, 0, 1, 0, 0, 0, 1};
    Matrix3f shape{1, 0, 0, 0, 1, 0, 0, 0, 1};
    Vec3f translation = Vec3f::Zero();
    bool framed = false, shaped = true;

    [[nodiscard]] Vec3f direction(const Vec3f& v) const {
        const Vec3f s = shaped ? times(shape, v) : v;
        return framed ? times(frame, s) : s;
    }
};

VertexTransform affine_transform(const Affine3f& m) {
    VertexTransform x;
    x.shape = upper3(m);
    x.translation = Vec3f(m[3], m[7], m[11]);
    return x;
}

VertexTransform blend_linear(const SkinJob& job, std::size_t vertex) {
    const std::size_t first = vertex * job.width;
    Affine3f sum;
    const Affine3f& m0 = job.palette->rounded[job.joints[first]];
    for (std::size_t i = 0; i < 12; ++i) sum[i] = job.weights[first] * m0[i];
    for (std::size_t k = 1; k < job.width; ++k) {
        const float w = job.weights[first + k];
        const Affine3f& m = job.palette->rounded[job.joints[first + k]];
        for (std::size_t i = 0; i < 12; ++i) sum[i] = sum[i] + w * m[i];
    }
    return affine_transform(sum);
}

/// Rotation matrix (row-major) of a unit quaternion x y z w.
Matrix3f rotation_matrix(const std::array<float, 4>& q) {
    const float x = q[0], y = q[1], z = q[2], w = q[3];
    return {1.0f - 2.0f * (y * y + z * z), 2.0f * (x * y - z * w),
            2.0f * (x * z + y * w),        2.0f * (x * y + z * w),
            1.0f - 2.0f * (x * x + z * z), 2.0f * (y * z - x * w),
            2.0f * (x * z - y * w),        2.0f * (y * z + x * w),
            1.0f - 2.0f * (x * x + y * y)};
}

/// Unit length, dual part orthogonal to the real one.
void normalize_dual(std::array<float, 4>& r, std::array<float, 4>& d) {
    const float squared = dot4(r, r);
    if (squared < kLeastSquared) {
        r = {0, 0, 0, 1};
        d = {0, 0, 0, 0};
        return;
    }
    const float length = std::sqrt(squared);
    for (std::size_t i = 0; i < 4; ++i) {
        r[i] = r[i] / length;
        d[i] = d[i] / length;
    }
    const float along = dot4(r, d);
    for (std::size_t i = 0; i < 4; ++i) d[i] = d[i] - r[i] * along;
}

VertexTransform blend_dual(const SkinJob& job, std::size_t vertex, SkinningReport& report) {
    const DualQuaternionPalette& palette = *job.dual_palette;
    const std::size_t first = vertex * job.width;
    const auto& pivot = palette.rounded[job.joints[first]].real;
    std::array<float, 4> r{0, 0, 0, 0}, d{0, 0, 0, 0};
    Matrix3f s{0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (std::size_t k = 0; k < job.width; ++k) {
        const float w = job.weights[first + k];
        const auto& q = palette.rounded[job.joints[first + k]];
        const float dot = dot4(pivot, q.real);
        if (w > 0.0f && dot < 0.0f) ++report.antipodal_flips;
        if (w > 0.0f && std::fabs(dot) < kAmbiguous) ++report.ambiguous_flips;
        const float signed_w = dot < 0.0f ? -w : w;
        for (std::size_t i = 0; i < 4; ++i) {
            r[i] = r[i] + signed_w * q.real[i];
            d[i] = d[i] + signed_w * q.dual[i];
        }
        for (std::size_t i = 0; i < 9; ++i) s[i] = s[i] + w * q.residual[i];
    }
    normalize_dual(r, d);
    VertexTransform x;
    x.framed = true;
    x.frame = rotation_matrix(r);
    x.shaped = palette.has_residual;
    if (x.shaped) x.shape = s;
    x.translation = Vec3f(2.0f * (((d[0] * r[3] - d[3] * r[0]) - d[1] * r[2]) + d[2] * r[1]),
                          2.0f * (((d[1] * r[3] - d[3] * r[1]) - d[2] * r[0]) + d[0] * r[2]),
                          2.0f * (((d[2] * r[3] - d[3] * r[2]) - d[0] * r[1]) + d[1] * r[0]));
    return x;
}

Vec4f transform_tangent(const VertexTransform& x, const Vec4f& tangent, const Vec3f& normal,
                        bool mirrors) {
    Vec3f t = unit_vector(x.direction(Vec3f(tangent[0], tangent[1], tangent[2])));
    const float along = dot3(normal, t);
    t = unit_vector(
        Vec3f(t[0] - normal[0] * along, t[1] - normal[1] * along, t[2] - normal[2] * along));
    return Vec4f(t[0], t[1], t[2], mirrors ? -tangent[3] : tangent[3]);
}

void apply(const VertexTransform& x, const SkinJob& job, std::size_t v,
           const SkinOutput<float>& out, SkinningReport& report) {
    const Vec3f& p = job.positions[v];
    const Vec3f s = x.direction(p);
    out.positions[v] =
        Vec3f(s[0] + x.translation[0], s[1] + x.translation[1], s[2] + x.translation[2]);
    if (job.normals.empty() && out.mirrored.empty()) return;
    const NormalMatrix matrix(x.shape);
    if (!out.mirrored.empty()) out.mirrored[v] = matrix.mirrors() ? 1 : 0;
    if (job.normals.empty()) return;
    if (matrix.singular && !job.fast_normals) ++report.singular_normal_matrices;
    const Vec3f& n = job.normals[v];
    const Vec3f shaped = job.fast_normals ? matrix.plain(n) : matrix.transform(n);
    out.normals[v] = unit_vector(x.framed ? times(x.frame, shaped) : shaped);
    if (!job.tangents.empty())
        out.tangents[v] = transform_tangent(x, job.tangents[v], out.normals[v], matrix.mirrors());
}

void copy_vertex(const SkinJob& job, std::size_t v, const SkinOutput<float>& out) {
    out.positions[v] = job.positions[v];
    if (!job.normals.empty()) out.normals[v] = unit_vector(job.normals[v]);
    if (!job.tangents.empty()) out.tangents[v] = job.tangents[v];
    if (!out.mirrored.empty()) out.mirrored[v] = 0;
}

}  // namespace

SkinningReport skin_cpu(const SkinJob& job, const SkinOutput<float>& out) {
    SkinningReport report;
    const bool stays = job.unweighted == Mat4::Identity();
    const VertexTransform unweighted = affine_transform(round_affine(job.unweighted));
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
