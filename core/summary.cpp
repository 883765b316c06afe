#include <fmt/format.h>

#include "skinpose/error.h"
#include "skinpose/json_writer.h"
#include "skinpose/report.h"

namespace skinpose {

namespace {

/// Four significant digits: a person reads this; the report has every digit.
std::string rough(double x) { return fmt::format("{:.4g}", x); }

std::string shortest(double x) {
    std::string text;
    append_number(text, x);
    return text;
}

std::string counted(std::size_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string pose_name(const OutputReport& r) {
    if (r.at.bind) return "bind pose";
    std::string text =
        r.at.clip == kNone
            ? "rest pose"
            : fmt::format("clip \"{}\" at {} s", printable(r.scene.clips[r.at.clip].name, 80),
                          shortest(r.pose.time_used_s));
    if (r.at.blend)
        text += fmt::format(" blended {} with {}", shortest(r.pose.blend_mix_used),
                            r.at.blend->clip == kNone
                                ? "the rest pose"
                                : fmt::format("clip \"{}\" at {} s",
                                              printable(r.scene.clips[r.at.blend->clip].name, 80),
                                              shortest(r.pose.blend_time_used_s)));
    return text;
}

/// The lines about what changes the result.
void add_losses(const OutputReport& r, std::vector<std::string>& lines) {
    const PoseCounts& c = r.pose.totals;
    const auto loss = [&](std::string text) { lines.push_back("loss: " + std::move(text)); };
    if (c.discarded_influences > 0)
        loss(fmt::format(
            "{} beyond {} a vertex discarded; the heaviest had weight {}; the cap moves a "
            "vertex by up to {} units in this pose",
            counted(c.discarded_influences, "influence", "influences"),
            r.options.influences.max_influences, rough(c.largest_discarded_weight),
            rough(c.cap_displacement)));
    constexpr double kVisibleSumError = 1e-5;  // beyond what float weights round to
    if (c.worst_weight_sum_error > kVisibleSumError)
        loss(
            fmt::format("weights sum to 1 only within {}; {} them moves a vertex by up to {} units",
                        rough(c.worst_weight_sum_error),
                        r.options.influences.renormalize ? "renormalising" : "not renormalising",
                        rough(c.weight_displacement)));
    if (c.skinning.unweighted_vertices > 0)
        loss(fmt::format("{} without weight, kept where the mesh has them",
                         counted(c.skinning.unweighted_vertices, "vertex", "vertices")));
    if (c.skinning.singular_normal_matrices > 0)
        loss(fmt::format("{} under a singular matrix",
                         counted(c.skinning.singular_normal_matrices, "normal", "normals")));
    if (c.singular_rigid_matrices > 0)
        loss(
            fmt::format("{} with normals placed by a singular matrix",
                        counted(c.singular_rigid_matrices, "rigid primitive", "rigid primitives")));
    if (c.skinning.ambiguous_flips > 0)
        loss(fmt::format("{} half a turn from the pivot: which way round is a coin toss",
                         counted(c.skinning.ambiguous_flips, "influence", "influences")));
    if (c.surplus_indices > 0)
        loss(fmt::format("{} that fill no triangle left out",
                         counted(c.surplus_indices, "index", "indices")));
    if (r.scene.left_out_primitives > 0)
        loss(fmt::format("{} of points, lines or without positions left out",
                         counted(r.scene.left_out_primitives, "primitive", "primitives")));
    if (r.scene.ignored_channels > 0)
        loss(fmt::format("{} ignored", counted(r.scene.ignored_channels, "animation channel",
                                               "animation channels")));
    if (r.options.resample_hz > 0.0)
        loss(fmt::format("resampled at {} Hz: up to {} units from the exact pose",
                         shortest(r.options.resample_hz), rough(r.pose.resample_difference)));
    for (const std::string& name : r.dropped_by_format)
        loss(name + " has no place in this output format");
}

/// The lines that only inform.
void add_notes(const OutputReport& r, std::vector<std::string>& lines) {
    const PoseCounts& c = r.pose.totals;
    const auto note = [&](std::string text) { lines.push_back("note: " + std::move(text)); };
    if (r.pose.time_clamped)
        note(fmt::format("time {} s lies outside the clip's keys, clamped to {} s",
                         shortest(r.time_asked_s), shortest(r.pose.time_used_s)));
    if (c.duplicate_joints > 0)
        note(fmt::format("{} added to an earlier one of the same joint",
                         counted(c.duplicate_joints, "influence", "influences")));
    if (c.unused_out_of_range_joints > 0)
        note(fmt::format("{} beyond the skin at weight 0, ignored",
                         counted(c.unused_out_of_range_joints, "joint index", "joint indices")));
    if (r.pose.non_rigid_joints > 0)
        note(fmt::format("{} with scale or shear, blended as a residual",
                         counted(r.pose.non_rigid_joints, "joint", "joints")));
    if (c.skinning.antipodal_flips > 0)
        note(fmt::format("{} taken the short way round (antipodal)",
                         counted(c.skinning.antipodal_flips, "influence", "influences")));
    if (c.reflected_faces > 0)
        note(fmt::format(
            "{} mirrored by the pose, {}",
            counted(c.reflected_faces, "skinned face", "skinned faces"),
            r.options.fix_winding ? "flipped" : "left in file order (--fix-winding flips them)"));
    if (c.flipped_rigid_faces > 0)
        note(fmt::format("{} on mirrored nodes flipped",
                         counted(c.flipped_rigid_faces, "face", "faces")));
    if (c.degenerate_triangles > 0)
        note(fmt::format("{} kept", counted(c.degenerate_triangles, "degenerate triangle",
                                            "degenerate triangles")));
    if (c.smoothed_normals > 0)
        note(fmt::format("{} given area-weighted normals",
                         counted(c.smoothed_normals, "vertex", "vertices")));
    if (r.pose.normalized_rotation_channels > 0)
        note(fmt::format("{} with rotation keys off unit length by up to {}, normalised",
                         counted(r.pose.normalized_rotation_channels, "channel", "channels"),
                         rough(r.pose.largest_rotation_length_error)));
    if (r.scene.normalized_rest_rotations > 0)
        note(fmt::format(
            "{} off unit length by up to {}, normalised",
            counted(r.scene.normalized_rest_rotations, "rest rotation", "rest rotations"),
            rough(r.scene.largest_rest_rotation_length_error)));
    if (r.scene.ignored_node_transforms > 0)
        note(fmt::format(
            "{}, ignored as glTF says",
            counted(r.scene.ignored_node_transforms, "skinned node moves", "skinned nodes move")));
    if (r.scene.joints_outside_scene > 0)
        note(fmt::format("{} outside the scene, used all the same",
                         counted(r.scene.joints_outside_scene, "joint lies", "joints lie")));
}

/// A few of the findings in full, then how many more the report has.
void add_findings(const std::vector<Finding>& findings, const char* prefix,
                  std::vector<std::string>& lines) {
    constexpr std::size_t kShown = 5;
    for (std::size_t i = 0; i < findings.size() && i < kShown; ++i)
        lines.push_back(printable(prefix +
                                  (findings[i].place.empty() ? "" : findings[i].place + ": ") +
                                  findings[i].fact));
    if (findings.size() > kShown)
        lines.push_back(
            fmt::format("{}{} more, all in the report", prefix, findings.size() - kShown));
}

}  // namespace

std::vector<std::string> summary_lines(const OutputReport& r) {
    std::vector<std::string> lines;
    lines.push_back(fmt::format(
        "{}: {}, {}, {}, {}", printable(r.scene.file), pose_name(r),
        r.options.method == SkinMethod::DualQuaternion ? "dual quaternions" : "linear blend",
        counted(r.mesh.positions.size(), "vertex", "vertices"),
        counted(r.mesh.triangles.size(), "triangle", "triangles")));
    add_losses(r, lines);
    add_notes(r, lines);
    add_findings(r.scene.warnings, "warning: ", lines);
    add_findings(r.scene.ignored, "ignored: ", lines);
    return lines;
}

}  // namespace skinpose
