#include "skinpose/pose.h"

#include <algorithm>

namespace skinpose {

namespace {

void apply_channel(const Channel& channel, std::span<const double> value, LocalPose& pose) {
    Trs& trs = pose.trs[channel.node];
    switch (channel.path) {
        case ChannelPath::Translation:
            trs.translation = Vec3(value[0], value[1], value[2]);
            break;
        case ChannelPath::Rotation:
            trs.rotation = Vec4(value[0], value[1], value[2], value[3]);
            break;
        case ChannelPath::Scale:
            trs.scale = Vec3(value[0], value[1], value[2]);
            break;
        case ChannelPath::Weights:
            std::copy(value.begin(), value.end(),
                      pose.morph_weights.begin() +
                          static_cast<std::ptrdiff_t>(pose.weight_offsets[channel.node]));
            break;
    }
}

void set_rest(const Scene& scene, LocalPose& out) {
    for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
        const Node& node = scene.nodes[n];
        out.trs[n] = node.rest;
        std::copy(node.weights.begin(), node.weights.end(),
                  out.morph_weights.begin() + static_cast<std::ptrdiff_t>(out.weight_offsets[n]));
    }
}

template <typename V>
V lerp_each(const V& a, const V& b, double u) {
    V r;
    for (Eigen::Index i = 0; i < r.size(); ++i) r[i] = lerp(a[i], b[i], u);
    return r;
}

}  // namespace

LocalPose make_local_pose(const Scene& scene) {
    LocalPose pose;
    pose.trs.resize(scene.nodes.size());
    pose.weight_offsets.push_back(0);
    for (const Node& node : scene.nodes)
        pose.weight_offsets.push_back(pose.weight_offsets.back() + node.weights.size());
    pose.morph_weights.resize(pose.weight_offsets.back());
    std::size_t widest = 4;
    for (const Clip& clip : scene.clips)
        for (const Sampler& s : clip.samplers) widest = std::max(widest, s.components);
    pose.scratch.resize(2 * widest);
    set_rest(scene, pose);
    return pose;
}

GlobalPose make_global_pose(const Scene& scene) {
    GlobalPose pose;
    const LocalPose local = make_local_pose(scene);
    pose.scene_from_node.resize(scene.nodes.size());
    pose.morph_weights = local.morph_weights;
    pose.weight_offsets = local.weight_offsets;
    evaluate_global(scene, local, pose);
    return pose;
}

void evaluate_local(const Scene& scene, const ClipTime& at, LocalPose& out) {
    set_rest(scene, out);
    if (at.clip == nullptr) return;
    const std::span<double> scratch(out.scratch);
    for (const Channel& channel : at.clip->channels) {
        const Sampler& sampler = at.clip->samplers[channel.sampler];
        const bool rotation = channel.path == ChannelPath::Rotation;
        const auto value = scratch.first(sampler.components);
        if (at.resample_hz > 0.0)
            sample_resampled(sampler, at.time_s, rotation, at.resample_hz, at.clip->duration_s,
                             value, scratch.last(sampler.components));
        else
            sample_sampler(sampler, at.time_s, rotation, value);
        apply_channel(channel, value, out);
    }
}

void blend_local(const LocalPose& a, const LocalPose& b, double mix, LocalPose& out) {
    for (std::size_t n = 0; n < a.trs.size(); ++n) {
        const Trs &ta = a.trs[n], &tb = b.trs[n];
        Trs r;
        r.translation = lerp_each(ta.translation, tb.translation, mix);
        r.scale = lerp_each(ta.scale, tb.scale, mix);
        r.rotation = slerp(normalized_rotation(ta.rotation), normalized_rotation(tb.rotation), mix);
        out.trs[n] = r;
    }
    for (std::size_t i = 0; i < a.morph_weights.size(); ++i)
        out.morph_weights[i] = lerp(a.morph_weights[i], b.morph_weights[i], mix);
}

void evaluate_global(const Scene& scene, const LocalPose& local, GlobalPose& out) {
    for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
        const Node& node = scene.nodes[n];
        const Trs& trs = local.trs[n];
        const Mat4 parent_from_node =
            node.has_matrix ? node.matrix : compose_trs(trs.translation, trs.rotation, trs.scale);
        out.scene_from_node[n] = node.parent == kNone
                                     ? parent_from_node
                                     : multiply(out.scene_from_node[node.parent], parent_from_node);
    }
    std::copy(local.morph_weights.begin(), local.morph_weights.end(), out.morph_weights.begin());
}

}  // namespace skinpose
