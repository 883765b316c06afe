// What the hand-made cases make skinpose count, and the two that are posed without a reference.
// The right numbers follow from how the files are built (their README, and the base model below).

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/pose_compare.h"
#include "skinpose/error.h"
#include "skinpose/posed_mesh.h"

namespace skinpose::test {
namespace {

namespace fs = std::filesystem;

class CaseCounts : public testing::Test {
   protected:
    void SetUp() override {
        if (!fs::is_directory(folder())) GTEST_SKIP() << "no folder " << folder();
    }
    static fs::path folder() { return fs::path(SKINPOSE_SHARED_DIR) / "cases"; }
    static std::string file(const std::string& name) { return (folder() / name).string(); }

    static Scene scene_of(const std::string& name) { return read_scene(file(name)); }

    /// Clip 0 at 0.5 s, every influence, weights as the file has them.
    static PoseReport report_of(const std::string& name, double time_s = 0.5) {
        const Scene scene = scene_of(name);
        PoseOptions options;
        options.influences.max_influences = kAllInfluences;
        options.influences.renormalize = false;
        Poser poser(scene, options);
        TriMesh mesh = poser.make_mesh();
        PoseTime at;
        at.clip = scene.clips.empty() ? kNone : 0;
        at.time_s = time_s;
        return poser.pose(at, mesh);
    }

    /// The base model as stored: x = +-0.5, y = 0, 1, 2.
    static ReferencePose bar() {
        ReferencePose pose;
        for (int row = 0; row < 3; ++row)
            for (const double x : {-0.5, 0.5}) pose.positions.push_back({x, double(row), 0.0});
        return pose;
    }
};

TEST_F(CaseCounts, ControlHasNothingToReport) {
    const Scene scene = scene_of("00_control.gltf");
    EXPECT_TRUE(scene.warnings.empty());
    EXPECT_TRUE(scene.ignored.empty());
    const PoseCounts counts = report_of("00_control.gltf").totals;
    EXPECT_EQ(counts.discarded_influences, 0U);
    EXPECT_EQ(counts.worst_weight_sum_error, 0.0);
    EXPECT_EQ(counts.skinning.unweighted_vertices, 0U);
    EXPECT_EQ(counts.duplicate_joints, 0U);
    EXPECT_EQ(counts.reflected_faces, 0U);
    EXPECT_EQ(counts.flipped_rigid_faces, 0U);
    EXPECT_EQ(counts.degenerate_triangles, 0U);
    EXPECT_EQ(counts.surplus_indices, 0U);
    EXPECT_EQ(counts.skinning.singular_normal_matrices, 0U);
}

TEST_F(CaseCounts, CapOfFourOnEightInfluencesCountsWhatItCosts) {
    // Joints 0..7, each with weight 1/8, moved by 8, 16 ... 64 along z at t = 1: the mean is 36,
    // and 20 where the four lowest joints remain (a tie, so the lower joints are kept) and are
    // rescaled.
    for (const char* name :
         {"01a_joints8_u8.gltf", "01b_joints8_u16.gltf", "01c_joints8_mixed_u8_u16.gltf"}) {
        SCOPED_TRACE(name);
        const PosedMesh posed = pose_file(file(name), "0", 1.0);
        for (const Vec3f& p : posed.mesh.positions) EXPECT_FLOAT_EQ(p[2], 20.0F);
        EXPECT_EQ(posed.report.totals.discarded_influences, 6U * 4U);
        EXPECT_NEAR(posed.report.totals.largest_discarded_weight, 0.125, 1e-9);
        EXPECT_NEAR(posed.report.totals.cap_displacement, 16.0, 1e-5);
    }
}

TEST_F(CaseCounts, ClipsOfOneNameAreAllKeptAndBlankOnesNamedByIndex) {
    const Scene scene = scene_of("04f_dup_anim_names.gltf");
    ASSERT_EQ(scene.clips.size(), 4U);
    EXPECT_EQ(scene.clips[0].name, "clip");
    EXPECT_EQ(scene.clips[1].name, "clip");
    EXPECT_EQ(scene.clips[2].name, "animation-2");
    EXPECT_EQ(scene.clips[3].name, "animation-3");
    EXPECT_EQ(find_clip(scene, "clip#1"), 1U);
    EXPECT_EQ(find_clip(scene, "3"), 3U);
    EXPECT_THROW(find_clip(scene, "clip"), Error);
    EXPECT_THROW(find_clip(scene, "clip#2"), Error);
}

TEST_F(CaseCounts, TransformOfASkinnedNodeIsIgnoredAndCounted) {
    EXPECT_EQ(scene_of("05e_skinned_node_transform.gltf").ignored_node_transforms, 1U);
    EXPECT_EQ(scene_of("00_control.gltf").ignored_node_transforms, 0U);
}

TEST_F(CaseCounts, MirroredSkinnedFacesAreCountedAndFlippedOnlyWhenAsked) {
    const PoseCounts counts = report_of("05g_mirror_scale.gltf").totals;
    EXPECT_EQ(counts.reflected_faces, 4U);
    EXPECT_EQ(counts.flipped_rigid_faces, 0U);

    const Scene scene = scene_of("05g_mirror_scale.gltf");
    PoseOptions options;
    options.fix_winding = true;
    Poser poser(scene, options);
    TriMesh mesh = poser.make_mesh();
    const PoseReport report = poser.pose(PoseTime{}, mesh);
    EXPECT_EQ(report.totals.reflected_faces, 4U);
    const std::vector<Triangle> flipped{{0, 2, 1}, {2, 3, 1}, {2, 4, 3}, {4, 5, 3}};
    EXPECT_EQ(mesh.triangles, flipped);
}

TEST_F(CaseCounts, JointsOutsideTheSceneCountAllTheSame) {
    EXPECT_EQ(scene_of("05l_joints_not_in_scene.gltf").joints_outside_scene, 2U);
    EXPECT_EQ(scene_of("00_control.gltf").joints_outside_scene, 0U);
}

TEST_F(CaseCounts, AnimationPointerIsIgnoredAtItsPlace) {
    const Scene scene = scene_of("07h_animation_pointer.gltf");
    EXPECT_EQ(scene.ignored_channels, 1U);
    bool named = false;
    for (const Finding& finding : scene.ignored)
        named |= finding.place.starts_with("/animations/0/channels/0");
    EXPECT_TRUE(named);
}

TEST_F(CaseCounts, ClipThatStartsLateClampsBeforeItsFirstKey) {
    const Scene scene = scene_of("09a_starts_late.gltf");
    EXPECT_EQ(scene.clips[0].start_s, 0.5);
    EXPECT_EQ(scene.clips[0].duration_s, 1.5);
    EXPECT_TRUE(report_of("09a_starts_late.gltf", 0.25).time_clamped);
    EXPECT_EQ(report_of("09a_starts_late.gltf", 0.25).time_used_s, 0.5);
    EXPECT_FALSE(report_of("09a_starts_late.gltf", 1.0).time_clamped);
    EXPECT_TRUE(report_of("09a_starts_late.gltf", 2.0).time_clamped);
    EXPECT_EQ(report_of("09a_starts_late.gltf", 2.0).time_used_s, 1.5);
}

TEST_F(CaseCounts, RestRotationOfLengthTwoIsNormalisedAndCounted) {
    // Joint 1 rests at 90 degrees about z, written with length 2: the control's pose at its last
    // key.
    const Scene scene = scene_of("09f_rest_quat_not_unit.gltf");
    EXPECT_EQ(scene.normalized_rest_rotations, 1U);
    EXPECT_NEAR(scene.largest_rest_rotation_length_error, 1.0, 1e-12);

    const nlohmann::json control =
        nlohmann::json::parse(std::ifstream(folder() / "00_control.ref.json", std::ios::binary));
    ReferencePose expected;
    for (const auto& p : control.at("1.0")[0].at("positions")) expected.positions.push_back(p);
    for (const auto& n : control.at("1.0")[0].at("normals")) expected.normals.push_back(n);
    const PosedMesh posed = pose_file(file("09f_rest_quat_not_unit.gltf"));
    ASSERT_EQ(posed.mesh.positions.size(), expected.positions.size());
    EXPECT_LE(position_difference(posed.mesh, expected).relative(), 2e-6);
    ASSERT_EQ(posed.mesh.normals.size(), expected.normals.size());
    EXPECT_LE(normal_difference(posed.mesh, expected).largest_deg, 0.1);
}

TEST_F(CaseCounts, WeightsThatSumToHalfReportTheErrorAndWhatItWouldMove) {
    const PoseCounts raw = report_of("10a_weights_sum_half.gltf").totals;
    EXPECT_NEAR(raw.worst_weight_sum_error, 0.5, 1e-9);
    // Half the weights give half of every position; vertex 5 is the farthest from the origin.
    EXPECT_NEAR(raw.weight_displacement, std::hypot(0.35355339059327384, 2.060660171779821) / 2.0,
                1e-6);

    // By default the weights are rescaled, and the pose is the control's, as if nothing were wrong.
    const PosedMesh repaired = pose_file(file("10a_weights_sum_half.gltf"), "0", 0.5);
    const PosedMesh control = pose_file(file("00_control.gltf"), "0", 0.5);
    EXPECT_EQ(repaired.mesh.positions, control.mesh.positions);
    EXPECT_NEAR(repaired.report.totals.worst_weight_sum_error, 0.5, 1e-9);
    EXPECT_NEAR(repaired.report.totals.weight_displacement, raw.weight_displacement, 1e-6);
}

TEST_F(CaseCounts, VertexWithoutWeightIsCountedAndStays) {
    for (const double time_s : {0.0, 1.0}) {
        EXPECT_EQ(
            report_of("10b_zero_weight_vertex.gltf", time_s).totals.skinning.unweighted_vertices,
            1U);
    }
    const PosedMesh posed = pose_file(file("10b_zero_weight_vertex.gltf"), "0", 1.0);
    EXPECT_EQ(posed.mesh.positions[5], Vec3f(0.5F, 2.0F, 0.0F));
}

TEST_F(CaseCounts, ChainOfAThousandNodesLeavesTheMeshWhereItIs) {
    EXPECT_EQ(scene_of("10m_deep_1000.gltf").nodes.size(), 1000U);
    const PosedMesh posed = pose_file(file("10m_deep_1000.gltf"));
    ASSERT_EQ(posed.mesh.positions.size(), 6U);
    EXPECT_EQ(position_difference(posed.mesh, bar()).largest, 0.0);
}

}  // namespace
}  // namespace skinpose::test
