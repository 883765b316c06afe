#include <cmath>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "arguments.h"
#include "commands.h"
#include "console.h"
#include "skinpose/atomic_file.h"
#include "skinpose/error.h"
#include "skinpose/json_writer.h"
#include "skinpose/report.h"
#include "skinpose/write_mesh.h"

namespace skinpose::cli {

namespace {

namespace fs = std::filesystem;

/// The command line of `pose`, as text.
struct PoseArguments {
    std::string file, method = "lbs", max_influences = "4", blend_mode = "palette", normals,
                      precision = "float";
    std::optional<std::string> output, clip, time, blend, scene, report, place;
    std::optional<std::size_t> clip_index;
    std::optional<double> resample_hz;
    std::size_t max_memory_mib = 4096;
    bool bind = false, ascii = false, no_renormalize = false, fast_normals = false,
         fix_winding = false;
    bool allow_outside_files = false, no_report = false, durable = false, quiet = false;
};

[[noreturn]] void usage(const std::string& fact) { throw Error(ErrorCode::Usage, "", "", fact); }

ReadOptions read_options(const PoseArguments& a) {
    ReadOptions options;
    options.allow_outside_files = a.allow_outside_files;
    options.max_memory_bytes = std::uint64_t{a.max_memory_mib} << 20;
    if (!a.scene) return options;
    options.scene = parse_count_or_all(*a.scene, "--scene", 0);
    options.all_scenes = !options.scene;
    return options;
}

PoseOptions pose_options(const PoseArguments& a) {
    PoseOptions options;
    options.method = a.method == "dqs" ? SkinMethod::DualQuaternion : SkinMethod::LinearBlend;
    options.influences.max_influences =
        parse_count_or_all(a.max_influences, "--max-influences", 1).value_or(kAllInfluences);
    options.influences.renormalize = !a.no_renormalize;
    options.precision = a.precision == "double" ? Precision::Double : Precision::Float;
    options.fast_normals = a.fast_normals;
    options.fix_winding = a.fix_winding;
    options.blend_mode = a.blend_mode == "trs" ? BlendMode::Trs : BlendMode::Palette;
    if (a.normals == "smooth") options.missing_normals = MissingNormals::Smooth;
    if (a.normals == "flat") options.missing_normals = MissingNormals::Flat;
    if (a.place) options.placement = parse_placement(*a.place);
    if (a.resample_hz && !(*a.resample_hz > 0.0 && std::isfinite(*a.resample_hz)))
        usage("--resample takes a rate above 0 Hz");
    options.resample_hz = a.resample_hz.value_or(0.0);
    return options;
}

void check_combinations(const PoseArguments& a) {
    const bool clip = a.clip || a.clip_index;
    if (a.clip && a.clip_index) usage("--clip and --clip-index name the same thing; give one");
    if (a.bind && (clip || a.time || a.blend || a.resample_hz))
        usage("--bind is the mesh as stored: it takes no clip, time, blend or resampling");
    if (a.resample_hz && !clip && !a.blend) usage("--resample needs a clip: add --clip NAME");
    if (a.time && !clip) usage("--t needs a clip: add --clip NAME or --clip-index K");
    if (a.report && a.report->empty()) usage("--report takes a file name, or - for stdout");
    if (a.no_report && a.report) usage("--report and --no-report contradict each other");
}

PoseTime pose_time(const PoseArguments& a, const Scene& scene) {
    PoseTime at;
    at.bind = a.bind;
    if (a.clip) at.clip = find_clip(scene, *a.clip);
    if (a.clip_index) at.clip = find_clip_index(scene, *a.clip_index);
    if (a.time) at.time_s = parse_time(*a.time, "--t").seconds(scene.clips[at.clip]);
    if (!a.blend) return at;
    const BlendArgument blend = parse_blend(*a.blend);
    if (blend.clip.empty() && blend.time.percent)
        usage("--blend: the rest pose has no duration to take a share of");
    at.blend = ClipBlend{kNone, blend.time.value, blend.mix};
    if (blend.clip.empty()) return at;
    at.blend->clip = find_clip(scene, blend.clip);
    at.blend->time_s = blend.time.seconds(scene.clips[at.blend->clip]);
    return at;
}

/// file_walk_t0.5.obj, file_rest.obj, file_bind.obj; _dqs and _blend where they apply.
std::string default_output(const PoseArguments& a, const Scene& scene, const PoseTime& at) {
    std::string name = safe_file_component(fs::path(a.file).stem().string(), "mesh");
    if (at.bind) {
        name += "_bind";
    } else if (at.clip == kNone) {
        name += "_rest";
    } else {
        name += "_" + safe_file_component(scene.clips[at.clip].name, "clip") + "_t";
        append_number(name, at.time_s);
    }
    if (at.blend) name += "_blend";
    if (a.method == "dqs") name += "_dqs";
    return name + ".obj";
}

std::string report_path(const PoseArguments& a, const std::string& output) {
    if (a.no_report || a.report == "-") return {};
    if (a.report) return *a.report;
    return fs::path(output).replace_extension(".json").string();
}

void refuse_overwriting_input(const Scene& scene, const std::string& path) {
    for (const std::string& source : scene.source_files)
        if (same_file(path, source))
            throw Error(ErrorCode::Output, path, "", "is one of the files that are read");
}

/// Mesh and report appear together, and only when both are whole.
void write_files(const PoseArguments& a, const OutputReport& report, MeshFormat format) {
    const std::string json_path = report_path(a, report.output);
    refuse_overwriting_input(report.scene, report.output);
    if (!json_path.empty()) refuse_overwriting_input(report.scene, json_path);
    if (!json_path.empty() && fs::weakly_canonical(fs::absolute(json_path)) ==
                                  fs::weakly_canonical(fs::absolute(report.output)))
        throw Error(ErrorCode::Usage, json_path, "", "is asked for as mesh and as report");
    AtomicFile mesh_file(report.output);
    write_mesh(report.mesh, format, a.ascii ? PlyEncoding::Ascii : PlyEncoding::Binary,
               mesh_file.stream());
    mesh_file.finish(a.durable);
    const std::string json = report_json(report);
    if (!json_path.empty()) {
        AtomicFile json_file(json_path);
        json_file.stream() << json;
        json_file.finish(a.durable);
        mesh_file.commit(a.durable);
        json_file.commit(a.durable);
    } else {
        mesh_file.commit(a.durable);
    }
    if (a.report == "-")
        print_result(json);
    else
        print_result(report.output + "\n" + (json_path.empty() ? "" : json_path + "\n"));
}

void run_pose(const PoseArguments& a) {
    check_combinations(a);
    const PoseOptions options = pose_options(a);
    MeshFormat format = a.output ? format_of(*a.output) : MeshFormat::Obj;
    if (a.ascii && format != MeshFormat::Ply) usage("--ascii is for .ply; .obj is text already");
    if (options.missing_normals == MissingNormals::Flat && format != MeshFormat::Obj)
        usage("--normals flat needs .obj: other formats hold one normal a vertex");
    const Scene scene = read_scene(a.file, read_options(a));
    const PoseTime at = pose_time(a, scene);
    Poser poser(scene, options);
    TriMesh mesh = poser.make_mesh();
    const PoseReport& pose = poser.pose(at, mesh);
    const MeshMeasure measure = measure_mesh(mesh);
    OutputReport report{scene, options, at, pose, measure, mesh, {}, {}, "cpu", "", {}};
    report.output = a.output ? *a.output : default_output(a, scene, at);
    report.time_asked_s = at.time_s;
    report.dropped_by_format = attributes_without_place(scene, format);
    write_files(a, report, format);
    if (!a.quiet) print_lines(summary_lines(report));
}

void add_selection_options(CLI::App& command, PoseArguments& a) {
    command.add_option("FILE", a.file, "A rigged .gltf or .glb")->required();
    command.add_option("--clip", a.clip,
                       "Clip: exact name, NAME#K for the K-th of that name, or index");
    command.add_option("--clip-index", a.clip_index, "Clip by index, from 0");
    command.add_option("--t", a.time,
                       "Time in seconds, or a share of the clip such as 50%. Default 0");
    command.add_flag("--bind", a.bind, "The mesh as stored: no node, joint or morph");
    command.add_option("--blend", a.blend,
                       "CLIP:T:MIX, mix in a second pose (an empty CLIP is the rest pose)");
    command
        .add_option("--blend-mode", a.blend_mode,
                    "palette (lerp of matrices) or trs (slerp of joints)")
        ->check(CLI::IsMember({"palette", "trs"}));
    command.add_option("--resample", a.resample_hz,
                       "Evaluate as an engine that bakes keys at this rate, in Hz");
    command.add_option("--scene", a.scene, "Scene index, or all. Default: the file's own");
    command.add_option("--place", a.place,
                       "Move the posed scene: TX,TY,TZ[,SCALE] or a 4x4 row by row");
}

void add_skinning_options(CLI::App& command, PoseArguments& a) {
    command.add_option("--method", a.method, "lbs (linear blend) or dqs (dual quaternions)")
        ->check(CLI::IsMember({"lbs", "dqs"}));
    command.add_option("--max-influences", a.max_influences,
                       "Influences kept per vertex, or all. Default 4");
    command.add_flag("--no-renormalize", a.no_renormalize, "Use the weights as the file has them");
    command.add_flag("--fast-normals", a.fast_normals,
                     "Normals by the plain matrix, wrong under scale");
    command
        .add_option("--normals", a.normals,
                    "Where there are none: smooth (area-weighted) or flat (.obj only)")
        ->check(CLI::IsMember({"smooth", "flat"}));
    command.add_flag("--fix-winding", a.fix_winding, "Flip skinned faces that the pose mirrors");
    command
        .add_option("--precision", a.precision,
                    "float, or double: the reference, written in double")
        ->check(CLI::IsMember({"float", "double"}));
}

void add_output_options(CLI::App& command, PoseArguments& a) {
    command.add_option("-o,--output", a.output,
                       "Mesh to write, .obj or .ply. Default FILE_CLIP_tTIME.obj here");
    command.add_flag("--ascii", a.ascii, "PLY as text");
    command.add_option("--report", a.report,
                       "Where the JSON report goes; - is stdout. Default beside the mesh");
    command.add_flag("--no-report", a.no_report, "Write no report");
    command.add_flag("--durable", a.durable,
                     "Make sure results are on disk before they get their name");
    command.add_flag("--quiet", a.quiet, "No summary on stderr");
    command.add_flag("--allow-outside-files", a.allow_outside_files,
                     "Let buffers lie outside the asset's folder");
    command.add_option("--max-memory", a.max_memory_mib,
                       "What reading may allocate, in MiB. Default 4096");
}

}  // namespace

Run add_pose_command(CLI::App& app) {
    auto arguments = std::make_shared<PoseArguments>();
    CLI::App* command = app.add_subcommand(
        "pose", "Evaluate a clip at a time and write the posed mesh and a report");
    add_selection_options(*command, *arguments);
    add_skinning_options(*command, *arguments);
    add_output_options(*command, *arguments);
    command->footer(
        "Without --clip the rest pose is written. The report beside the mesh says what was "
        "dropped,\n"
        "repaired or counted.\n"
        "\n"
        "Examples:\n"
        "  skinpose pose robot.glb --clip walk --t 0.5\n"
        "  skinpose pose robot.glb --clip walk --t 50% --blend run:0.2:0.3 -o mix.ply\n"
        "  skinpose pose robot.glb --clip 0 --t 1 --method dqs --max-influences all --report - -o "
        "r.obj");
    return [arguments] { run_pose(*arguments); };
}

}  // namespace skinpose::cli
