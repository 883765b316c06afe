// Where `skinpose pose` writes, what it says about it, and what it never touches.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "cli/cli_fixture.h"

namespace skinpose::test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class CliOutput : public CliTest {};

TEST_F(CliOutput, WithoutNameGoesIntoTheCurrentFolderNamedByFileClipAndTime) {
    const RunResult result = run_ok({"pose", tube(), "--clip", "bend", "--t", "0.5"});
    EXPECT_EQ(names(), (Names{"tube_bend_t0.5.json", "tube_bend_t0.5.obj"}));
    const Names said = lines_of(result.out);
    EXPECT_NE(std::find(said.begin(), said.end(), "tube_bend_t0.5.obj"), said.end()) << result.out;
    EXPECT_NE(std::find(said.begin(), said.end(), "tube_bend_t0.5.json"), said.end()) << result.out;
    const nlohmann::json report = read_json("tube_bend_t0.5.json");
    EXPECT_EQ(report.at("output"), "tube_bend_t0.5.obj");
    EXPECT_EQ(report.at("clip").at("name"), "bend");
    EXPECT_EQ(report.at("time_used_s"), 0.5);
}

TEST_F(CliOutput, WithoutNameRestAndBindPosesHaveNamesOfTheirOwn) {
    run_ok({"pose", tube()});
    const Names rest = names();
    ASSERT_EQ(rest.size(), 2U);
    run_ok({"pose", tube(), "--bind"});
    ASSERT_EQ(names().size(), 4U);
    for (const std::string& name : names()) EXPECT_TRUE(name.starts_with("tube")) << name;
}

TEST_F(CliOutput, ClipNamesOfAnySortStayInTheCurrentFolder) {
    nlohmann::json document = tube_json();
    document["animations"][0]["name"] = "../up/..\\down: \"a\"*?\n\x1b[31m";
    document["animations"][1]["name"] = std::string(3000, 'n');
    write_json("rig.gltf", document);
    run_ok({"pose", "rig.gltf", "--clip-index", "0", "--t", "0"});
    run_ok({"pose", "rig.gltf", "--clip-index", "1", "--t", "0"});
    ASSERT_EQ(names().size(), 5U);
    for (const std::string& name : names()) {
        EXPECT_EQ(name.find_first_of("/\\:\"*?\n\x1b"), std::string::npos) << name;
        EXPECT_LE(name.size(), 255U);
    }
    EXPECT_FALSE(fs::exists(folder().parent_path() / "up"));
}

TEST_F(CliOutput, ReportLiesBesideANamedMesh) {
    fs::create_directory(folder() / "sub");
    run_ok({"pose", tube(), "-o", "sub/posed.ply"});
    EXPECT_EQ(names(), (Names{"sub", "sub/posed.json", "sub/posed.ply"}));
    EXPECT_EQ(read_json("sub/posed.json").at("output"), "sub/posed.ply");
}

TEST_F(CliOutput, ReportGoesWhereItIsTold) {
    run_ok({"pose", tube(), "-o", "posed.obj", "--report", "facts.json"});
    EXPECT_EQ(names(), (Names{"facts.json", "posed.obj"}));
    EXPECT_EQ(read_json("facts.json").at("schema_version"), 1);
}

TEST_F(CliOutput, NoReportWritesTheMeshAlone) {
    run_ok({"pose", tube(), "-o", "posed.obj", "--no-report"});
    EXPECT_EQ(names(), (Names{"posed.obj"}));
}

TEST_F(CliOutput, ReportOnStdoutIsNothingButJson) {
    const RunResult result = run_ok({"pose", tube(), "-o", "posed.obj", "--report", "-"});
    EXPECT_EQ(names(), (Names{"posed.obj"}));
    const nlohmann::json report = nlohmann::json::parse(result.out);
    EXPECT_EQ(report.at("output"), "posed.obj");
}

TEST_F(CliOutput, ReportAndNoReportTogetherAreRefused) {
    run_fails({"pose", tube(), "-o", "a.obj", "--report", "b.json", "--no-report"}, 2);
}

TEST_F(CliOutput, TheSummaryGoesToStderrAndResultsToStdout) {
    const RunResult result = run_ok({"pose", tube(), "-o", "posed.obj"});
    EXPECT_EQ(lines_of(result.out), (Names{"posed.obj", "posed.json"}));
    EXPECT_FALSE(result.err.empty());
}

TEST_F(CliOutput, NamesWithBlanksAndUtf8AreKept) {
    const std::string input = "мой файл é 人.gltf";
    write_json(input, tube_json());
    run_ok({"pose", input, "-o", "ответ 人.ply"});
    EXPECT_EQ(names(), (Names{input, "ответ 人.json", "ответ 人.ply"}));
    EXPECT_EQ(read_json("ответ 人.json").at("output"), "ответ 人.ply");

    run_ok({"pose", input, "--clip", "bend", "--t", "0.5"});
    // A name made up by skinpose has no blanks: it is typed again sooner or later.
    EXPECT_TRUE(exists("мой_файл_é_人_bend_t0.5.obj"));
}

TEST_F(CliOutput, AnExistingOutputIsReplacedWhole) {
    write("posed.obj", std::string(1 << 20, 'x'));
    run_ok({"pose", tube(), "-o", "posed.obj", "--no-report"});
    EXPECT_EQ(read("posed.obj").find('x'), std::string::npos);
    run_ok({"pose", tube(), "-o", "again.obj", "--no-report"});
    EXPECT_EQ(read("posed.obj"), read("again.obj"));
}

TEST_F(CliOutput, AFailedRunLeavesAnEarlierOutputAsItWas) {
    write("posed.obj", std::string("precious"));
    write("posed.json", std::string("facts"));
    write("broken.gltf", std::string("{"));
    run_fails({"pose", "broken.gltf", "-o", "posed.obj"}, 3);
    EXPECT_EQ(read("posed.obj"), "precious");
    EXPECT_EQ(read("posed.json"), "facts");
}

TEST_F(CliOutput, WhenTheReportCannotBeWrittenThereIsNoMeshEither) {
    write("posed.obj", std::string("precious"));
    run_fails({"pose", tube(), "-o", "posed.obj", "--report", "no/such/folder.json"}, 4);
    EXPECT_EQ(read("posed.obj"), "precious");
}

TEST_F(CliOutput, FoldersOfAPlainNameAreNotMade) {
    const std::string line = run_fails({"pose", tube(), "-o", "no/such/posed.obj"}, 4);
    EXPECT_NE(line.find("no/such"), std::string::npos) << line;
}

TEST_F(CliOutput, UnknownFormatsAreRefusedWithTheOnesThereAre) {
    for (const char* name : {"posed.fbx", "posed", "posed.", ".obj.txt"}) {
        const std::string line = run_fails({"pose", tube(), "-o", name}, 2);
        EXPECT_NE(line.find(".obj"), std::string::npos) << line;
        EXPECT_NE(line.find(".ply"), std::string::npos) << line;
    }
}

TEST_F(CliOutput, TheFormatFollowsTheEndingInAnyCase) {
    run_ok({"pose", tube(), "-o", "POSED.PLY", "--no-report"});
    EXPECT_TRUE(read("POSED.PLY").starts_with("ply\n"));
}

TEST_F(CliOutput, TheInputIsNeverTheOutputByAnyName) {
    // By its name it has the wrong ending; so the input is called .obj here, which readers ignore.
    write_json("rig.obj", tube_json());
    const std::string before = read("rig.obj");
    ASSERT_EQ(::link(path("rig.obj").c_str(), path("hard.obj").c_str()), 0);
    fs::create_symlink("rig.obj", folder() / "soft.obj");
    for (const char* output : {"rig.obj", "./rig.obj", "hard.obj", "soft.obj"}) {
        SCOPED_TRACE(output);
        run_fails({"pose", "rig.obj", "-o", output}, 4);
        run_fails({"pose", "rig.obj", "-o", "fine.obj", "--report", output}, 4);
    }
    EXPECT_EQ(read("rig.obj"), before);
    EXPECT_EQ(read("hard.obj"), before);
    EXPECT_TRUE(fs::is_symlink(folder() / "soft.obj"));
}

TEST_F(CliOutput, MeshAndReportOfOneNameAreRefused) {
    run_fails({"pose", tube(), "-o", "one.obj", "--report", "one.obj"}, 2);
    run_fails({"pose", tube(), "-o", "one.obj", "--report", "./one.obj"}, 2);
}

TEST_F(CliOutput, ABufferOfTheInputIsNeverTheOutput) {
    nlohmann::json document = tube_json();
    const std::string uri = document["buffers"][0]["uri"];
    const std::string bytes = decode_base64(uri.substr(uri.find(',') + 1));
    ASSERT_EQ(bytes.size(), document["buffers"][0]["byteLength"].get<std::size_t>());
    document["buffers"][0]["uri"] = "data.ply";
    write_json("rig.gltf", document);
    write("data.ply", bytes);
    run_ok({"pose", "rig.gltf", "-o", "fine.ply", "--no-report"});
    run_fails({"pose", "rig.gltf", "-o", "data.ply", "--no-report"}, 4);
    run_fails({"pose", "rig.gltf", "-o", "fine.ply", "--report", "data.ply"}, 4);
    EXPECT_EQ(read("data.ply"), bytes);
}

TEST_F(CliOutput, FolderAndDeviceAndFullDiskAreOutputErrors) {
    fs::create_directory(folder() / "folder.obj");
    run_fails({"pose", tube(), "-o", "folder.obj"}, 4);
    fs::create_symlink("/dev/full", folder() / "full.obj");
    run_fails({"pose", tube(), "-o", "full.obj", "--no-report"}, 4);
    run_fails({"pose", tube(), "-o", "/proc/posed.obj"}, 4);
    EXPECT_TRUE(fs::is_symlink(folder() / "full.obj"));
}

TEST_F(CliOutput, AReadOnlyFolderIsAnOutputError) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write into read-only folders";
    fs::create_directory(folder() / "shut");
    ASSERT_EQ(::chmod(path("shut").c_str(), 0555), 0);
    run_fails({"pose", tube(), "-o", "shut/posed.obj"}, 4);
}

TEST_F(CliOutput, ADiskThatFillsUpLeavesNothing) {
    RunSetting setting;
    setting.file_size_limit = 1000;
    write("posed.ply", std::string("precious"));
    run_fails({"pose", tube(), "-o", "posed.ply"}, 4, setting);
    EXPECT_EQ(read("posed.ply"), "precious");
}

TEST_F(CliOutput, AFullStdoutIsAnOutputError) {
    RunSetting setting;
    setting.stdout_path = "/dev/full";
    EXPECT_EQ(run({"pose", tube(), "-o", "a.obj", "--report", "-"}, setting).exit_code, 4);
    EXPECT_EQ(run({"info", tube()}, setting).exit_code, 4);
    EXPECT_EQ(run({"info", tube(), "--json"}, setting).exit_code, 4);
    EXPECT_EQ(run({"--help"}, setting).exit_code, 4);
}

TEST_F(CliOutput, AClosedStdoutIsNeverTheMesh) {
    RunSetting setting;
    setting.close_stdout = true;
    const RunResult to_file = run({"pose", tube(), "-o", "a.obj"}, setting);
    EXPECT_TRUE(to_file.exit_code == 0 || to_file.exit_code == 4) << to_file.exit_code;
    run_ok({"pose", tube(), "-o", "b.obj"});
    if (exists("a.obj")) {
        EXPECT_EQ(read("a.obj"), read("b.obj"));
    }
    EXPECT_EQ(run({"pose", tube(), "-o", "c.obj", "--report", "-"}, setting).exit_code, 4);
    EXPECT_EQ(run({"info", tube()}, setting).exit_code, 4);
}

TEST_F(CliOutput, TheSameRunGivesTheSameBytes) {
    for (const char* ending : {"obj", "ply"}) {
        const std::string output = std::string("posed.") + ending;
        std::string mesh, report;
        for (int i = 0; i < 2; ++i) {
            run_ok(
                {"pose", tube(), "--clip", "twist", "--t", "0.3", "--method", "dqs", "-o", output});
            if (i == 1) {
                EXPECT_EQ(read(output), mesh);
                EXPECT_EQ(read("posed.json"), report);
            }
            mesh = read(output);
            report = read("posed.json");
        }
    }
}

TEST_F(CliOutput, TheInputIsOnlyRead) {
    write_json("rig.gltf", tube_json());
    const std::string before = read("rig.gltf");
    run_ok({"pose", "rig.gltf", "-o", "a.obj"});
    run_ok({"info", "rig.gltf"});
    EXPECT_EQ(read("rig.gltf"), before);
}

}  // namespace
}  // namespace skinpose::test
