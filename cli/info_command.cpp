#include <CLI/CLI.hpp>

#include "commands.h"
#include "console.h"
#include "skinpose/report.h"

namespace skinpose::cli {

namespace {

struct InfoOptions {
    std::string file;
    bool json = false;
    bool allow_outside_files = false;
};

void run_info(const InfoOptions& options) {
    ReadOptions read;
    read.allow_outside_files = options.allow_outside_files;
    read.read_unused_meshes = true;
    const Scene scene = read_scene(options.file, read);
    print_result(options.json ? info_json(scene) : info_text(scene));
}

}  // namespace

Run add_info_command(CLI::App& app) {
    auto options = std::make_shared<InfoOptions>();
    CLI::App* command =
        app.add_subcommand("info", "Show what is in a file: nodes, meshes, skins, clips, weights");
    command->add_option("FILE", options->file, "A .gltf or .glb")->required();
    command->add_flag("--json", options->json, "The same as JSON");
    command->add_flag("--allow-outside-files", options->allow_outside_files,
                      "Let buffers lie outside the asset's folder");
    command->footer("Example: skinpose info robot.glb --json | jq '.clips[].name'");
    return [options] { run_info(*options); };
}

}  // namespace skinpose::cli
