#include "skinpose/report.h"

#include <fmt/format.h>

#include "findings_json.h"
#include "skinpose/error.h"
#include "skinpose/json_writer.h"

namespace skinpose {

namespace {

void write_vec3(JsonWriter& json, const Vec3& v) {
    json.begin_inline_array();
    for (int i = 0; i < 3; ++i) json.value(v[i]);
    json.end_array();
}

/// The counters that stand both at the top level and in each part. docs/report.md says what each
/// means; `non_rigid` stands among them at the top level only, where it is counted once per skin.
void write_counts(JsonWriter& json, const PoseCounts& c, const std::size_t* non_rigid,
                  const bool* winding_fixed) {
    json.key("discarded_influences").value(c.discarded_influences);
    json.key("largest_discarded_weight").value(c.largest_discarded_weight);
    json.key("cap_displacement").value(c.cap_displacement);
    json.key("worst_weight_sum_error").value(c.worst_weight_sum_error);
    json.key("weight_displacement").value(c.weight_displacement);
    json.key("unweighted_vertices").value(c.skinning.unweighted_vertices);
    json.key("duplicate_joints").value(c.duplicate_joints);
    json.key("unused_out_of_range_joints").value(c.unused_out_of_range_joints);
    json.key("singular_normal_matrices").value(c.skinning.singular_normal_matrices);
    json.key("singular_rigid_matrices").value(c.singular_rigid_matrices);
    if (non_rigid != nullptr) json.key("non_rigid_joints").value(*non_rigid);
    json.key("antipodal_flips").value(c.skinning.antipodal_flips);
    json.key("ambiguous_flips").value(c.skinning.ambiguous_flips);
    json.key("reflected_faces").value(c.reflected_faces);
    if (winding_fixed != nullptr) json.key("winding_fixed").value(*winding_fixed);
    json.key("flipped_rigid_faces").value(c.flipped_rigid_faces);
    json.key("degenerate_triangles").value(c.degenerate_triangles);
    json.key("surplus_indices").value(c.surplus_indices);
    json.key("smoothed_normals").value(c.smoothed_normals);
}

/// {index, name, start_s, duration_s}, or null for the rest pose.
void write_clip(JsonWriter& json, const Scene& scene, std::size_t index) {
    json.key("clip");
    if (index == kNone) {
        json.null();
        return;
    }
    const Clip& clip = scene.clips[index];
    json.begin_object();
    json.key("index").value(index);
    json.key("name").value(clip.name);
    json.key("start_s").value(static_cast<float>(clip.start_s));
    json.key("duration_s").value(static_cast<float>(clip.duration_s));
    json.end_object();
}

void write_time(JsonWriter& json, const OutputReport& r) {
    write_clip(json, r.scene, r.at.clip);
    if (r.at.clip == kNone) {
        json.key("time_asked_s").null();
        json.key("time_used_s").null();
    } else {
        json.key("time_asked_s").value(r.time_asked_s);
        json.key("time_used_s").value(r.pose.time_used_s);
    }
    json.key("time_clamped").value(r.pose.time_clamped);
}

void write_blend(JsonWriter& json, const OutputReport& r) {
    if (!r.at.blend) {
        json.key("blend").null();
        return;
    }
    json.key("blend").begin_object();
    write_clip(json, r.scene, r.at.blend->clip);
    json.key("time_asked_s").value(r.at.blend->time_s);
    json.key("time_used_s").value(r.pose.blend_time_used_s);
    json.key("mix").value(r.pose.blend_mix_used);
    json.key("mode").value(r.options.blend_mode == BlendMode::Trs ? "trs" : "palette");
    json.end_object();
}

void write_options(JsonWriter& json, const OutputReport& r) {
    const PoseOptions& o = r.options;
    if (o.resample_hz > 0.0) {
        json.key("resample").begin_object();
        json.key("rate_hz").value(o.resample_hz);
        json.key("largest_difference").value(r.pose.resample_difference);
        json.end_object();
    } else {
        json.key("resample").null();
    }
    json.key("method").value(o.method == SkinMethod::DualQuaternion ? "dqs" : "lbs");
    json.key("precision").value(o.precision == Precision::Double ? "double" : "float");
    json.key("backend").value(r.backend);
    if (r.device.empty())
        json.key("device").null();
    else
        json.key("device").value(r.device);
    if (o.influences.max_influences == kAllInfluences)
        json.key("max_influences").value("all");
    else
        json.key("max_influences").value(o.influences.max_influences);
    json.key("renormalized").value(o.influences.renormalize);
    json.key("normals").value(o.fast_normals ? "fast" : "exact");
    static constexpr const char* kMissing[] = {"none", "smooth", "flat"};
    json.key("missing_normals").value(kMissing[static_cast<int>(o.missing_normals)]);
    if (o.placement == Mat4::Identity()) {
        json.key("placement").null();
    } else {
        json.key("placement").begin_inline_array();
        for (int i = 0; i < 16; ++i) json.value(o.placement(i / 4, i % 4));
        json.end_array();
    }
}

void write_measure(JsonWriter& json, const MeshMeasure& m) {
    json.key("bounds").begin_object();
    json.key("min");
    write_vec3(json, m.bounds_min);
    json.key("max");
    write_vec3(json, m.bounds_max);
    json.end_object();
    json.key("area").value(m.area);
    json.key("signed_volume").value(m.signed_volume);
    json.key("closed").value(m.closed);
    json.key("logical_vertices").value(m.logical_vertices);
}

void write_parts(JsonWriter& json, const OutputReport& r) {
    json.key("parts").begin_array();
    for (const PartReport& part : r.pose.parts) {
        const MeshInstance& instance = r.scene.instances[part.instance];
        const Node& node = r.scene.nodes[instance.node];
        const Primitive& primitive = r.scene.meshes[instance.mesh].primitives[part.primitive];
        json.begin_object();
        json.key("node").value(node.source_index);
        json.key("node_name").value(node.name);
        json.key("primitive").value(primitive.place);
        json.key("material").value(primitive.material);
        json.key("skinned").value(instance.skin != kNone);
        json.key("vertices").value(part.vertices);
        json.key("triangles").value(part.triangles);
        write_counts(json, part.counts, nullptr, nullptr);
        json.end_object();
    }
    json.end_array();
}

}  // namespace

std::string report_json(const OutputReport& r) {
    JsonWriter json;
    json.begin_object();
    json.key("schema_version").value(kReportSchemaVersion);
    json.key("skinpose").value(SKINPOSE_VERSION);
    json.key("file").value(r.scene.file);
    json.key("reader").value(r.scene.reader);
    json.key("output").value(r.output);
    if (r.scene.scene)
        json.key("scene").value(*r.scene.scene);
    else
        json.key("scene").null();
    json.key("pose").value(r.at.bind ? "bind" : r.at.clip == kNone ? "rest" : "clip");
    write_time(json, r);
    write_blend(json, r);
    write_options(json, r);
    json.key("vertices").value(r.mesh.positions.size());
    json.key("triangles").value(r.mesh.triangles.size());
    json.key("primitives").value(r.pose.parts.size());
    json.key("topology_hash").value(fmt::format("{:016x}", topology_hash(r.mesh)));
    write_counts(json, r.pose.totals, &r.pose.non_rigid_joints, &r.options.fix_winding);
    json.key("normalized_rotation_channels").value(r.pose.normalized_rotation_channels);
    json.key("largest_rotation_length_error").value(r.pose.largest_rotation_length_error);
    json.key("normalized_rest_rotations").value(r.scene.normalized_rest_rotations);
    json.key("largest_rest_rotation_length_error")
        .value(r.scene.largest_rest_rotation_length_error);
    json.key("ignored_channels").value(r.scene.ignored_channels);
    json.key("ignored_node_transforms").value(r.scene.ignored_node_transforms);
    json.key("joints_outside_scene").value(r.scene.joints_outside_scene);
    json.key("left_out_primitives").value(r.scene.left_out_primitives);
    json.key("dropped_by_format").begin_array();
    for (const std::string& name : r.dropped_by_format) json.value(name);
    json.end_array();
    write_measure(json, r.measure);
    write_findings(json, "warnings", r.scene.warnings);
    write_findings(json, "ignored", r.scene.ignored);
    write_parts(json, r);
    json.end_object();
    return json.text();
}

}  // namespace skinpose
