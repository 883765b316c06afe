#include <gtest/gtest.h>

#include <cmath>

#include "fixtures/rigs.h"
#include "skinpose/error.h"
#include "skinpose/posed_mesh.h"
#include "support/mesh_compare.h"
#include "support/posing.h"

/// Kinds of fault that real tools had: skinning and influences. Each test names the right answer;
/// the usual wrong one is in its comment.
namespace skinpose::test {
namespace {

namespace fx = fixtures;

constexpr SkinMethod kBoth[] = {SkinMethod::LinearBlend, SkinMethod::DualQuaternion};

fx::Influences eighths() {
    fx::Influences result;
    for (std::size_t joint = 0; joint < 8; ++joint) result.emplace_back(joint, 0.125);
    return result;
}

/// One vertex at the origin under joints at x = 0, 1, 2 ...
fx::PointRig in_a_row(std::size_t joints, const fx::Influences& influences) {
    fx::PointRig rig{.positions = {{0, 0, 0}}, .influences = {influences}};
    for (std::size_t j = 0; j < joints; ++j)
        rig.joints.push_back(fx::at(static_cast<double>(j), 0, 0));
    return rig;
}

double x_of(const PosedMesh& posed, std::size_t vertex = 0) {
    return static_cast<double>(posed.mesh.positions.at(vertex)[0]);
}

// Kind 1. Wrong: 1.5 or 0.75, and no word.
TEST(Kinds, EightInfluencesAreAllUsedOrTheirLossIsMeasured) {
    const fx::GltfBuilder builder = fx::point_rig(in_a_row(8, eighths()));
    PoseOptions all;
    all.influences.max_influences = kAllInfluences;
    EXPECT_EQ(x_of(pose(builder, {}, all)), 3.5);
    const PosedMesh four = pose(builder);
    EXPECT_EQ(x_of(four), 1.5);
    EXPECT_EQ(four.report.totals.discarded_influences, 4u);
    EXPECT_EQ(four.report.totals.largest_discarded_weight, 0.125);
    EXPECT_EQ(four.report.totals.cap_displacement, 2.0);
}

TEST(Kinds, TheCapRescalesEvenWhereNothingIsRenormalised) {
    PoseOptions options;
    options.influences.renormalize = false;
    EXPECT_EQ(x_of(pose(fx::point_rig(in_a_row(8, eighths())), {}, options)), 1.5);
}

TEST(Kinds, TheCapsLossIsOfThePoseNotOfTheRig) {
    // The same eight joints, all at x = 0 at 0 s and spread at 1 s.
    fx::PointRig rig{.positions = {{0, 0, 0}}, .influences = {eighths()}};
    for (int j = 0; j < 8; ++j) rig.joints.push_back(fx::at(0, 0, 0));
    fx::GltfBuilder builder = fx::point_rig(rig);
    const std::size_t clip = builder.add_clip("spread");
    for (std::size_t j = 0; j < 8; ++j)
        builder.add_channel(clip, j, "translation", {0, 1},
                            fx::vec3({0, 0, 0, static_cast<double>(j), 0, 0}));
    const Scene scene = read(builder);
    EXPECT_EQ(pose(scene, at(clip, 0)).report.totals.cap_displacement, 0.0);
    EXPECT_EQ(pose(scene, at(clip, 0)).report.totals.discarded_influences, 4u);
    EXPECT_EQ(pose(scene, at(clip, 1)).report.totals.cap_displacement, 2.0);
}

TEST(Kinds, TheCapsLossIsInSceneUnitsAfterPlacement) {
    PoseOptions options;
    options.placement = scale_matrix(10, 10, 10);
    EXPECT_NEAR(
        pose(fx::point_rig(in_a_row(8, eighths())), {}, options).report.totals.cap_displacement,
        20.0, 1e-5);
}

// Kind 2. Wrong: "sum off by 0.004".
TEST(Kinds, AWeightSumOffByTwoPercentIsTwoUnitsAtAHundred) {
    fx::PointRig rig{
        .joints = {fx::at(100, 0, 0)}, .positions = {{0, 0, 0}}, .influences = {{{0, 0.98}}}};
    const PosedMesh raw = pose(fx::point_rig(rig), {}, as_stored());
    EXPECT_NEAR(x_of(raw), 98.0, 1e-5);
    EXPECT_NEAR(raw.report.totals.weight_displacement, 2.0, 1e-5);
    EXPECT_NEAR(raw.report.totals.worst_weight_sum_error, 0.02, 1e-7);
    const PosedMesh repaired = pose(fx::point_rig(rig));
    EXPECT_EQ(x_of(repaired), 100.0);
    EXPECT_NEAR(repaired.report.totals.weight_displacement, 2.0, 1e-5);
}

TEST(Kinds, AByteShortOfOneIsMeasuredInUnits) {
    fx::PointRig rig{.joints = {fx::at(100, 0, 0)},
                     .positions = {{0, 0, 0}},
                     .influences = {{{0, 254}}},
                     .weight_component = fx::Component::U8};
    const PosedMesh raw = pose(fx::point_rig(rig), {}, as_stored());
    EXPECT_NEAR(x_of(raw), 100.0 * 254 / 255, 1e-5);                        // 99.608
    EXPECT_NEAR(raw.report.totals.weight_displacement, 100.0 / 255, 1e-5);  // 0.392
    EXPECT_NEAR(raw.report.totals.worst_weight_sum_error, 1.0 / 255, 0x1p-53);
}

TEST(Kinds, BytesThatSumToOneHaveNoSumError) {
    fx::PointRig rig = in_a_row(3, {{0, 85}, {1, 85}, {2, 85}});
    rig.weight_component = fx::Component::U8;
    const PosedMesh posed = pose(fx::point_rig(rig));
    EXPECT_EQ(posed.report.totals.worst_weight_sum_error, 0.0);
    EXPECT_EQ(posed.report.totals.weight_displacement, 0.0);
    EXPECT_NEAR(x_of(posed), 1.0, 3e-7);
}

// Kind 4. Wrong: 1.5.
TEST(Kinds, AJointNamedTwiceInAVertexCountsTwice) {
    const PosedMesh posed =
        pose(fx::point_rig(in_a_row(4, {{1, .25}, {2, .25}, {3, .25}, {3, .25}})));
    EXPECT_EQ(x_of(posed), 2.25);
    EXPECT_EQ(posed.report.totals.duplicate_joints, 1u);
    EXPECT_EQ(posed.report.totals.discarded_influences, 0u);
}

// Kind 16 is closed_form/twist_test.cpp.

// Kind 17. Wrong: 0 degrees, the opposite side.
TEST(Kinds, TurnsOnEitherSideOfAHalfTurnMeetAtTheHalfTurn) {
    fx::PointRig rig{.joints = {{.rotation = fx::axis_rotation({0, 0, 1}, 170)},
                                {.rotation = fx::axis_rotation({0, 0, 1}, -170)}},
                     .positions = {{1, 0, 0}},
                     .influences = {{{0, .5}, {1, .5}}}};
    const Scene scene = read(fx::point_rig(rig));
    EXPECT_TRUE(point_close(pose(scene).mesh.positions[0], Vec3(-0.98480775, 0, 0), 1e-6));
    const PosedMesh dual = pose(scene, {}, dual_quaternion_options());
    EXPECT_TRUE(point_close(dual.mesh.positions[0], Vec3(-1, 0, 0), 1e-6));
    EXPECT_EQ(dual.report.totals.skinning.antipodal_flips, 1u);
    EXPECT_EQ(dual.report.totals.skinning.ambiguous_flips, 0u);
}

TEST(Kinds, ADoubleCoverInTheFileChangesNothing) {
    // The same turns with one quaternion negated: flips are of the palette, not of the keys.
    fx::PointRig rig{.joints = {{.rotation = fx::axis_rotation({0, 0, 1}, 40)},
                                {.rotation = fx::axis_rotation({0, 0, 1}, 80)}},
                     .positions = {{1, 0, 0}},
                     .influences = {{{0, .5}, {1, .5}}}};
    const PosedMesh plain = pose(fx::point_rig(rig), {}, dual_quaternion_options());
    for (double& c : rig.joints[1].rotation) c = -c;
    const PosedMesh negated = pose(fx::point_rig(rig), {}, dual_quaternion_options());
    EXPECT_TRUE(same_bits(negated.mesh.positions, plain.mesh.positions));
    EXPECT_EQ(negated.report.totals.skinning.antipodal_flips, 0u);
    EXPECT_TRUE(point_close(plain.mesh.positions[0], Vec3(.5, std::sqrt(.75), 0), 1e-6));
}

// Kind 19. Wrong: shear lost; the quaternion of a reflection.
TEST(Kinds, OneJointOfWeightOneIsTheSameUnderBothMethodsWhateverItDoes) {
    const std::vector<double> turn = fx::axis_rotation({0.6, 0, 0.8}, 110);
    fx::NodeSpec scaled{.rotation = turn, .scale = {1, 2, 3}};
    fx::NodeSpec mirrored{.rotation = turn, .scale = {-1, 1, 1}};
    fx::NodeSpec sheared{.matrix = {0, 1, 0, 0, -1, .5, 0, 0, 0, 0, 1, 0, 3, 2, 1, 1}};
    for (const fx::NodeSpec& joint : {scaled, mirrored, sheared}) {
        fx::PointRig rig{.joints = {joint},
                         .positions = {{1, 2, 3}, {-1, 0, 1}, {0, 1, 0}},
                         .influences = {{{0, 1}}, {{0, 1}}, {{0, 1}}},
                         .normals = {{0, 0, 1}, {0.6, 0.8, 0}, {0, -0.6, 0.8}}};
        const Scene scene = read(fx::point_rig(rig));
        const PosedMesh linear = pose(scene), dual = pose(scene, {}, dual_quaternion_options());
        EXPECT_TRUE(points_close(dual.mesh.positions, linear.mesh.positions, 4e-6));
        EXPECT_TRUE(points_close(dual.mesh.normals, linear.mesh.normals, 4e-6));
        EXPECT_EQ(dual.report.non_rigid_joints, 1u);
        EXPECT_EQ(linear.report.non_rigid_joints, 0u);
    }
    fx::PointRig rig{.joints = {sheared}, .positions = {{1, 2, 3}}, .influences = {{{0, 1}}}};
    // Columns (0,1,0), (-1,.5,0), (0,0,1), moved by (3,2,1): (3 - 2, 2 + 1 + 1, 1 + 3).
    EXPECT_TRUE(point_close(pose(fx::point_rig(rig)).mesh.positions[0], Vec3(1, 4, 4), 1e-6));
}

// Kind 20. Wrong: off by 36.9 degrees (plain matrix) or 7.1 (blended inverse transposes).
TEST(Kinds, ANormalFollowsTheBlendedMatrix) {
    const double r = std::sqrt(.5);
    fx::PointRig rig{.joints = {fx::at(0, 0, 0), {.scale = {3, 1, 1}}},
                     .positions = {{0, 0, 0}},
                     .influences = {{{0, .5}, {1, .5}}},
                     .normals = {{r, r, 0}}};
    EXPECT_TRUE(point_close(pose(fx::point_rig(rig)).mesh.normals[0],
                            Vec3(1 / std::sqrt(5), 2 / std::sqrt(5), 0), 1e-6));
}

// Kind 22. Wrong: NaN.
TEST(Kinds, AFlattenedJointIsCountedAndGivesFiniteNormals) {
    fx::PointRig rig{.joints = {{.scale = {1, 1, 0}}},
                     .positions = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
                     .influences = {{{0, 1}}, {{0, 1}}, {{0, 1}}},
                     .normals = {{0, 0, 1}, {1, 0, 0}, {0.6, 0, 0.8}}};
    const Scene scene = read(fx::point_rig(rig));
    for (const SkinMethod method : kBoth) {
        PoseOptions options;
        options.method = method;
        const PosedMesh posed = pose(scene, {}, options);
        EXPECT_EQ(posed.report.totals.skinning.singular_normal_matrices, 3u);
        EXPECT_EQ(posed.mesh.normals[0], Vec3f(0, 0, 1));
        EXPECT_TRUE(point_close(posed.mesh.normals[1], Vec3(1, 0, 0), 1e-6));
        EXPECT_TRUE(point_close(posed.mesh.normals[2], Vec3(0, 0, 1), 1e-6));
        EXPECT_EQ(posed.mesh.positions[1], Vec3f(1, 0, 0));
    }
}

// Kind 24. Wrong: welded, and the tear hidden.
TEST(Kinds, CoincidentVerticesOfDifferentWeightsTearApart) {
    fx::GltfBuilder builder;
    fx::PrimitiveSpec quads;
    quads.attributes = {
        {"POSITION",
         fx::vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0})},
        {"JOINTS_0", fx::vec4({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                               0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0},
                              fx::Component::U8)},
        {"WEIGHTS_0", fx::vec4({1,  0,  0, 0, 1,  0,  0, 0, 1,  0,  0, 0, 1,  0,  0, 0,
                                .9, .1, 0, 0, .9, .1, 0, 0, .9, .1, 0, 0, .9, .1, 0, 0})}};
    quads.indices = fx::scalars({0, 1, 3, 0, 3, 2, 4, 5, 7, 4, 7, 6}, fx::Component::U8);
    builder.add_node(fx::at(0, 0, 0));
    builder.add_node(fx::at(0, 1, 0));
    builder.add_node(
        {.mesh = builder.add_mesh("Quads", {quads}), .skin = builder.add_skin({0, 1})});
    const PosedMesh posed = pose(builder);
    ASSERT_EQ(posed.mesh.positions.size(), 8u);
    EXPECT_EQ(posed.mesh.positions[2], Vec3f(0, 1, 0));
    EXPECT_TRUE(point_close(posed.mesh.positions[4], Vec3(0, 1.1, 0), 1e-6));
    EXPECT_EQ(posed.mesh.triangles[2], (Triangle{4, 5, 7}));
}

TEST(Kinds, AnIdentityPaletteReturnsTheMeshBitForBit) {
    // Dyadic weights and coordinates with no short form.
    fx::PointRig rig{
        .joints = {fx::at(0, 0, 0), fx::at(0, 0, 0), fx::at(0, 0, 0)},
        .positions = {{0.1, -0.7, 1e-20}, {1e6 + 0.3, 1.0 / 3, 7}, {-0.1, 3e-39, 1e10}},
        .influences = {{{0, .5}, {1, .25}, {2, .25}}, {{2, 1}}, {{1, .75}, {0, .25}}}};
    const Scene scene = read(fx::point_rig(rig));
    for (const SkinMethod method : kBoth) {
        PoseOptions options;
        options.method = method;
        EXPECT_TRUE(same_bits(pose(scene, {}, options).mesh.positions,
                              scene.meshes[0].primitives[0].positions));
    }
}

TEST(Kinds, AnIdentityPaletteIsWithinARoundingPerInfluenceElsewhere) {
    fx::PointRig rig{.joints = {fx::at(0, 0, 0), fx::at(0, 0, 0), fx::at(0, 0, 0)},
                     .positions = {{0.1, -0.7, 3}},
                     .influences = {{{0, 1.0 / 3}, {1, 1.0 / 3}, {2, 1.0 / 3}}}};
    const Scene scene = read(fx::point_rig(rig));
    const Vec3f before = scene.meshes[0].primitives[0].positions[0];
    const Vec3f after = pose(scene).mesh.positions[0];
    for (int c = 0; c < 3;
         ++c)  // 3 influences, and the sum of their weights may be one rounding off
        EXPECT_LE(std::fabs(after[c] - before[c]), 4 * 0x1p-24F * std::fabs(before[c]));
}

TEST(Kinds, AVertexWithoutWeightKeepsItsPlaceAndIsCounted) {
    fx::PointRig rig{.joints = {fx::at(50, 0, 0)},
                     .positions = {{1, 2, 3}, {1, 0, 0}, {0, 1, 0}},
                     .influences = {{{0, 0}}, {{0, 1}}, {{0, 1}}}};
    const PosedMesh posed = pose(fx::point_rig(rig));
    EXPECT_EQ(posed.mesh.positions[0], Vec3f(1, 2, 3));
    EXPECT_EQ(posed.mesh.positions[1], Vec3f(51, 0, 0));
    EXPECT_EQ(posed.report.totals.skinning.unweighted_vertices, 1u);
}

}  // namespace
}  // namespace skinpose::test
