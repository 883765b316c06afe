// Exit codes, and errors of one line that name file, place and fact.

#include <sys/stat.h>

#include "cli/cli_fixture.h"

namespace skinpose::test {
namespace {

namespace fs = std::filesystem;

class CliErrors : public CliTest {
   protected:
    /// The tube after `pointer` was given `value`, posed: must fail with exit code 3.
    std::string broken(const std::string& pointer, const nlohmann::json& value) const {
        nlohmann::json document = tube_json();
        document[nlohmann::json::json_pointer(pointer)] = value;
        write_json("rig.gltf", document);
        return run_fails({"pose", "rig.gltf", "-o", "m.ply"}, 3);
    }
};

bool holds(const std::string& line, const std::string& word) {
    return line.find(word) != std::string::npos;
}

TEST_F(CliErrors, InputErrorsNameFilePlaceAndFact) {
    const std::string index = broken("/skins/0/joints/0", 4711);
    EXPECT_TRUE(holds(index, "rig.gltf")) << index;
    EXPECT_TRUE(holds(index, "/skins/0/joints/0")) << index;
    EXPECT_TRUE(holds(index, "4711")) << index;

    const std::string number = broken("/nodes/0/translation", {0, 0, "up"});
    EXPECT_TRUE(holds(number, "rig.gltf") && holds(number, "/nodes/0/translation")) << number;

    const std::string extension =
        broken("/extensionsRequired", nlohmann::json::array({"ACME_unheard_of"}));
    EXPECT_TRUE(holds(extension, "/extensionsRequired/0")) << extension;
    EXPECT_TRUE(holds(extension, "ACME_unheard_of")) << extension;

    const std::string version = broken("/asset/version", "1.0");
    EXPECT_TRUE(holds(version, "/asset/version") && holds(version, "1.0")) << version;
}

TEST_F(CliErrors, NamesFromAFileCannotForgeLinesOrDriveATerminal) {
    nlohmann::json document = tube_json();
    document["extensionsRequired"] = nlohmann::json::array({"X\nskinpose: done\x1b[2J\r"});
    write_json("a\nb\x1b.gltf", document);
    const std::string line = run_fails({"pose", "a\nb\x1b.gltf", "-o", "m.ply"}, 3);
    EXPECT_EQ(line.find_first_of("\x1b\r"), std::string::npos);

    write_json("rig.gltf", tube_json());
    const RunResult info = run_ok({"info", "rig.gltf"});
    document = tube_json();
    document["animations"][0]["name"] = "walk\x1b[2J\nforged";
    write_json("rig.gltf", document);
    const RunResult told = run_ok({"info", "rig.gltf"});
    EXPECT_EQ(told.out.find('\x1b'), std::string::npos);
    EXPECT_EQ(lines_of(told.out).size(), lines_of(info.out).size());
    const RunResult posed = run_ok({"pose", "rig.gltf", "--clip-index", "0", "-o", "m.ply"});
    EXPECT_EQ((posed.err + posed.out).find('\x1b'), std::string::npos);
}

TEST_F(CliErrors, ThingsThatAreNoGltfAreInputErrors) {
    write("empty.gltf", "");
    write("text.gltf", "hello");
    write("list.gltf", "[]");
    write("mesh.obj", "v 0 0 0\n");
    write("cut.glb", std::string("glTF\2\0\0\0\x40\0\0\0", 12));
    for (const char* name : {"empty.gltf", "text.gltf", "list.gltf", "mesh.obj", "cut.glb"}) {
        SCOPED_TRACE(name);
        EXPECT_TRUE(holds(run_fails({"pose", name, "-o", "m.ply"}, 3), name));
        EXPECT_TRUE(holds(run_fails({"info", name}, 3), name));
    }
}

TEST_F(CliErrors, FilesThatCannotBeReadAreInputErrors) {
    EXPECT_TRUE(holds(run_fails({"pose", "no such.gltf", "-o", "m.ply"}, 3), "no such.gltf"));
    fs::create_directory(folder() / "folder.gltf");
    EXPECT_TRUE(holds(run_fails({"pose", "folder.gltf", "-o", "m.ply"}, 3), "folder.gltf"));
    ASSERT_EQ(::mkfifo(path("fifo.gltf").c_str(), 0600), 0);
    RunSetting setting;
    setting.timeout_s = 10;  // a reader that waits for a writer hangs here
    run_fails({"pose", "fifo.gltf", "-o", "m.ply"}, 3, setting);
    run_fails({"info", "/dev/zero"}, 3, setting);
    nlohmann::json document = tube_json();
    document["buffers"][0]["uri"] = "missing.bin";
    write_json("rig.gltf", document);
    const std::string line = run_fails({"pose", "rig.gltf", "-o", "m.ply"}, 3);
    EXPECT_TRUE(holds(line, "/buffers/0/uri") && holds(line, "missing.bin")) << line;
}

TEST_F(CliErrors, CommandLinesThatMakeNoSenseAreUsageErrors) {
    const std::vector<std::vector<std::string>> senseless{
        {"unheard-of"},
        {"pose"},
        {"pose", tube(), "another.gltf"},
        {"pose", tube(), "--unheard-of"},
        {"pose", tube(), "--clip"},
        {"pose", tube(), "--method", "magic"},
        {"pose", tube(), "--precision", "half"},
        {"pose", tube(), "--normals", "sharp"},
        {"pose", tube(), "--blend-mode", "mean", "--clip", "bend", "--blend", "twist:0:0.5"},
        {"pose", tube(), "--max-influences", "0"},
        {"pose", tube(), "--max-influences", "-1"},
        {"pose", tube(), "--max-influences", "four"},
        {"pose", tube(), "--max-influences", "2.5"},
        {"pose", tube(), "--clip", "bend", "--t", "soon"},
        {"pose", tube(), "--clip", "bend", "--t", "nan"},
        {"pose", tube(), "--clip", "bend", "--t", "inf"},
        {"pose", tube(), "--clip", "bend", "--t", "0.5s"},
        {"pose", tube(), "--clip", "bend", "--t", "%"},
        {"pose", tube(), "--clip", ""},
        {"pose", tube(), "--clip", "bend", "--t", ""},
        {"pose", tube(), "--clip", "bend", "--blend", ""},
        {"pose", tube(), "--scene", ""},
        {"pose", tube(), "--place", ""},
        {"pose", tube(), "--report", ""},
        {"pose", tube(), "--clip", "bend", "--resample", "0"},
        {"pose", tube(), "--clip", "bend", "--resample", "-30"},
        {"pose", tube(), "--clip", "bend", "--resample", "nan"},
        {"pose", tube(), "-o", "m.obj", "--ascii"},
        {"pose", tube(), "-o", ""},
        {"pose", ""},
        {"info"},
        {"info", tube(), "--unheard-of"},
    };
    for (const auto& arguments : senseless) {
        std::string trace;
        for (const std::string& word : arguments) trace += word + " ";
        SCOPED_TRACE(trace);
        // An empty file name may be called unreadable instead.
        if (arguments == std::vector<std::string>{"pose", ""}) {
            EXPECT_NE(run(arguments).exit_code, 0);
            continue;
        }
        run_fails(arguments, 2);
    }
}

TEST_F(CliErrors, NoCommandShowsHelpAndIsAUsageError) {
    const RunResult result = run({});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(holds(result.out + result.err, "pose"));
}

TEST_F(CliErrors, ADashedFileNameWorksAfterTwoDashes) {
    write_json("-rig.gltf", tube_json());
    run_ok({"pose", "-o", "m.ply", "--", "-rig.gltf"});
    run_ok({"info", "--", "-rig.gltf"});
    run_ok({"pose", "--no-report", "--", "-rig.gltf"});
    for (const std::string& name : names())
        EXPECT_EQ(name.starts_with("-"), name == "-rig.gltf") << name;
}

TEST_F(CliErrors, EveryFindingOfAnAcceptedFileIsOneLineOnStderr) {
    nlohmann::json document = tube_json();
    document["animations"][0]["channels"].push_back(
        {{"sampler", 0}, {"target", {{"path", "translation"}}}});  // a channel without a node
    write_json("rig.gltf", document);
    const RunResult result = run_ok({"pose", "rig.gltf", "--clip-index", "0", "-o", "m.ply"});
    EXPECT_EQ(read_json("m.json").at("ignored_channels"), 1);
    std::size_t naming = 0;
    for (const std::string& line : lines_of(result.err)) naming += holds(line, "channel");
    EXPECT_GE(naming, 1U) << result.err;
    const std::size_t channels = document["animations"][0]["channels"].size();
    const std::string place = "/animations/0/channels/" + std::to_string(channels - 1);
    bool listed = false;
    const nlohmann::json report = read_json("m.json");
    for (const auto& finding : report.at("ignored"))
        listed |= finding.at("place").get<std::string>().starts_with(place);
    EXPECT_TRUE(listed) << report.at("ignored");
}

}  // namespace
}  // namespace skinpose::test
