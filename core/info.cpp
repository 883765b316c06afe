#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings_json.h"
#include "skinpose/error.h"
#include "skinpose/json_writer.h"
#include "skinpose/report.h"

namespace skinpose {

namespace {

constexpr std::array<const char*, 4> kPaths = {"translation", "rotation", "scale", "weights"};
constexpr std::array<const char*, 3> kInterpolations = {"STEP", "LINEAR", "CUBICSPLINE"};

std::string quoted(const std::string& name) { return "\"" + printable(name, 80) + "\""; }

std::vector<std::string> attributes_of(const Primitive& p) {
    std::vector<std::string> names{"POSITION"};
    if (!p.normals.empty()) names.emplace_back("NORMAL");
    if (!p.tangents.empty()) names.emplace_back("TANGENT");
    if (!p.texcoords.empty()) names.emplace_back("TEXCOORD_0");
    if (!p.colors.empty()) names.emplace_back("COLOR_0");
    for (std::size_t s = 0; s < p.influences.sets; ++s) {
        names.push_back(fmt::format("JOINTS_{}", s));
        names.push_back(fmt::format("WEIGHTS_{}", s));
    }
    return names;
}

/// What a rigger asks of the weights first.
struct InfluenceStatistics {
    std::size_t sets = 0, most = 0, beyond_four = 0, unweighted = 0;
    double least_sum = 0.0, greatest_sum = 0.0;
};

InfluenceStatistics statistics_of(const Primitive& p) {
    InfluenceStatistics s;
    s.sets = p.influences.sets;
    s.most = p.influences.all.width;
    InfluenceReport report;
    (void)cap_influences(p.influences, {4, true}, report);
    s.beyond_four = report.capped_vertices.size();
    s.unweighted = report.unweighted_vertices;
    const auto& sums = p.influences.weight_sums;
    if (!sums.empty()) {
        s.least_sum = *std::min_element(sums.begin(), sums.end());
        s.greatest_sum = *std::max_element(sums.begin(), sums.end());
    }
    return s;
}

/// Channels of a clip by path and interpolation: counts[path][interpolation].
std::array<std::array<std::size_t, 3>, 4> channel_counts(const Clip& clip) {
    std::array<std::array<std::size_t, 3>, 4> counts{};
    for (const Channel& c : clip.channels) {
        const auto interpolation = static_cast<std::size_t>(clip.samplers[c.sampler].interpolation);
        ++counts[static_cast<std::size_t>(c.path)][interpolation];
    }
    return counts;
}

std::size_t most_keys(const Clip& clip) {
    std::size_t most = 0;
    for (const Sampler& s : clip.samplers) most = std::max(most, s.times_s.size());
    return most;
}

template <typename Real>
std::string number(Real x) {
    std::string text;
    append_number(text, x);
    return text;
}

void add_nodes(const Scene& scene, std::string& out) {
    std::vector<std::size_t> depth(scene.nodes.size(), 0);
    std::vector<bool> joint(scene.nodes.size(), false);
    for (const Skin& skin : scene.skins)
        for (const std::size_t j : skin.joints) joint[j] = true;
    out += fmt::format("nodes: {}\n", scene.nodes.size());
    constexpr std::size_t kDeepest = 40;  // indentation stops here, the tree goes on
    for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
        const Node& node = scene.nodes[n];
        if (node.parent != kNone) depth[n] = depth[node.parent] + 1;
        out += fmt::format("{:{}}{} {}", "", 2 + 2 * std::min(depth[n], kDeepest),
                           node.source_index, quoted(node.name));
        if (joint[n]) out += " joint";
        if (node.mesh != kNone) out += fmt::format(" mesh {}", node.mesh);
        if (node.skin != kNone) out += fmt::format(" skin {}", node.skin);
        if (node.has_matrix) out += " matrix";
        if (!node.in_scene) out += " (outside the scene)";
        out += "\n";
    }
}

void add_meshes(const Scene& scene, std::string& out) {
    out += fmt::format("meshes: {}\n", scene.meshes.size());
    for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
        const Mesh& mesh = scene.meshes[m];
        out += fmt::format("  {} {}", m, quoted(mesh.name));
        if (mesh.target_count > 0) out += fmt::format(", {} morph targets", mesh.target_count);
        out += "\n";
        for (const Primitive& p : mesh.primitives) {
            out += fmt::format("    {}: {} vertices, {} triangles", p.place, p.positions.size(),
                               p.triangles.size());
            if (!p.material.empty()) out += ", material " + quoted(p.material);
            out += "\n      ";
            for (const std::string& name : attributes_of(p)) out += " " + name;
            out += "\n";
            if (p.influences.sets == 0) continue;
            const InfluenceStatistics s = statistics_of(p);
            out += fmt::format(
                "       influences: {} sets, most per vertex {}, {} vertices beyond four, "
                "{} unweighted, weight sums {} to {}\n",
                s.sets, s.most, s.beyond_four, s.unweighted, number(s.least_sum),
                number(s.greatest_sum));
        }
    }
}

void add_skins_and_clips(const Scene& scene, std::string& out) {
    out += fmt::format("skins: {}\n", scene.skins.size());
    for (std::size_t s = 0; s < scene.skins.size(); ++s) {
        out += fmt::format("  {} {}: {} joints:", s, quoted(scene.skins[s].name),
                           scene.skins[s].joints.size());
        for (const std::size_t j : scene.skins[s].joints)
            out += fmt::format(" {} {}", scene.nodes[j].source_index, quoted(scene.nodes[j].name));
        out += "\n";
    }
    out += fmt::format("clips: {}\n", scene.clips.size());
    for (std::size_t c = 0; c < scene.clips.size(); ++c) {
        const Clip& clip = scene.clips[c];
        out += fmt::format("  {} {}: duration {} s, keys from {} s, up to {} keys a channel\n", c,
                           quoted(clip.name), number(static_cast<float>(clip.duration_s)),
                           number(static_cast<float>(clip.start_s)), most_keys(clip));
        const auto counts = channel_counts(clip);
        for (std::size_t p = 0; p < kPaths.size(); ++p)
            for (std::size_t i = 0; i < kInterpolations.size(); ++i)
                if (counts[p][i] > 0)
                    out += fmt::format("    {} {} channels {}\n", counts[p][i], kPaths[p],
                                       kInterpolations[i]);
    }
}

void add_list(const char* title, const std::vector<std::string>& items, std::string& out) {
    if (items.empty()) return;
    out += title;
    for (const std::string& item : items) out += " " + printable(item, 80);
    out += "\n";
}

void add_findings(const char* title, const std::vector<Finding>& findings, std::string& out) {
    for (const Finding& f : findings)
        out += printable(
                   fmt::format("{}: {}{}{}", title, f.place, f.place.empty() ? "" : ": ", f.fact),
                   400) +
               "\n";
}

void write_nodes(JsonWriter& json, const Scene& scene) {
    json.key("nodes").begin_array();
    for (const Node& node : scene.nodes) {
        json.begin_object();
        json.key("index").value(node.source_index);
        json.key("name").value(node.name);
        if (node.parent == kNone)
            json.key("parent").null();
        else
            json.key("parent").value(scene.nodes[node.parent].source_index);
        if (node.mesh != kNone) json.key("mesh").value(node.mesh);
        if (node.skin != kNone) json.key("skin").value(node.skin);
        json.key("matrix").value(node.has_matrix);
        json.key("in_scene").value(node.in_scene);
        json.end_object();
    }
    json.end_array();
}

void write_influences(JsonWriter& json, const Primitive& p) {
    const InfluenceStatistics s = statistics_of(p);
    json.key("influences").begin_object();
    json.key("sets").value(s.sets);
    json.key("most_per_vertex").value(s.most);
    json.key("vertices_beyond_four").value(s.beyond_four);
    json.key("unweighted_vertices").value(s.unweighted);
    json.key("least_weight_sum").value(s.least_sum);
    json.key("greatest_weight_sum").value(s.greatest_sum);
    json.end_object();
}

void write_meshes(JsonWriter& json, const Scene& scene) {
    json.key("meshes").begin_array();
    for (const Mesh& mesh : scene.meshes) {
        json.begin_object();
        json.key("name").value(mesh.name);
        json.key("morph_targets").value(mesh.target_count);
        json.key("primitives").begin_array();
        for (const Primitive& p : mesh.primitives) {
            json.begin_object();
            json.key("place").value(p.place);
            json.key("material").value(p.material);
            json.key("vertices").value(p.positions.size());
            json.key("triangles").value(p.triangles.size());
            json.key("attributes").begin_inline_array();
            for (const std::string& name : attributes_of(p)) json.value(name);
            json.end_array();
            if (p.influences.sets > 0) write_influences(json, p);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
}

void write_skins(JsonWriter& json, const Scene& scene) {
    json.key("skins").begin_array();
    for (const Skin& skin : scene.skins) {
        json.begin_object();
        json.key("name").value(skin.name);
        json.key("joints").begin_inline_array();
        for (const std::size_t j : skin.joints) json.value(scene.nodes[j].source_index);
        json.end_array();
        json.end_object();
    }
    json.end_array();
}

void write_clips(JsonWriter& json, const Scene& scene) {
    json.key("clips").begin_array();
    for (const Clip& clip : scene.clips) {
        json.begin_object();
        json.key("name").value(clip.name);
        json.key("start_s").value(static_cast<float>(clip.start_s));
        json.key("duration_s").value(static_cast<float>(clip.duration_s));
        json.key("most_keys").value(most_keys(clip));
        json.key("channels").begin_array();
        const auto counts = channel_counts(clip);
        for (std::size_t p = 0; p < kPaths.size(); ++p)
            for (std::size_t i = 0; i < kInterpolations.size(); ++i) {
                if (counts[p][i] == 0) continue;
                json.begin_object();
                json.key("path").value(kPaths[p]);
                json.key("interpolation").value(kInterpolations[i]);
                json.key("count").value(counts[p][i]);
                json.end_object();
            }
        json.end_array();
        json.end_object();
    }
    json.end_array();
}

void write_strings(JsonWriter& json, const char* key, const std::vector<std::string>& items) {
    json.key(key).begin_array();
    for (const std::string& item : items) json.value(item);
    json.end_array();
}

}  // namespace

std::string info_text(const Scene& scene) {
    std::string out = fmt::format("{}\n", printable(scene.file));
    if (!scene.generator.empty()) out += "generator: " + printable(scene.generator) + "\n";
    if (!scene.copyright.empty()) out += "copyright: " + printable(scene.copyright) + "\n";
    add_list("extensions used:", scene.extensions_used, out);
    add_list("extensions required:", scene.extensions_required, out);
    out += fmt::format("scenes: {}\n", scene.scenes.size());
    for (std::size_t s = 0; s < scene.scenes.size(); ++s)
        out += fmt::format("  {} {}: {} roots{}\n", s, quoted(scene.scenes[s].name),
                           scene.scenes[s].roots.size(), scene.scene == s ? " (posed)" : "");
    add_nodes(scene, out);
    add_meshes(scene, out);
    add_skins_and_clips(scene, out);
    add_findings("warning", scene.warnings, out);
    add_findings("ignored", scene.ignored, out);
    return out;
}

std::string info_json(const Scene& scene) {
    JsonWriter json;
    json.begin_object();
    json.key("file").value(scene.file);
    json.key("reader").value(scene.reader);
    json.key("generator").value(scene.generator);
    json.key("copyright").value(scene.copyright);
    write_strings(json, "extensions_used", scene.extensions_used);
    write_strings(json, "extensions_required", scene.extensions_required);
    if (scene.scene)
        json.key("scene").value(*scene.scene);
    else
        json.key("scene").null();
    json.key("scenes").begin_array();
    for (const SceneEntry& entry : scene.scenes) {
        json.begin_object();
        json.key("name").value(entry.name);
        json.key("roots").begin_inline_array();
        for (const std::size_t root : entry.roots) json.value(scene.nodes[root].source_index);
        json.end_array();
        json.end_object();
    }
    json.end_array();
    write_nodes(json, scene);
    write_meshes(json, scene);
    write_skins(json, scene);
    write_clips(json, scene);
    write_findings(json, "warnings", scene.warnings);
    write_findings(json, "ignored", scene.ignored);
    json.end_object();
    return json.text();
}

}  // namespace skinpose
