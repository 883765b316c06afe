// The help teaches, and `skinpose info` says what a file holds.

#include "cli/cli_fixture.h"

namespace skinpose::test {
namespace {

class CliHelp : public CliTest {};

bool holds(const std::string& text, const std::string& word) {
    return text.find(word) != std::string::npos;
}

TEST_F(CliHelp, HelpOfTheToolListsTheCommandsAndShowsAnExample) {
    const RunResult result = run_ok({"--help"});
    for (const char* word : {"pose", "info", "skinpose pose "})
        EXPECT_TRUE(holds(result.out, word)) << word;
    EXPECT_EQ(result.err, "");
}

TEST_F(CliHelp, HelpOfPoseNamesEveryOptionAndShowsAnExample) {
    const RunResult result = run_ok({"pose", "--help"});
    for (const char* word : {"--clip",
                             "--clip-index",
                             "--t",
                             "--bind",
                             "-o",
                             "--ascii",
                             "--method",
                             "--max-influences",
                             "--no-renormalize",
                             "--fast-normals",
                             "--blend",
                             "--blend-mode",
                             "--scene",
                             "--fix-winding",
                             "--resample",
                             "--normals",
                             "--allow-outside-files",
                             "--precision",
                             "--report",
                             "--no-report",
                             "--place",
                             "skinpose pose "})
        EXPECT_TRUE(holds(result.out, word)) << word;
    EXPECT_EQ(result.err, "");
}

TEST_F(CliHelp, HelpOfInfoShowsAnExample) {
    const RunResult result = run_ok({"info", "--help"});
    EXPECT_TRUE(holds(result.out, "--json"));
    EXPECT_TRUE(holds(result.out, "skinpose info "));
}

TEST_F(CliHelp, HelpFitsATerminal) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"--help"}, {"pose", "--help"}, {"info", "--help"}})
        for (const std::string& line : lines_of(run_ok(arguments).out))
            EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(CliHelp, VersionIsTheReportsVersion) {
    const RunResult result = run_ok({"--version"});
    ASSERT_EQ(lines_of(result.out).size(), 1U);
    run_ok({"pose", tube(), "-o", "m.ply"});
    const std::string version = read_json("m.json").at("skinpose");
    EXPECT_FALSE(version.empty());
    EXPECT_TRUE(holds(result.out, version)) << result.out;
}

TEST_F(CliHelp, InfoNamesClipsJointsMeshesAndCounts) {
    const RunResult result = run_ok({"info", tube()});
    for (const char* word : {"bend", "twist", "POSITION", "JOINTS_0", "WEIGHTS_0", "rotation"})
        EXPECT_TRUE(holds(result.out, word)) << word << "\n" << result.out;
    const nlohmann::json document = tube_json();
    for (const nlohmann::json& joint : document["skins"][0]["joints"])
        EXPECT_TRUE(holds(result.out, document["nodes"][joint.get<std::size_t>()]["name"]));
    const nlohmann::json& position = document["accessors"].at(
        document["meshes"][0]["primitives"][0]["attributes"]["POSITION"].get<std::size_t>());
    EXPECT_TRUE(holds(result.out, std::to_string(position["count"].get<std::size_t>())));
    EXPECT_EQ(names().size(), 0U);
}

TEST_F(CliHelp, InfoAsJsonIsOneDocumentThatNamesTheClips) {
    const RunResult result = run_ok({"info", tube(), "--json"});
    const nlohmann::json info = nlohmann::json::parse(result.out);
    ASSERT_TRUE(info.at("clips").is_array());
    ASSERT_EQ(info.at("clips").size(), 2U);
    EXPECT_EQ(info.at("clips")[0].at("name"), tube_json()["animations"][0]["name"]);
    EXPECT_EQ(info.at("clips")[1].at("name"), tube_json()["animations"][1]["name"]);
    EXPECT_EQ(info.at("skins").size(), 1U);
    EXPECT_EQ(info.at("nodes").size(), tube_json()["nodes"].size());
    EXPECT_EQ(result.err, "");
}

TEST_F(CliHelp, InfoAlsoReadsMeshesNoNodeUsesAndFilesWithNothingToPose) {
    nlohmann::json document = tube_json();
    for (nlohmann::json& primitive : document["meshes"][0]["primitives"]) primitive["mode"] = 0;
    write_json("points.gltf", document);
    run_ok({"info", "points.gltf"});
    run_ok({"info", "points.gltf", "--json"});
    document = tube_json();
    document["scenes"][0]["nodes"] = nlohmann::json::array({document["skins"][0]["joints"][0]});
    write_json("unused.gltf", document);
    run_ok({"info", "unused.gltf"});
    EXPECT_EQ(
        nlohmann::json::parse(run_ok({"info", "unused.gltf", "--json"}).out).at("meshes").size(),
        1U);
}

}  // namespace
}  // namespace skinpose::test
