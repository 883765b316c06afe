// Which clip `--clip` and `--clip-index` mean, and what is said when they mean none.

#include "cli/cli_fixture.h"

namespace skinpose::test {
namespace {

class CliClipChoice : public CliTest {
   protected:
    /// The tube with its two clips renamed; an empty name is left out of the file.
    void write_rig(const std::string& first, const std::string& second) const {
        nlohmann::json document = tube_json();
        const std::vector<std::string> names{first, second};
        ASSERT_EQ(document["animations"].size(), names.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i].empty())
                document["animations"][i].erase("name");
            else
                document["animations"][i]["name"] = names[i];
        }
        write_json("rig.gltf", document);
    }
    /// Index of the clip that the report names.
    std::size_t chosen(const std::vector<std::string>& choice) const {
        std::vector<std::string> arguments{"pose", "rig.gltf", "-o", "m.ply"};
        arguments.insert(arguments.end(), choice.begin(), choice.end());
        run_ok(arguments);
        return read_json("m.json").at("clip").at("index");
    }
    std::string refused(const std::vector<std::string>& choice) const {
        std::vector<std::string> arguments{"pose", "rig.gltf", "-o", "refused.ply"};
        arguments.insert(arguments.end(), choice.begin(), choice.end());
        return run_fails(arguments, 2);
    }
};

bool holds(const std::string& line, const std::string& word) {
    return line.find(word) != std::string::npos;
}

TEST_F(CliClipChoice, AnExactNameIsTheClip) {
    write_rig("walk", "run");
    EXPECT_EQ(chosen({"--clip", "walk"}), 0U);
    EXPECT_EQ(chosen({"--clip", "run"}), 1U);
}

TEST_F(CliClipChoice, AnUnknownNameListsTheClips) {
    write_rig("walk", "run");
    for (const char* name : {"Walk", "wal", "jump", "walk "}) {
        const std::string line = refused({"--clip", name});
        EXPECT_TRUE(holds(line, "walk") && holds(line, "run") && holds(line, "rig.gltf")) << line;
    }
}

TEST_F(CliClipChoice, DigitsThatAreNoNameAreTheIndex) {
    write_rig("walk", "run");
    EXPECT_EQ(chosen({"--clip", "0"}), 0U);
    EXPECT_EQ(chosen({"--clip", "1"}), 1U);
    EXPECT_TRUE(holds(refused({"--clip", "2"}), "walk"));
    refused({"--clip", "99999999999999999999999"});
}

TEST_F(CliClipChoice, DigitsThatAreANameAreThatClipAndClipIndexStaysTheIndex) {
    write_rig("1", "0");
    EXPECT_EQ(chosen({"--clip", "1"}), 0U);
    EXPECT_EQ(chosen({"--clip", "0"}), 1U);
    EXPECT_EQ(chosen({"--clip-index", "1"}), 1U);
    EXPECT_EQ(chosen({"--clip-index", "0"}), 0U);
    refused({"--clip-index", "2"});
    refused({"--clip-index", "-1"});
    refused({"--clip-index", "one"});
}

TEST_F(CliClipChoice, TwoClipsOfOneNameAreListedByNumberAndChosenByIt) {
    write_rig("walk", "walk");
    const std::string line = refused({"--clip", "walk"});
    EXPECT_TRUE(holds(line, "walk#0") && holds(line, "walk#1")) << line;
    EXPECT_EQ(chosen({"--clip", "walk#0"}), 0U);
    EXPECT_EQ(chosen({"--clip", "walk#1"}), 1U);
    refused({"--clip", "walk#2"});
    refused({"--clip", "walk#"});
    refused({"--clip", "walk#x"});
}

TEST_F(CliClipChoice, ANameWithANumberSignIsStillAName) {
    write_rig("walk#1", "walk");
    EXPECT_EQ(chosen({"--clip", "walk#1"}), 0U);
    EXPECT_EQ(chosen({"--clip", "walk#0"}), 1U);
}

TEST_F(CliClipChoice, NamelessClipsAreCalledByTheirIndex) {
    write_rig("", "");
    EXPECT_EQ(chosen({"--clip", "animation-0"}), 0U);
    EXPECT_EQ(chosen({"--clip", "animation-1"}), 1U);
}

TEST_F(CliClipChoice, AFileWithoutClipsSaysSo) {
    nlohmann::json document = tube_json();
    document.erase("animations");
    write_json("rig.gltf", document);
    EXPECT_TRUE(holds(refused({"--clip", "walk"}), "no clip"));
}

TEST_F(CliClipChoice, ChoicesThatContradictEachOtherAreRefused) {
    write_rig("walk", "run");
    refused({"--clip", "walk", "--clip-index", "1"});
    refused({"--bind", "--clip", "walk"});
    refused({"--bind", "--blend", "walk:0:0.5"});
    refused({"--t", "0.5"});  // of what?
    refused({"--t", "50%"});
}

TEST_F(CliClipChoice, TheBlendsClipIsChosenByTheSameRules) {
    write_rig("walk", "walk");
    EXPECT_TRUE(holds(refused({"--clip", "walk#0", "--blend", "walk:0:0.5"}), "walk#1"));
    EXPECT_TRUE(holds(refused({"--clip", "walk#0", "--blend", "jump:0:0.5"}), "walk"));
    EXPECT_EQ(chosen({"--clip", "walk#0", "--blend", "walk#1:0:0.5"}), 0U);
    for (const char* blend : {"walk#1", "walk#1:0", "walk#1:x:0.5", "walk#1:0:x", "walk#1:0:nan"})
        refused({"--clip", "walk#0", "--blend", blend});
}

}  // namespace
}  // namespace skinpose::test
