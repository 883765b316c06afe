#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include <CLI/CLI.hpp>

#include "commands.h"
#include "console.h"
#include "skinpose/error.h"

namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  skinpose info robot.glb                          what is in the file\n"
    "  skinpose pose robot.glb --clip walk --t 0.5      writes robot_walk_t0.5.obj and .json\n"
    "  skinpose pose robot.glb --clip walk --t 50% --method dqs -o half.ply\n"
    "\n"
    "Exit codes: 0 done, 1 a check failed, 2 usage, 3 input, 4 output, 5 no usable GPU, 70 a bug.\n"
    "Results go to stdout, everything else to stderr.";

int exit_code(skinpose::ErrorCode code) { return static_cast<int>(code); }

void print_error(const std::string& line) { skinpose::cli::print_lines({line}); }

int run(int argc, char** argv) {
    CLI::App app{
        "Poses rigged glTF files exactly and reports everything it dropped, repaired or counted."};
    app.name("skinpose");
    app.set_version_flag("--version", "skinpose " SKINPOSE_VERSION);
    app.require_subcommand(1);
    app.footer(kFooter);
    skinpose::cli::Run chosen;
    const auto add = [&](skinpose::cli::Run (*add_command)(CLI::App&)) {
        const skinpose::cli::Run command = add_command(app);
        app.get_subcommands({}).back()->callback([&chosen, command] { chosen = command; });
    };
    add(skinpose::cli::add_pose_command);
    add(skinpose::cli::add_info_command);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        app.exit(success);
        skinpose::cli::print_result("");
        return 0;
    } catch (const CLI::ParseError& error) {
        print_error(skinpose::printable(error.what()) + " (skinpose --help shows how)");
        return exit_code(skinpose::ErrorCode::Usage);
    }
    chosen();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // a closed stdout is an error to report, not a death
    try {
        return run(argc, argv);
    } catch (const skinpose::Error& error) {
        print_error(error.what());
        return exit_code(error.code());
    } catch (const std::bad_alloc&) {
        print_error("not enough memory for this file");
        return exit_code(skinpose::ErrorCode::Input);
    } catch (const std::exception& error) {
        print_error(std::string("a bug in skinpose: ") + error.what());
    }
    return exit_code(skinpose::ErrorCode::Bug);
}
