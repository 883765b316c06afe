#include "data_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "skinpose/posed_mesh.h"
#include "support/mesh_compare.h"
#include "support/temp_folder.h"

namespace skinpose::test {
namespace {

const std::string kFolder = std::string(SKINPOSE_DATA_DIR) + "/";

TEST(DataFiles, AreByteForByteWhatTheirProgramWrites) {
    const TempFolder folder;
    for (const data::DataFile& file : data::data_files()) {
        file.content.write(folder / file.name);
        ASSERT_TRUE(std::filesystem::exists(kFolder + file.name)) << "run skinpose_data data";
        EXPECT_TRUE(fixtures::read_file(kFolder + file.name) ==
                    fixtures::read_file(folder / file.name))
            << file.name << " differs: run skinpose_data data";
    }
    EXPECT_EQ(fixtures::read_file(kFolder + "README.md"), data::readme(data::data_files()));
}

TEST(DataFiles, AreAllListed) {
    std::set<std::string> listed;
    for (const data::DataFile& file : data::data_files())
        EXPECT_TRUE(listed.insert(file.name).second) << file.name << " twice";
    for (const auto& entry : std::filesystem::directory_iterator(kFolder))
        if (entry.path().extension() == ".gltf") {
            EXPECT_TRUE(listed.contains(entry.path().filename().string())) << entry.path();
        }
}

TEST(DataFiles, AreSmall) {
    for (const data::DataFile& file : data::data_files()) {
        const std::uintmax_t limit = file.name == "tube.gltf" ? 64 * 1024 : 16 * 1024;
        EXPECT_LE(std::filesystem::file_size(kFolder + file.name), limit) << file.name;
    }
}

TEST(DataFiles, PoseToTheAnswersOfTheTable) {
    for (const data::DataFile& file : data::data_files()) {
        EXPECT_FALSE(file.claims.empty()) << file.name;
        for (const data::Claim& claim : file.claims) {
            PoseOptions options;
            if (claim.dual_quaternions) options.method = SkinMethod::DualQuaternion;
            if (claim.all_influences) options.influences.max_influences = kAllInfluences;
            const PosedMesh posed =
                pose_file(kFolder + file.name, claim.clip, claim.time_s, options);
            ASSERT_LT(claim.vertex, posed.mesh.positions.size()) << file.name;
            const Vec3 place(claim.place[0], claim.place[1], claim.place[2]);
            EXPECT_TRUE(point_close(posed.mesh.positions[claim.vertex], place,
                                    1e-6 * std::max(1.0, place.cwiseAbs().maxCoeff())))
                << file.name << " clip `" << claim.clip << "` at " << claim.time_s << " s, vertex "
                << claim.vertex << (claim.dual_quaternions ? ", dual quaternions" : "");
        }
    }
}

}  // namespace
}  // namespace skinpose::test
