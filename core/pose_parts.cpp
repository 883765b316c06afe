#include "pose_parts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "skinpose/error.h"

namespace skinpose {

PoseCounts& PoseCounts::operator+=(const PoseCounts& other) {
    skinning += other.skinning;
    discarded_influences += other.discarded_influences;
    largest_discarded_weight = std::max(largest_discarded_weight, other.largest_discarded_weight);
    cap_displacement = std::max(cap_displacement, other.cap_displacement);
    worst_weight_sum_error = std::max(worst_weight_sum_error, other.worst_weight_sum_error);
    weight_displacement = std::max(weight_displacement, other.weight_displacement);
    duplicate_joints += other.duplicate_joints;
    unused_out_of_range_joints += other.unused_out_of_range_joints;
    reflected_faces += other.reflected_faces;
    flipped_rigid_faces += other.flipped_rigid_faces;
    degenerate_triangles += other.degenerate_triangles;
    surplus_indices += other.surplus_indices;
    smoothed_normals += other.smoothed_normals;
    singular_rigid_matrices += other.singular_rigid_matrices;
    return *this;
}

namespace {

/// Morphed base + sum of weight * delta, in double, rounded once: every backend then starts from
/// the same floats.
template <typename V>
void morph_attribute(std::span<const V> base, const std::vector<MorphTarget>& targets,
                     std::vector<Vec3f> MorphTarget::*attribute, std::span<const double> weights,
                     std::span<V> out) {
    for (std::size_t v = 0; v < base.size(); ++v) {
        double sum[3];
        for (int i = 0; i < 3; ++i) sum[i] = static_cast<double>(base[v][i]);
        for (std::size_t t = 0; t < targets.size(); ++t) {
            const std::vector<Vec3f>& deltas = targets[t].*attribute;
            if (deltas.empty() || weights[t] == 0.0) continue;
            for (int i = 0; i < 3; ++i) sum[i] += weights[t] * static_cast<double>(deltas[v][i]);
        }
        out[v] = base[v];
        for (int i = 0; i < 3; ++i) out[v][i] = static_cast<float>(sum[i]);
    }
}

double largest_distance(std::span<const Vec3> a, std::span<const Vec3> b) {
    double worst = 0.0;
    for (std::size_t v = 0; v < a.size(); ++v) {
        const Vec3 d(a[v][0] - b[v][0], a[v][1] - b[v][1], a[v][2] - b[v][2]);
        worst = std::max(worst, dot3(d, d));
    }
    return std::sqrt(worst);
}

Vec3 posed_corner(const PoseBuffers& out, std::size_t v) {
    return out.exact_positions.empty() ? Vec3(out.positions[v].cast<double>())
                                       : out.exact_positions[v];
}

/// Twice the triangle's area times its normal.
Vec3 area_vector(const PoseBuffers& out, const Triangle& t) {
    const Vec3 a = posed_corner(out, t[0]), b = posed_corner(out, t[1]),
               c = posed_corner(out, t[2]);
    return cross3(Vec3(b[0] - a[0], b[1] - a[1], b[2] - a[2]),
                  Vec3(c[0] - a[0], c[1] - a[1], c[2] - a[2]));
}

Vec3f rounded_direction(const Vec3& v) {
    const double n = length3(v);
    if (!(n > 0.0)) return Vec3f::Zero();
    return Vec3f(static_cast<float>(v[0] / n), static_cast<float>(v[1] / n),
                 static_cast<float>(v[2] / n));
}

template <typename T>
std::span<T> share(std::span<T> all, std::size_t first, std::size_t count) {
    return all.empty() ? all : all.subspan(first, count);
}

}  // namespace

void PartSet::morph(const Primitive& source, std::span<const double> weights, SkinJob& job) {
    const std::size_t n = source.positions.size();
    const auto targets_move = [&](std::vector<Vec3f> MorphTarget::*attribute) {
        for (std::size_t t = 0; t < source.targets.size(); ++t)
            if (weights[t] != 0.0 && !(source.targets[t].*attribute).empty()) return true;
        return false;
    };
    if (targets_move(&MorphTarget::positions)) {
        const auto out = std::span(morphed_positions_).first(n);
        morph_attribute<Vec3f>(job.positions, source.targets, &MorphTarget::positions, weights,
                               out);
        job.positions = out;
    }
    if (!job.normals.empty() && targets_move(&MorphTarget::normals)) {
        const auto out = std::span(morphed_normals_).first(n);
        morph_attribute<Vec3f>(job.normals, source.targets, &MorphTarget::normals, weights, out);
        job.normals = out;
    }
    if (!job.tangents.empty() && targets_move(&MorphTarget::tangents)) {
        const auto out = std::span(morphed_tangents_).first(n);
        morph_attribute<Vec4f>(job.tangents, source.targets, &MorphTarget::tangents, weights, out);
        job.tangents = out;
    }
}

SkinJob PartSet::make_job(const Part& part, const PartMatrices& matrices) {
    const Primitive& source = *part.source;
    SkinJob job;
    job.positions = source.positions;
    job.normals = source.normals;
    if (options_.tangents && !source.normals.empty()) job.tangents = source.tangents;
    job.unweighted = matrices.unweighted;
    job.method = options_.method;
    job.fast_normals = options_.fast_normals;
    if (!matrices.morph_weights.empty()) morph(source, matrices.morph_weights, job);
    if (matrices.skinned) {
        const InfluenceTable& table = tables_[part.influences].table;
        job.width = table.width;
        job.joints = table.joints;
        job.weights = table.weights;
        job.palette = matrices.palette;
        job.dual_palette = matrices.dual_palette;
    }
    return job;
}

SkinningReport PartSet::skin_in_double(const SkinJob& job, const Part& part,
                                       const PoseBuffers& out) {
    const std::size_t n = job.positions.size();
    const auto positions = std::span(positions_a_).first(n);
    const auto normals = job.normals.empty() ? std::span<Vec3>() : std::span(normals_).first(n);
    const auto tangents = job.tangents.empty() ? std::span<Vec4>() : std::span(tangents_).first(n);
    const SkinningReport report =
        skin_reference(job, {positions, normals, tangents, std::span(mirrored_).first(n)});
    for (std::size_t v = 0; v < n; ++v) {
        out.positions[part.first_vertex + v] = positions[v].cast<float>();
        if (!out.exact_positions.empty()) out.exact_positions[part.first_vertex + v] = positions[v];
        if (!out.normals.empty() && !normals.empty())
            out.normals[part.first_vertex + v] = normals[v].cast<float>();
        if (!out.tangents.empty() && !tangents.empty())
            out.tangents[part.first_vertex + v] = tangents[v].cast<float>();
    }
    return report;
}

SkinningReport PartSet::skin_in_float(const SkinJob& job, const Part& part,
                                      const PoseBuffers& out) {
    const std::size_t n = job.positions.size();
    SkinOutput<float> share_of_part{
        share(out.positions, part.first_vertex, n), share(out.normals, part.first_vertex, n),
        share(out.tangents, part.first_vertex, n), std::span(mirrored_).first(n)};
    return skin_cpu(job, share_of_part);
}

void PartSet::check_finite(const Part& part, const PoseBuffers& out) const {
    for (std::size_t v = 0; v < part.source->positions.size(); ++v) {
        const std::size_t i = part.first_vertex + v;
        if (all_finite(out.positions[i]) && (out.normals.empty() || all_finite(out.normals[i])))
            continue;
        throw Error(ErrorCode::Input, scene_.file, part.source->place,
                    fmt::format("vertex {} of this pose overflows a float", v));
    }
}

SkinJob PartSet::compare_job(const SkinJob& job, const TableComparison& comparison,
                             const InfluenceTable& table) {
    SkinJob r = job;
    for (std::size_t i = 0; i < comparison.vertices.size(); ++i)
        compared_positions_[i] = job.positions[comparison.vertices[i]];
    r.positions = std::span(compared_positions_).first(comparison.vertices.size());
    r.normals = {};
    r.tangents = {};
    r.width = table.width;
    r.joints = table.joints;
    r.weights = table.weights;
    return r;
}

double PartSet::compare_tables(const SkinJob& job, const TableComparison& comparison) {
    const std::size_t n = comparison.vertices.size();
    if (n == 0) return 0.0;
    const auto a = std::span(positions_a_).first(n), b = std::span(positions_b_).first(n);
    skin_reference(compare_job(job, comparison, comparison.a), {a, {}, {}, {}});
    skin_reference(compare_job(job, comparison, comparison.b), {b, {}, {}, {}});
    return largest_distance(a, b);
}

void PartSet::count_losses(const Part& part, const SkinJob& job, const PoseBuffers& out,
                           PoseCounts& counts) {
    const PartInfluences& influences = tables_[part.influences];
    counts.discarded_influences = influences.report.discarded_influences;
    counts.largest_discarded_weight = influences.report.largest_discarded_weight;
    counts.worst_weight_sum_error = influences.report.worst_weight_sum_error;
    counts.duplicate_joints = part.source->influences.duplicate_joints;
    counts.unused_out_of_range_joints = part.source->influences.unused_out_of_range_joints;
    if (!options_.measure_losses) return;
    counts.cap_displacement = compare_tables(job, influences.cap);
    counts.weight_displacement = job.method == SkinMethod::LinearBlend
                                     ? scaled_by_weight_sum(part, out)
                                     : compare_tables(job, influences.weight_sum);
}

double PartSet::scaled_by_weight_sum(const Part& part, const PoseBuffers& out) const {
    double worst = 0.0;
    for (const std::uint32_t v : tables_[part.influences].weight_sum.vertices) {
        const Vec3 posed = posed_corner(out, part.first_vertex + v);
        const double sum = part.source->influences.weight_sums[v];
        const double normalised = length3(posed) / (options_.influences.renormalize ? 1.0 : sum);
        worst = std::max(worst, std::fabs(sum - 1.0) * normalised);
    }
    return worst;
}

void PartSet::pose_faces(const Part& part, bool rigid, double determinant, const PoseBuffers& out,
                         PoseCounts& counts) {
    const auto& source = part.source->triangles;
    const bool flip_all = rigid && determinant < 0.0;
    if (flip_all) counts.flipped_rigid_faces = source.size();
    const auto base = static_cast<std::uint32_t>(part.first_vertex);
    for (std::size_t f = 0; f < source.size(); ++f) {
        const Triangle& t = source[f];
        const bool mirrored = !rigid && mirrored_[t[0]] && mirrored_[t[1]] && mirrored_[t[2]];
        if (mirrored) ++counts.reflected_faces;
        const bool flip = flip_all || (mirrored && options_.fix_winding);
        faces_[f] = {base + t[0], base + t[flip ? 2 : 1], base + t[flip ? 1 : 2]};
    }
    if (!out.triangles.empty())
        std::copy_n(faces_.begin(), source.size(),
                    out.triangles.begin() + static_cast<std::ptrdiff_t>(part.first_triangle));
}

void PartSet::fill_normals(const Part& part, const PoseBuffers& out, PoseCounts& counts) {
    const auto faces = std::span(faces_).first(part.source->triangles.size());
    if (part.flat && !out.face_normals.empty())
        for (std::size_t f = 0; f < faces.size(); ++f)
            out.face_normals[part.first_triangle + f] =
                rounded_direction(area_vector(out, faces[f]));
    if (!part.smooth || out.normals.empty()) return;
    const std::size_t n = part.source->positions.size();
    const auto sums = std::span(normals_).first(n);
    std::fill(sums.begin(), sums.end(), Vec3::Zero());
    for (const Triangle& t : faces) {
        const Vec3 area = area_vector(out, t);
        for (const std::uint32_t corner : t)
            for (int i = 0; i < 3; ++i) sums[corner - part.first_vertex][i] += area[i];
    }
    for (std::size_t v = 0; v < n; ++v)
        out.normals[part.first_vertex + v] = rounded_direction(sums[v]);
    counts.smoothed_normals = n;
}

PoseCounts PartSet::pose_part(const Part& part, const PartMatrices& matrices,
                              const PoseBuffers& out) {
    PoseCounts counts;
    SkinJob job = make_job(part, matrices);
    if (out.normals.empty()) job.normals = {};
    if (out.tangents.empty() || job.normals.empty()) job.tangents = {};
    counts.skinning = options_.precision == Precision::Double ? skin_in_double(job, part, out)
                                                              : skin_in_float(job, part, out);
    if (matrices.skinned) {
        count_losses(part, job, out, counts);
    } else {
        counts.singular_rigid_matrices = counts.skinning.singular_normal_matrices > 0 ? 1 : 0;
        counts.skinning = {};
    }
    counts.degenerate_triangles = part.source->degenerate_triangles;
    counts.surplus_indices = part.source->surplus_indices;
    pose_faces(part, !matrices.skinned, determinant3(matrices.unweighted), out, counts);
    fill_normals(part, out, counts);
    check_finite(part, out);
    return counts;
}

double PartSet::largest_difference(const Part& part, const PartMatrices& a, const PartMatrices& b) {
    const std::size_t n = part.source->positions.size();
    const auto pa = std::span(positions_a_).first(n), pb = std::span(positions_b_).first(n);
    skin_reference(make_job(part, a),
                   {pa, std::span(normals_).first(n), std::span(tangents_).first(n), {}});
    skin_reference(make_job(part, b),
                   {pb, std::span(normals_).first(n), std::span(tangents_).first(n), {}});
    return largest_distance(pa, pb);
}

}  // namespace skinpose
