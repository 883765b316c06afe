#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "skinpose/error.h"
#include "skinpose/posed_mesh.h"
#include "support/temp_folder.h"

namespace skinpose::test {

namespace {

std::string bar_text() {
    std::ifstream file(std::string(SKINPOSE_DATA_DIR) + "/bar.gltf");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// bar.gltf with every `from` turned into `to`, posed at the end of its clip.
TriMesh pose_bar(const std::string& from, const std::string& to) {
    std::string text = bar_text();
    std::size_t replaced = 0;
    for (std::size_t i = text.find(from); i != std::string::npos;
         i = text.find(from, i + to.size())) {
        text.replace(i, from.size(), to);
        ++replaced;
    }
    EXPECT_GT(replaced, 0u) << from;
    const TempFolder folder;
    const std::string path = folder / "bar.gltf";
    std::ofstream(path) << text;
    return pose_file(path, "bend", 1.0).mesh;
}

TEST(DataUri, SchemeAndEncodingAreReadInAnyCase) {
    const TriMesh plain = pose_bar(";base64,", ";base64,");
    for (const auto& [from, to] : {std::pair("data:", "DATA:"), std::pair(";base64,", ";BASE64,"),
                                   std::pair(";base64,", ";Base64,")})
        EXPECT_EQ(pose_bar(from, to).positions, plain.positions) << to;
}

TEST(DataUri, TextThatIsNotBase64IsRefusedAtItsBuffer) {
    try {
        pose_bar(";base64,", ";base64,?");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Input);
        EXPECT_EQ(error.place(), "/buffers/0/uri");
    }
}

}  // namespace

}  // namespace skinpose::test
