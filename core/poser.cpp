#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "pose_parts.h"
#include "skinpose/error.h"
#include "skinpose/posed_mesh.h"

namespace skinpose {

namespace {

/// Matrices of one evaluated pose: what the parts are skinned with.
struct PoseMatrices {
    LocalPose local;
    GlobalPose global;
    std::vector<JointPalette> palettes;       // per skin; empty where no part uses it
    std::vector<DualQuaternionPalette> dual;  // likewise, only under dual quaternions
};

PoseMatrices make_matrices(const Scene& scene, const std::vector<bool>& skin_used, bool dual) {
    PoseMatrices m{make_local_pose(scene), make_global_pose(scene), {}, {}};
    m.palettes.resize(scene.skins.size());
    m.dual.resize(scene.skins.size());
    for (std::size_t s = 0; s < scene.skins.size(); ++s) {
        if (!skin_used[s]) continue;
        m.palettes[s] = make_palette(scene.skins[s]);
        if (dual) m.dual[s] = make_dual_palette(scene.skins[s].joints.size());
    }
    return m;
}

void lerp_globals(const GlobalPose& b, double mix, GlobalPose& a) {
    for (std::size_t n = 0; n < a.scene_from_node.size(); ++n)
        for (Eigen::Index i = 0; i < 16; ++i) {
            double& x = a.scene_from_node[n].data()[i];
            x = lerp(x, b.scene_from_node[n].data()[i], mix);
        }
    for (std::size_t i = 0; i < a.morph_weights.size(); ++i)
        a.morph_weights[i] = lerp(a.morph_weights[i], b.morph_weights[i], mix);
}

double clamp_to_clip(const Clip& clip, double time_s) {
    return std::clamp(time_s, clip.start_s, std::max(clip.start_s, clip.duration_s));
}

}  // namespace

struct Poser::State {
    State(const Scene& the_scene, const PoseOptions& the_options);

    const Scene& scene;
    PoseOptions options;
    PartSet parts;
    PoseMatrices main, other,
        exact;  // `other` is blended in, `exact` is what resampling is held against
    PoseReport report;
    bool dual = false;

    void evaluate(const PoseTime& at, double resample_hz, PoseMatrices& out);
    void fill_palettes(PoseMatrices& m) const;
    void round_palettes(PoseMatrices& m) const;
    PartMatrices matrices_of(const Part& part, const PoseMatrices& m, bool bind) const;
    void describe_time(const PoseTime& at);
    PoseBuffers complete(PoseBuffers wanted);

    std::vector<Vec3f> spare_positions;  // for a caller who wants none
};

Poser::State::State(const Scene& the_scene, const PoseOptions& the_options)
    : scene(the_scene), options(the_options), parts(the_scene, the_options) {
    dual = options.method == SkinMethod::DualQuaternion;
    std::vector<bool> used(scene.skins.size(), false);
    for (const MeshInstance& i : scene.instances)
        if (i.skin != kNone) used[i.skin] = true;
    main = make_matrices(scene, used, dual);
    other = make_matrices(scene, used, dual);
    if (options.resample_hz > 0.0) exact = make_matrices(scene, used, dual);
    report.parts = parts.make_reports();
}

void Poser::State::fill_palettes(PoseMatrices& m) const {
    for (std::size_t s = 0; s < m.palettes.size(); ++s)
        if (!m.palettes[s].exact.empty())
            evaluate_palette(scene.skins[s], m.global, options.placement, m.palettes[s]);
}

void Poser::State::round_palettes(PoseMatrices& m) const {
    for (std::size_t s = 0; s < m.palettes.size(); ++s) {
        if (m.palettes[s].exact.empty()) continue;
        const std::size_t bad = round_palette(m.palettes[s]);
        if (bad != kNone) {
            const Node& joint = scene.nodes[scene.skins[s].joints[bad]];
            throw Error(ErrorCode::Input, scene.file, fmt::format("/nodes/{}", joint.source_index),
                        "the joint matrix of this pose overflows a float");
        }
        if (dual) split_palette(m.palettes[s], m.dual[s]);
    }
}

void Poser::State::evaluate(const PoseTime& at, double resample_hz, PoseMatrices& out) {
    const auto clip_time = [&](std::size_t clip, double time_s) {
        return ClipTime{clip == kNone ? nullptr : &scene.clips[clip], time_s, resample_hz};
    };
    evaluate_local(scene, clip_time(at.clip, at.time_s), out.local);
    const double mix = at.blend ? std::clamp(at.blend->mix, 0.0, 1.0) : 0.0;
    if (at.blend) evaluate_local(scene, clip_time(at.blend->clip, at.blend->time_s), other.local);
    if (at.blend && options.blend_mode == BlendMode::Trs)
        blend_local(out.local, other.local, mix, out.local);
    evaluate_global(scene, out.local, out.global);
    fill_palettes(out);
    if (at.blend && options.blend_mode == BlendMode::Palette) {
        evaluate_global(scene, other.local, other.global);
        fill_palettes(other);
        for (std::size_t s = 0; s < out.palettes.size(); ++s)
            blend_palettes(out.palettes[s], other.palettes[s], mix, out.palettes[s]);
        lerp_globals(other.global, mix, out.global);
    }
    round_palettes(out);
}

PartMatrices Poser::State::matrices_of(const Part& part, const PoseMatrices& m, bool bind) const {
    PartMatrices r;
    r.unweighted = options.placement;
    if (bind) return r;
    const MeshInstance& instance = scene.instances[part.instance];
    r.morph_weights = m.global.weights_of(instance.node);
    if (instance.skin == kNone) {
        const Mat4& global = m.global.scene_from_node[instance.node];
        r.unweighted =
            options.placement == Mat4::Identity() ? global : multiply(options.placement, global);
        return r;
    }
    r.skinned = true;
    r.palette = &m.palettes[instance.skin];
    if (dual) r.dual_palette = &m.dual[instance.skin];
    return r;
}

void Poser::State::describe_time(const PoseTime& at) {
    report.normalized_rotation_channels = 0;
    report.largest_rotation_length_error = 0.0;
    report.time_used_s = at.time_s;
    report.time_clamped = false;
    report.blend_time_used_s = report.blend_mix_used = 0.0;
    const auto count_rotations = [&](const Clip& clip) {
        report.normalized_rotation_channels += clip.normalized_rotation_channels;
        report.largest_rotation_length_error =
            std::max(report.largest_rotation_length_error, clip.largest_rotation_length_error);
    };
    if (at.bind) return;
    if (at.clip != kNone) {
        const Clip& clip = scene.clips[at.clip];
        report.time_used_s = clamp_to_clip(clip, at.time_s);
        report.time_clamped = report.time_used_s != at.time_s;
        count_rotations(clip);
    }
    if (!at.blend) return;
    report.blend_mix_used = std::clamp(at.blend->mix, 0.0, 1.0);
    report.blend_time_used_s = at.blend->time_s;
    if (at.blend->clip == kNone) return;
    const Clip& clip = scene.clips[at.blend->clip];
    report.blend_time_used_s = clamp_to_clip(clip, at.blend->time_s);
    if (at.blend->clip != at.clip) count_rotations(clip);
}

/// Checks the sizes; positions are always made, since normals and counters need them.
PoseBuffers Poser::State::complete(PoseBuffers wanted) {
    const auto check = [](const char* name, std::size_t size, std::size_t needed) {
        if (size == 0 || size == needed) return;
        throw Error(
            ErrorCode::Bug, "", "",
            fmt::format("PoseBuffers::{} has {} elements, the pose {}", name, size, needed));
    };
    const std::size_t vertices = parts.vertex_count(), triangles = parts.triangle_count();
    check("positions", wanted.positions.size(), vertices);
    check("exact_positions", wanted.exact_positions.size(), vertices);
    check("normals", wanted.normals.size(), vertices);
    check("tangents", wanted.tangents.size(), vertices);
    check("face_normals", wanted.face_normals.size(), triangles);
    check("triangles", wanted.triangles.size(), triangles);
    if (wanted.positions.empty()) {
        spare_positions.resize(vertices);
        wanted.positions = spare_positions;
    }
    return wanted;
}

Poser::Poser(const Scene& scene, const PoseOptions& options)
    : state_(std::make_unique<State>(scene, options)) {}
Poser::~Poser() = default;
Poser::Poser(Poser&&) noexcept = default;
Poser& Poser::operator=(Poser&&) noexcept = default;

std::size_t Poser::vertex_count() const { return state_->parts.vertex_count(); }
std::size_t Poser::triangle_count() const { return state_->parts.triangle_count(); }
TriMesh Poser::make_mesh() const { return state_->parts.make_mesh(); }

const PoseReport& Poser::pose(const PoseTime& at, const PoseBuffers& wanted) {
    State& s = *state_;
    const PoseBuffers out = s.complete(wanted);
    PoseReport& report = s.report;
    s.describe_time(at);
    if (!at.bind) s.evaluate(at, s.options.resample_hz, s.main);
    const bool compare = !at.bind && s.options.resample_hz > 0.0 && s.options.measure_losses;
    if (compare) s.evaluate(at, 0.0, s.exact);

    report.totals = {};
    report.resample_difference = 0.0;
    for (std::size_t i = 0; i < s.parts.size(); ++i) {
        const Part& part = s.parts[i];
        const PartMatrices matrices = s.matrices_of(part, s.main, at.bind);
        PoseCounts& counts = report.parts[i].counts;
        counts = s.parts.pose_part(part, matrices, out);
        report.totals += counts;
        if (compare)
            report.resample_difference = std::max(
                report.resample_difference,
                s.parts.largest_difference(part, matrices, s.matrices_of(part, s.exact, false)));
    }
    report.non_rigid_joints = 0;
    if (!at.bind)
        for (const DualQuaternionPalette& d : s.main.dual)
            report.non_rigid_joints += d.non_rigid_joints;
    return report;
}

const PoseReport& Poser::pose(const PoseTime& at, TriMesh& mesh) {
    return pose(at, PoseBuffers{mesh.positions, mesh.exact_positions, mesh.normals,
                                mesh.face_normals, mesh.tangents, mesh.triangles});
}

PosedMesh pose_file(const std::string& path, const std::string& clip, double time_s,
                    const PoseOptions& options, const ReadOptions& read_options) {
    const Scene scene = read_scene(path, read_options);
    PoseTime at;
    if (!clip.empty()) at.clip = find_clip(scene, clip);
    at.time_s = time_s;
    Poser poser(scene, options);
    PosedMesh result{poser.make_mesh(), {}};
    result.report = poser.pose(at, result.mesh);
    return result;
}

}  // namespace skinpose
