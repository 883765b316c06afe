#include <algorithm>

#include <fmt/format.h>

#include "pose_parts.h"
#include "skinpose/error.h"

/// The part of PartSet that runs once: which parts there are, their influence tables, the mesh they
/// fill and the scratch they need.
namespace skinpose {

namespace {

/// The rows `vertices` of all influences, as their own little set.
VertexInfluences subset(const VertexInfluences& all, std::span<const std::uint32_t> vertices) {
    VertexInfluences r;
    const std::size_t width = all.all.width;
    r.all.vertex_count = vertices.size();
    r.all.width = width;
    for (const std::uint32_t v : vertices) {
        const auto first = static_cast<std::ptrdiff_t>(v * width);
        const auto last = first + static_cast<std::ptrdiff_t>(width);
        r.all.joints.insert(r.all.joints.end(), all.all.joints.begin() + first,
                            all.all.joints.begin() + last);
        r.all.weights.insert(r.all.weights.end(), all.all.weights.begin() + first,
                             all.all.weights.begin() + last);
        if (!all.exact_weights.empty())
            r.exact_weights.insert(r.exact_weights.end(), all.exact_weights.begin() + first,
                                   all.exact_weights.begin() + last);
        r.weight_sums.push_back(all.weight_sums[v]);
    }
    return r;
}

TableComparison compare(const VertexInfluences& all, std::vector<std::uint32_t> vertices,
                        const InfluenceOptions& a, const InfluenceOptions& b) {
    TableComparison r;
    const VertexInfluences rows = subset(all, vertices);
    InfluenceReport unused;
    r.a = cap_influences(rows, a, unused);
    r.b = cap_influences(rows, b, unused);
    r.vertices = std::move(vertices);
    return r;
}

PartInfluences make_influences(const Primitive& source, const PoseOptions& options) {
    PartInfluences r;
    const VertexInfluences& all = source.influences;
    const InfluenceOptions& wanted = options.influences;
    if (all.weight_sums.empty()) {  // no JOINTS_0: every vertex is unweighted
        r.table.vertex_count = source.positions.size();
        r.report.unweighted_vertices = source.positions.size();
        return r;
    }
    r.table = cap_influences(all, wanted, r.report);
    if (!options.measure_losses) return r;
    r.cap = compare(all, r.report.capped_vertices, {kAllInfluences, wanted.renormalize}, wanted);
    std::vector<std::uint32_t> off_sum;  // where the cap bit, the kept weights are rescaled anyway
    std::set_difference(r.report.off_sum_vertices.begin(), r.report.off_sum_vertices.end(),
                        r.report.capped_vertices.begin(), r.report.capped_vertices.end(),
                        std::back_inserter(off_sum));
    if (options.method == SkinMethod::DualQuaternion)
        r.weight_sum =
            compare(all, std::move(off_sum), {kAllInfluences, false}, {kAllInfluences, true});
    else
        r.weight_sum.vertices = std::move(off_sum);
    return r;
}

template <typename V>
void append(std::vector<V>& all, const std::vector<V>& part, std::size_t count, const V& filler) {
    if (part.empty())
        all.insert(all.end(), count, filler);
    else
        all.insert(all.end(), part.begin(), part.end());
}

}  // namespace

PartSet::PartSet(const Scene& scene, const PoseOptions& options)
    : scene_(scene), options_(options) {
    std::map<const Primitive*, std::size_t> tables;
    for (std::size_t i = 0; i < scene.instances.size(); ++i) {
        const Mesh& mesh = scene.meshes[scene.instances[i].mesh];
        for (std::size_t p = 0; p < mesh.primitives.size(); ++p) add_part(i, p, tables);
    }
    if (triangle_count_ == 0) refuse_empty();
    for (Part& part : parts_) {
        if (!part.source->normals.empty()) continue;
        part.flat = options.missing_normals == MissingNormals::Flat;
        part.smooth =
            !part.flat && (any_normals_ || options.missing_normals == MissingNormals::Smooth);
    }
    make_scratch();
}

void PartSet::refuse_empty() const {
    std::size_t surplus = 0;
    for (const Part& part : parts_) surplus += part.source->surplus_indices;
    const bool meshes = !scene_.instances.empty();
    throw Error(
        ErrorCode::Input, scene_.file,
        meshes ? scene_.meshes[scene_.instances[0].mesh].place + "/primitives" : "",
        fmt::format("no triangles to pose in this scene ({} mesh instances; {} primitives of "
                    "points, lines or without positions left out, {} indices fill no triangle)",
                    scene_.instances.size(), scene_.left_out_primitives, surplus));
}

void PartSet::add_part(std::size_t instance, std::size_t primitive,
                       std::map<const Primitive*, std::size_t>& tables) {
    const MeshInstance& where = scene_.instances[instance];
    const Primitive& source = scene_.meshes[where.mesh].primitives[primitive];
    Part part;
    part.instance = instance;
    part.primitive = primitive;
    part.source = &source;
    part.first_vertex = vertex_count_;
    part.first_triangle = triangle_count_;
    if (where.skin != kNone) {
        const auto [found, added] = tables.try_emplace(&source, tables_.size());
        if (added) tables_.push_back(make_influences(source, options_));
        part.influences = found->second;
    }
    vertex_count_ += source.positions.size();
    triangle_count_ += source.triangles.size();
    any_normals_ |= !source.normals.empty();
    any_tangents_ |= !source.tangents.empty() && !source.normals.empty();
    parts_.push_back(part);
}

void PartSet::make_scratch() {
    std::size_t largest = 0, most_faces = 0, morphed = 0, compared = 0;
    for (const Part& part : parts_) {
        const std::size_t n = part.source->positions.size();
        largest = std::max(largest, n);
        most_faces = std::max(most_faces, part.source->triangles.size());
        if (!part.source->targets.empty()) morphed = std::max(morphed, n);
    }
    for (const PartInfluences& t : tables_)
        compared = std::max({compared, t.cap.vertices.size(), t.weight_sum.a.vertex_count});
    const bool in_double = options_.precision == Precision::Double || options_.resample_hz > 0.0;
    morphed_positions_.resize(morphed);
    morphed_normals_.resize(morphed);
    morphed_tangents_.resize(options_.tangents ? morphed : 0);
    compared_positions_.resize(compared);
    positions_a_.resize(std::max(compared, in_double ? largest : 0));
    positions_b_.resize(std::max(compared, options_.resample_hz > 0.0 ? largest : 0));
    normals_.resize(largest);
    tangents_.resize(options_.tangents || options_.resample_hz > 0.0 ? largest : 0);
    mirrored_.resize(largest);
    faces_.resize(most_faces);
}

TriMesh PartSet::make_mesh() const {
    TriMesh mesh;
    bool texcoords = false, colors = false, smooth = false, flat = false;
    for (const Part& part : parts_) {
        texcoords |= !part.source->texcoords.empty();
        colors |= !part.source->colors.empty();
        smooth |= part.smooth;
        flat |= part.flat;
    }
    for (const Part& part : parts_) {
        const Primitive& s = *part.source;
        const MeshInstance& instance = scene_.instances[part.instance];
        const std::size_t n = s.positions.size();
        append(mesh.positions, s.positions, n, Vec3f(Vec3f::Zero()));
        if (any_normals_ || smooth) append(mesh.normals, s.normals, n, Vec3f(Vec3f::Zero()));
        if (texcoords) append(mesh.texcoords, s.texcoords, n, Vec2f(Vec2f::Zero()));
        if (colors) append(mesh.colors, s.colors, n, Vec4f(Vec4f::Ones()));
        if (options_.tangents && any_tangents_)
            append(mesh.tangents, s.tangents, n, Vec4f(Vec4f::Zero()));
        for (const Triangle& t : s.triangles) {
            const auto base = static_cast<std::uint32_t>(part.first_vertex);
            mesh.triangles.push_back({base + t[0], base + t[1], base + t[2]});
        }
        MeshPart p;
        p.node = scene_.nodes[instance.node].name;
        p.node_index = scene_.nodes[instance.node].source_index;
        p.material = s.material;
        p.primitive_index = part.primitive;
        p.first_vertex = part.first_vertex;
        p.vertex_count = n;
        p.first_triangle = part.first_triangle;
        p.triangle_count = s.triangles.size();
        p.has_normals = !s.normals.empty() || part.smooth;
        p.has_texcoords = !s.texcoords.empty();
        p.has_colors = !s.colors.empty();
        p.has_tangents = !mesh.tangents.empty() && !s.tangents.empty() && !s.normals.empty();
        mesh.parts.push_back(std::move(p));
    }
    if (flat) mesh.face_normals.assign(mesh.triangles.size(), Vec3f(Vec3f::Zero()));
    if (options_.precision == Precision::Double)
        for (const Vec3f& v : mesh.positions) mesh.exact_positions.push_back(v.cast<double>());
    return mesh;
}

std::vector<PartReport> PartSet::make_reports() const {
    std::vector<PartReport> reports;
    for (const Part& part : parts_)
        reports.push_back({part.instance,
                           part.primitive,
                           part.source->positions.size(),
                           part.source->triangles.size(),
                           {}});
    return reports;
}

}  // namespace skinpose
