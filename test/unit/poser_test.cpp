#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "fixtures/rigs.h"
#include "skinpose/error.h"
#include "skinpose/posed_mesh.h"
#include "support/mesh_compare.h"
#include "support/posing.h"

namespace skinpose::test {
namespace {

namespace fx = fixtures;

constexpr SkinMethod kBoth[] = {SkinMethod::LinearBlend, SkinMethod::DualQuaternion};

/// The positions that the file stores, straight from the scene.
std::vector<Vec3f> stored(const Scene& scene) {
    std::vector<Vec3f> all;
    for (const MeshInstance& instance : scene.instances)
        for (const Primitive& primitive : scene.meshes[instance.mesh].primitives)
            all.insert(all.end(), primitive.positions.begin(), primitive.positions.end());
    return all;
}

/// One triangle on a plain node.
fx::GltfBuilder rigid_triangle(const fx::NodeSpec& node) {
    fx::PointRig rig;
    rig.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    rig.normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    rig.mesh_node = node;
    return fx::point_rig(rig);
}

TEST(Poser, TheTubeHasTheCountsItsMakerSays) {
    const Scene scene = read(fx::tube());
    const Poser poser(scene);
    EXPECT_EQ(poser.vertex_count(), fx::kTubeVertices);
    EXPECT_EQ(poser.triangle_count(), fx::kTubeTriangles);
    const TriMesh mesh = poser.make_mesh();
    EXPECT_EQ(mesh.positions.size(), fx::kTubeVertices);
    EXPECT_EQ(mesh.texcoords.size(), fx::kTubeVertices);
    ASSERT_EQ(mesh.parts.size(), 1u);
    EXPECT_EQ(mesh.parts[0].node, "Tube");
    EXPECT_EQ(mesh.parts[0].material, "Rubber");
}

TEST(Poser, BindPoseOfTheTubeIsBitIdenticalAtTheFirstKeyOfBothClips) {
    const Scene scene = read(fx::tube());
    const std::vector<Vec3f> expected = stored(scene);
    for (const SkinMethod method : kBoth)
        for (const Precision precision : {Precision::Float, Precision::Double})
            for (const std::size_t clip : {std::size_t{0}, std::size_t{1}, kNone}) {
                PoseOptions options;
                options.method = method;
                options.precision = precision;
                EXPECT_TRUE(same_bits(pose(scene, at(clip, 0), options).mesh.positions, expected));
            }
}

TEST(Poser, BindPoseOfTheTubeIsBitIdenticalUnderBind) {
    const Scene scene = read(fx::tube());
    PoseTime when = at(0, 1);
    when.bind = true;
    const PosedMesh result = pose(scene, when);
    EXPECT_TRUE(same_bits(result.mesh.positions, stored(scene)));
    EXPECT_TRUE(same_bits(result.mesh.normals, scene.meshes[0].primitives[0].normals));
}

TEST(Poser, TheTubeBendsToWhereItsChainOfJointsPoints) {
    // The end cap's centre follows J6 alone: six turns of 15 degrees, half a unit after each joint.
    const Scene scene = read(fx::tube());
    double x = 0, y = 0;
    for (int bone = 0; bone < 7; ++bone) {
        x -= 0.5 * std::sin(radians(15 * bone));
        y += 0.5 * std::cos(radians(15 * bone));
    }
    const std::size_t top = fx::kTubeVertices - 17;
    for (const SkinMethod method : kBoth) {
        PoseOptions options;
        options.method = method;
        const PosedMesh bent = pose(scene, at(0, 1), options);
        EXPECT_TRUE(point_close(bent.mesh.positions[top], Vec3(x, y, 0), 1e-6));
        EXPECT_TRUE(point_close(bent.mesh.normals[top], Vec3(-1, 0, 0), 1e-6));
    }
}

TEST(Poser, TheTubeTwistsByHalfATurnAndKeepsItsAxis) {
    const Scene scene = read(fx::tube());
    const PosedMesh twisted = pose(scene, at(1, 1));
    const std::size_t top = fx::kTubeVertices - 17;
    EXPECT_TRUE(point_close(twisted.mesh.positions[top], Vec3(0, 3.5, 0), 1e-6));
    // Vertex 0 of that cap was at (0.25, 3.5, 0).
    EXPECT_TRUE(point_close(twisted.mesh.positions[top + 1], Vec3(-0.25, 3.5, 0), 1e-6));
}

TEST(Poser, AThenBIsBAlone) {
    const Scene scene = read(fx::tube());
    for (const SkinMethod method : kBoth) {
        PoseOptions options;
        options.method = method;
        Poser poser(scene, options);
        TriMesh mesh = poser.make_mesh();
        const std::vector<Vec3f> alone = pose(scene, at(1, 0.7), options).mesh.positions;
        const PoseTime others[] = {at(0, 0.3), bound(), {}, blended(at(0, 1), 1, 1, 0.5)};
        for (const PoseTime& other : others) {
            poser.pose(other, mesh);
            poser.pose(at(1, 0.7), mesh);
            EXPECT_TRUE(same_bits(mesh.positions, alone));
        }
    }
}

TEST(Poser, ReportsAreOfTheLastPoseAlone) {
    fx::PointRig rig{.joints = {fx::at(0, 0, 0), fx::at(1, 0, 0)},
                     .positions = {{0, 0, 0}},
                     .influences = {{{0, .5}, {1, .5}}}};
    PoseOptions options;
    options.influences.max_influences = 1;
    const Scene scene = read(fx::point_rig(rig));
    Poser poser(scene, options);
    TriMesh mesh = poser.make_mesh();
    for (int i = 0; i < 3; ++i) {
        const PoseReport& report = poser.pose({}, mesh);
        EXPECT_EQ(report.totals.discarded_influences, 1u);
        EXPECT_EQ(report.totals.cap_displacement, 0.5);
        EXPECT_EQ(report.parts.size(), 1u);
    }
    EXPECT_EQ(poser.pose(bound(), mesh).totals.cap_displacement, 0.0);
}

TEST(Poser, TimeIsClampedAndSaidSo) {
    const Scene scene = read(fx::bar());
    const PosedMesh end = pose(scene, at(0, 1));
    EXPECT_FALSE(end.report.time_clamped);
    EXPECT_EQ(end.report.time_used_s, 1.0);
    const PosedMesh late = pose(scene, at(0, 7));
    EXPECT_TRUE(late.report.time_clamped);
    EXPECT_EQ(late.report.time_used_s, 1.0);
    EXPECT_TRUE(same_bits(late.mesh.positions, end.mesh.positions));
    const PosedMesh early = pose(scene, at(0, -1));
    EXPECT_TRUE(early.report.time_clamped);
    EXPECT_EQ(early.report.time_used_s, 0.0);
}

TEST(Poser, BindIgnoresNodesJointsAndMorphs) {
    fx::GltfBuilder builder =
        rigid_triangle({.translation = {5, 0, 0}, .rotation = fx::axis_rotation({0, 0, 1}, 90)});
    const Scene scene = read(builder);
    EXPECT_TRUE(same_bits(pose(scene, bound()).mesh.positions, stored(scene)));
    EXPECT_TRUE(point_close(pose(scene).mesh.positions[1], Vec3(5, 1, 0), 1e-6));
    PoseOptions options;
    options.placement = translation_matrix(0, 0, 3);
    EXPECT_EQ(pose(scene, bound(), options).mesh.positions[1], Vec3f(1, 0, 3));
}

TEST(Poser, PlacementMovesSkinnedUnweightedAndRigidVerticesAlike) {
    // Vertex 0 follows the joint, 1 and 2 are unweighted; a second, rigid mesh on a node at y = 2.
    fx::PointRig rig{.joints = {fx::at(1, 0, 0)},
                     .positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                     .influences = {{{0, 1}}, {}, {}},
                     .normals = {{0, 0, 1}, {0, 0, 1}, {1, 0, 0}}};
    fx::GltfBuilder builder = fx::point_rig(rig);
    builder.add_node({.translation = {0, 2, 0}, .mesh = 0});
    const Scene scene = read(builder);
    const PosedMesh before = pose(scene);
    EXPECT_EQ(before.mesh.positions[0], Vec3f(1, 0, 0));
    EXPECT_EQ(before.mesh.positions[1], Vec3f(1, 0, 0));
    EXPECT_EQ(before.mesh.positions[4], Vec3f(1, 2, 0));
    for (const SkinMethod method : kBoth) {
        PoseOptions options;
        options.method = method;
        options.placement = compose_trs(Vec3(10, 0, 0), turn(Vec3(0, 0, 1), 90), Vec3(2, 2, 2));
        const PosedMesh after = pose(scene, {}, options);
        std::vector<Vec3> expected;
        for (const Vec3f& p : before.mesh.positions)
            expected.push_back(transform_point(options.placement, p.cast<double>()));
        EXPECT_TRUE(points_close(after.mesh.positions, expected, 4e-6));
        EXPECT_TRUE(point_close(after.mesh.normals[2], Vec3(0, 1, 0), 1e-6));
        EXPECT_TRUE(point_close(after.mesh.normals[5], Vec3(0, 1, 0), 1e-6));
        EXPECT_EQ(after.report.totals.skinning.unweighted_vertices, 2u);
    }
}

TEST(Poser, BlendingPalettesOfAHalfTurnShrinksToNothingHalfWay) {
    // One joint, rest and turned by 180 degrees about z: the plain rule takes (1, 0, 0) through the
    // axis; blending the joint's own rotation keeps the radius and stands at 90 degrees.
    fx::PointRig rig{
        .joints = {fx::at(0, 0, 0)}, .positions = {{1, 0, 0}}, .influences = {{{0, 1}}}};
    fx::GltfBuilder builder = fx::point_rig(rig);
    const std::size_t clip = builder.add_clip("half turn");
    builder.add_channel(clip, 0, "rotation", {0}, fx::vec4({0, 0, 1, 0}));
    const Scene scene = read(builder);
    const PoseTime half = blended({}, clip, 0, 0.5);
    EXPECT_TRUE(point_close(pose(scene, half).mesh.positions[0], Vec3(0, 0, 0), 1e-7));
    PoseOptions options;
    options.blend_mode = BlendMode::Trs;
    const Vec3f turned = pose(scene, half, options).mesh.positions[0];
    EXPECT_NEAR(static_cast<double>(std::fabs(turned[1])), 1.0, 1e-6);
    EXPECT_NEAR(static_cast<double>(turned[0]), 0.0, 1e-6);
}

TEST(Poser, BlendEndsAreTheTwoPosesBitForBit) {
    const Scene scene = read(fx::tube());
    const std::vector<Vec3f> bend = pose(scene, at(0, 0.6)).mesh.positions;
    const std::vector<Vec3f> twist = pose(scene, at(1, 0.9)).mesh.positions;
    for (const BlendMode mode : {BlendMode::Palette, BlendMode::Trs}) {
        PoseOptions options;
        options.blend_mode = mode;
        const auto mixed = [&](double mix) {
            return pose(scene, blended(at(0, 0.6), 1, 0.9, mix), options);
        };
        EXPECT_TRUE(same_bits(mixed(0).mesh.positions, bend));
        EXPECT_TRUE(same_bits(mixed(1).mesh.positions, twist));
        EXPECT_TRUE(same_bits(mixed(-3).mesh.positions, bend));  // clamped
        EXPECT_TRUE(same_bits(mixed(4).mesh.positions, twist));
        EXPECT_EQ(mixed(4).report.blend_mix_used, 1.0);
        EXPECT_EQ(mixed(0.25).report.blend_mix_used, 0.25);
        EXPECT_EQ(mixed(0.25).report.blend_time_used_s, 0.9);
    }
}

TEST(Poser, BlendingMovesRigidMeshesAndMorphsToo) {
    fx::PointRig rig;
    rig.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    rig.targets = {{{"POSITION", fx::vec3({0, 0, 8, 0, 0, 8, 0, 0, 8})}}};
    fx::GltfBuilder builder = fx::point_rig(rig);
    const std::size_t clip = builder.add_clip("move");
    builder.add_channel(clip, 0, "translation", {0}, fx::vec3({4, 0, 0}));
    builder.add_channel(clip, 0, "weights", {0}, fx::scalars({1}));
    const Scene scene = read(builder);
    for (const BlendMode mode : {BlendMode::Palette, BlendMode::Trs}) {
        PoseOptions options;
        options.blend_mode = mode;
        const PosedMesh half = pose(scene, blended({}, clip, 0, 0.5), options);
        EXPECT_EQ(half.mesh.positions[0], Vec3f(2, 0, 4));
    }
}

TEST(Poser, ResamplingReportsItsLargestDifferenceFromTheExactPose) {
    // A peak of 1 at 0.5 s that a 1 Hz grid cuts off; asked exactly there.
    fx::PointRig rig{
        .joints = {fx::at(0, 0, 0)}, .positions = {{0, 0, 0}}, .influences = {{{0, 1}}}};
    fx::GltfBuilder builder = fx::point_rig(rig);
    const std::size_t clip = builder.add_clip("peak");
    builder.add_channel(clip, 0, "translation", {0, .5, 1}, fx::vec3({0, 0, 0, 1, 0, 0, 0, 0, 0}));
    const Scene scene = read(builder);
    PoseOptions options;
    options.resample_hz = 1;
    const PosedMesh baked = pose(scene, at(clip, 0.5), options);
    EXPECT_EQ(baked.mesh.positions[0], Vec3f(0, 0, 0));
    EXPECT_EQ(baked.report.resample_difference, 1.0);
    options.resample_hz = 2;
    EXPECT_EQ(pose(scene, at(clip, 0.5), options).report.resample_difference, 0.0);
    EXPECT_EQ(pose(scene, at(clip, 0.5)).report.resample_difference, 0.0);
}

TEST(Poser, DoublePrecisionGivesExactPositions) {
    const Scene scene = read(fx::tube());
    PoseOptions options;
    EXPECT_TRUE(pose(scene, at(0, 0.3), options).mesh.exact_positions.empty());
    options.precision = Precision::Double;
    const TriMesh mesh = pose(scene, at(0, 0.3), options).mesh;
    ASSERT_EQ(mesh.exact_positions.size(), mesh.positions.size());
    for (std::size_t v = 0; v < mesh.positions.size(); ++v)
        EXPECT_EQ(mesh.positions[v], mesh.exact_positions[v].cast<float>());
    EXPECT_TRUE(points_close(pose(scene, at(0, 0.3)).mesh.positions, mesh.exact_positions, 2e-6));
}

TEST(Poser, ARigFarFromTheOriginIsRightInDouble) {
    // Joint and mesh at 1e6, turned a third: the lever arm of 1 must come out to double precision
    // (1e6 * 2^-52 = 2e-10 a rounding). x y z are exact floats.
    fx::PointRig rig{
        .joints = {{.translation = {1e6, -1e6, 0}, .rotation = fx::axis_rotation({0, 0, 1}, 30)}},
        .positions = {{1e6 + 1, -1e6, 0}},
        .influences = {{{0, 1}}}};
    rig.inverse_binds = fx::translation_matrix(-1e6, 1e6, 0);
    const Scene scene = read(fx::point_rig(rig));
    const Vec3 expected(1e6 + std::cos(radians(30)), -1e6 + 0.5, 0);
    PoseOptions options;
    options.precision = Precision::Double;
    for (const SkinMethod method : kBoth) {
        options.method = method;
        EXPECT_TRUE(point_close(pose(scene, {}, options).mesh.exact_positions[0], expected, 2e-9));
    }
    // In float the spacing at 1e6 is 1/16; a few of them is what it can hold.
    options.precision = Precision::Float;
    EXPECT_TRUE(point_close(pose(scene, {}, options).mesh.positions[0], expected, 0.5));
}

TEST(Poser, APoseThatLeavesTheFloatsIsRefusedByName) {
    fx::PointRig rig{.joints = {{.name = "Huge", .scale = {1e30, 1, 1}}},
                     .positions = {{1e20, 0, 0}},
                     .influences = {{{0, 1}}}};
    const Scene scene = read(fx::point_rig(rig));
    try {
        pose(scene);
        FAIL() << "1e50 fits no float";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Input);
    }
    rig.joints = {{.name = "Huge", .translation = {1e30, 0, 0}, .scale = {1e30, 1, 1}}};
    rig.positions = {{1, 0, 0}};
    EXPECT_TRUE(all_finite(pose(fx::point_rig(rig)).mesh.positions[0]));
    rig.inverse_binds = {1e30, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    try {
        pose(fx::point_rig(rig));
        FAIL() << "a matrix of 1e60";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Input);
        EXPECT_EQ(error.place(), "/nodes/0") << error.what();
    }
}

TEST(Poser, ASceneWithoutTrianglesIsRefused) {
    fx::GltfBuilder builder;
    builder.add_node({.name = "Empty"});
    const Scene scene = read(builder);
    try {
        const Poser poser(scene);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Input);
    }
}

TEST(Poser, TheCallersOwnBuffersGetTheSameBytes) {
    const Scene scene = read(fx::tube());
    Poser poser(scene);
    TriMesh mesh = poser.make_mesh();
    poser.pose(at(0, 0.8), mesh);
    std::vector<Vec3f> positions(poser.vertex_count()), normals(poser.vertex_count());
    std::vector<Triangle> triangles(poser.triangle_count());
    PoseBuffers buffers;
    buffers.positions = positions;
    buffers.normals = normals;
    buffers.triangles = triangles;
    poser.pose(at(0, 0.8), buffers);
    EXPECT_TRUE(same_bits(positions, mesh.positions));
    EXPECT_TRUE(same_bits(normals, mesh.normals));
    EXPECT_EQ(triangles, mesh.triangles);
    std::vector<Vec3f> only(poser.vertex_count());
    PoseBuffers few;  // spans may be left out
    few.positions = only;
    poser.pose(at(0, 0.8), few);
    EXPECT_TRUE(same_bits(only, mesh.positions));
}

TEST(Poser, APosersBuffersAreAllOptional) {
    const Scene scene = read(fx::tube());
    for (const SkinMethod method : kBoth)
        for (const Precision precision : {Precision::Float, Precision::Double}) {
            PoseOptions options;
            options.method = method;
            options.precision = precision;
            Poser poser(scene, options);
            TriMesh mesh = poser.make_mesh();
            poser.pose(at(0, 0.8), mesh);
            std::vector<Vec3f> normals(poser.vertex_count());
            PoseBuffers buffers;
            buffers.normals = normals;
            poser.pose(at(0, 0.8), buffers);
            EXPECT_TRUE(same_bits(normals, mesh.normals));
            EXPECT_EQ(poser.pose(at(0, 0.8), PoseBuffers{}).parts.size(), 1u);
        }
}

TEST(Poser, TheTopologyHashIsThatOfTheRigNotOfThePose) {
    const Scene scene = read(fx::tube());
    const std::uint64_t hash = topology_hash(pose(scene).mesh);
    EXPECT_EQ(topology_hash(pose(scene, at(0, 1)).mesh), hash);
    EXPECT_EQ(topology_hash(pose(scene, at(1, 0.5), dual_quaternion_options()).mesh), hash);
    EXPECT_NE(topology_hash(pose(fx::bar()).mesh), hash);
}

TEST(Poser, WithoutMeasuringThePoseIsTheSame) {
    const Scene scene = read(fx::tube());
    PoseOptions options;
    options.influences.max_influences = 1;
    const PosedMesh measured = pose(scene, at(0, 1), options);
    EXPECT_GT(measured.report.totals.cap_displacement, 0.0);
    options.measure_losses = false;
    const PosedMesh quick = pose(scene, at(0, 1), options);
    EXPECT_TRUE(same_bits(quick.mesh.positions, measured.mesh.positions));
    EXPECT_EQ(quick.report.totals.discarded_influences,
              measured.report.totals.discarded_influences);
}

}  // namespace
}  // namespace skinpose::test
