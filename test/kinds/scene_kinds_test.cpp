#include <gtest/gtest.h>

#include <cmath>

#include "fixtures/rigs.h"
#include "skinpose/error.h"
#include "skinpose/posed_mesh.h"
#include "support/mesh_compare.h"
#include "support/posing.h"
#include "support/temp_folder.h"

/// Kinds of fault that real tools had: nodes, clips and accessors.
namespace skinpose::test {
namespace {

namespace fx = fixtures;

/// One vertex at `position` under one joint.
fx::PointRig one_point(const fx::NodeSpec& joint, const fx::Point& position = {0, 0, 0}) {
    return {.joints = {joint}, .positions = {position}, .influences = {{{0, 1}}}};
}

double x_at(const Scene& scene, std::size_t clip, double time_s) {
    return static_cast<double>(pose(scene, at(clip, time_s)).mesh.positions.at(0)[0]);
}

// Kind 5. Wrong: applied twice.
TEST(SceneKinds, TheSkinnedNodesOwnTransformTakesNoPart) {
    fx::PointRig rig = one_point(fx::at(0, 0, 0), {1, 2, 3});
    const Vec3f without = pose(fx::point_rig(rig)).mesh.positions[0];
    EXPECT_EQ(read(fx::point_rig(rig)).ignored_node_transforms, 0u);
    rig.mesh_node = {.name = "Mesh", .translation = {7, 0, 0}};
    fx::GltfBuilder builder = fx::point_rig(rig);
    const std::size_t above = builder.add_node({.name = "Above", .translation = {0, 9, 0}});
    builder.json()["nodes"][above]["children"].push_back(1);
    const std::size_t clip = builder.add_clip("grow");
    builder.add_channel(clip, 1, "scale", {0, 1}, fx::vec3({1, 1, 1, 5, 5, 5}));
    builder.add_channel(clip, above, "translation", {0, 1}, fx::vec3({0, 9, 0, 0, 99, 0}));
    const Scene scene = read(builder);
    for (const double t : {0.0, 0.5, 1.0})
        EXPECT_EQ(pose(scene, at(clip, t)).mesh.positions[0], without);
    EXPECT_EQ(scene.ignored_node_transforms, 1u);
}

// Kind 6. Wrong: NaN, or nothing.
TEST(SceneKinds, ASkinnedNodeScaledToNothingStillShowsItsMesh) {
    fx::PointRig rig = one_point(fx::at(0, 0, 0), {1, 2, 3});
    rig.normals = {{0, 0, 1}};
    rig.mesh_node.scale = {0, 0, 0};
    const Scene scene = read(fx::point_rig(rig));
    const PosedMesh posed = pose(scene);
    EXPECT_EQ(posed.mesh.positions[0], Vec3f(1, 2, 3));
    EXPECT_EQ(posed.mesh.normals[0], Vec3f(0, 0, 1));
    EXPECT_EQ(scene.ignored_node_transforms, 1u);
}

// Kind 8. Wrong: joints only.
TEST(SceneKinds, ANodeThatIsNoJointScalesTheJointsBelowIt) {
    for (const bool skeleton : {false, true}) {
        fx::GltfBuilder builder;
        fx::PrimitiveSpec primitive;
        primitive.attributes = {
            {"POSITION", fx::vec3({100, 0, 0, 0, 100, 0, 0, 0, 100})},
            {"JOINTS_0", fx::vec4({0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, fx::Component::U8)},
            {"WEIGHTS_0", fx::vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})}};
        const std::size_t mesh = builder.add_mesh("M", {primitive});
        const std::size_t armature =
            builder.add_node({.name = "Armature", .scale = {.01, .01, .01}});
        const std::size_t joint = builder.add_node({.name = "J", .parent = armature});
        const std::size_t other = builder.add_node({.name = "J"});  // a second root
        const std::size_t skin = builder.add_skin({joint, other});
        if (skeleton) builder.json()["skins"][skin]["skeleton"] = joint;
        builder.add_node({.name = "M", .mesh = mesh, .skin = skin});
        const std::size_t clip = builder.add_clip("move");
        builder.add_channel(clip, joint, "translation", {0, 1}, fx::vec3({0, 0, 0, 300, 0, 0}));
        const TriMesh posed = pose(builder, at(clip, 1)).mesh;
        EXPECT_TRUE(point_close(posed.positions[0], Vec3(4, 0, 0), 1e-6));
        EXPECT_TRUE(point_close(posed.positions[2], Vec3(3, 0, 1), 1e-6));
        EXPECT_EQ(posed.positions[1], Vec3f(0, 100, 0));
    }
}

// Kind 9. Wrong: keyed by name.
TEST(SceneKinds, AMeshUnderTwoSkinsFollowsEachAndASharedSkinIsShared) {
    fx::GltfBuilder builder;
    fx::PrimitiveSpec primitive;
    primitive.attributes = {
        {"POSITION", fx::vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})},
        {"JOINTS_0", fx::vec4({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, fx::Component::U8)},
        {"WEIGHTS_0", fx::vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})}};
    const std::size_t mesh = builder.add_mesh("M", {primitive});
    const std::size_t near = builder.add_node(fx::at(1, 0, 0)),
                      far = builder.add_node(fx::at(9, 0, 0));
    const std::size_t skin_near = builder.add_skin({near}), skin_far = builder.add_skin({far});
    builder.add_node({.name = "J", .mesh = mesh, .skin = skin_near});
    builder.add_node({.name = "J", .mesh = mesh, .skin = skin_far});
    builder.add_node({.name = "J", .mesh = mesh, .skin = skin_near});
    const TriMesh posed = pose(builder).mesh;
    ASSERT_EQ(posed.parts.size(), 3u);
    EXPECT_EQ(posed.positions[0], Vec3f(1, 0, 0));
    EXPECT_EQ(posed.positions[3], Vec3f(9, 0, 0));
    EXPECT_EQ(posed.positions[6], Vec3f(1, 0, 0));
}

// Kind 10. Wrong: rest at 0; the first pose at the last key.
TEST(SceneKinds, AClipThatStartsLateIsClampedToItsKeys) {
    fx::GltfBuilder builder = fx::point_rig(one_point(fx::at(0, 0, 0)));
    const std::size_t clip = builder.add_clip("late"), single = builder.add_clip("single");
    builder.add_channel(clip, 0, "translation", {1, 2}, fx::vec3({1, 0, 0, 3, 0, 0}));
    builder.add_channel(single, 0, "translation", {0.3}, fx::vec3({5, 0, 0}));
    const Scene scene = read(builder);
    EXPECT_EQ(x_at(scene, clip, 0), 1.0);
    EXPECT_EQ(x_at(scene, clip, 1.5), 2.0);
    EXPECT_EQ(x_at(scene, clip, 2), 3.0);
    EXPECT_EQ(x_at(scene, clip, 5), 3.0);
    EXPECT_EQ(scene.clips[clip].start_s, 1.0);
    EXPECT_EQ(scene.clips[clip].duration_s, 2.0);
    for (const double t : {0.0, 0.3, 7.0}) EXPECT_EQ(x_at(scene, single, t), 5.0);
    EXPECT_EQ(x_at(scene, kNone, 0), 0.0);
}

// Kind 11. Wrong: one mode for the joint.
TEST(SceneKinds, EachChannelOfAJointHasItsOwnInterpolation) {
    fx::GltfBuilder builder = fx::point_rig(one_point(fx::at(0, 0, 0), {0, 1, 0}));
    const std::size_t clip = builder.add_clip("mixed");
    std::vector<double> keys{0, 0, 0, 1};
    for (const double c : fx::axis_rotation({0, 0, 1}, 90)) keys.push_back(c);
    builder.add_channel(clip, 0, "translation", {0, 1}, fx::vec3({0, 0, 0, 8, 0, 0}));
    builder.add_channel(clip, 0, "rotation", {0, 1}, fx::vec4(keys), "STEP");
    const Scene scene = read(builder);
    EXPECT_EQ(pose(scene, at(clip, 0.75)).mesh.positions[0], Vec3f(6, 1, 0));
    const double before = static_cast<double>(std::nextafter(1.0F, 0.0F));
    EXPECT_TRUE(point_close(pose(scene, at(clip, before)).mesh.positions[0], Vec3(8, 1, 0), 1e-6));
    EXPECT_TRUE(point_close(pose(scene, at(clip, 1)).mesh.positions[0], Vec3(7, 0, 0), 1e-6));
}

// Kind 12. Wrong: a quaternion of length 0.924 and a mesh of 0.963 a column.
TEST(SceneKinds, ACubicTurnIsUnitHalfWay) {
    fx::GltfBuilder builder = fx::point_rig(one_point(fx::at(0, 0, 0), {1, 0, 0}));
    const std::size_t clip = builder.add_clip("cubic");
    std::vector<double> keys{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    for (const double c : fx::axis_rotation({0, 0, 1}, 90)) keys.push_back(c);
    keys.insert(keys.end(), 4, 0.0);
    builder.add_channel(clip, 0, "rotation", {0, 1}, fx::vec4(keys), "CUBICSPLINE");
    const double r = std::sqrt(.5);
    EXPECT_TRUE(point_close(pose(builder, at(clip, 0.5)).mesh.positions[0], Vec3(r, r, 0), 1e-6));
}

// Kind 14. Wrong: silently the first.
TEST(SceneKinds, TwoClipsOfOneNameAreToldApart) {
    fx::GltfBuilder builder = fx::point_rig(one_point(fx::at(0, 0, 0)));
    for (const char* name : {"walk", "walk", ""}) {
        const std::size_t clip = builder.add_clip(name);
        builder.add_channel(clip, 0, "translation", {0},
                            fx::vec3({static_cast<double>(clip), 0, 0}));
    }
    const Scene scene = read(builder);
    EXPECT_EQ(find_clip(scene, "walk#0"), 0u);
    EXPECT_EQ(find_clip(scene, "walk#1"), 1u);
    EXPECT_EQ(find_clip(scene, "animation-2"), 2u);
    EXPECT_EQ(find_clip(scene, "1"), 1u);
    EXPECT_EQ(find_clip_index(scene, 2), 2u);
    for (const char* wrong : {"walk", "run", "walk#2", "9"}) try {
            find_clip(scene, wrong);
            ADD_FAILURE() << wrong << " should be refused";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::Usage) << wrong;
            const std::string text = error.what();
            EXPECT_NE(text.find("walk"), std::string::npos) << text;
            if (std::string(wrong) == "walk") {
                EXPECT_NE(text.find("walk#0"), std::string::npos) << text;
                EXPECT_NE(text.find("walk#1"), std::string::npos) << text;
            } else {
                EXPECT_NE(text.find("animation-2"), std::string::npos) << text;
            }
        }
}

TEST(SceneKinds, TheShortWayInTakesAFileAClipAndATime) {
    const TempFolder folder;
    fx::bar().write(folder / "bar.glb", fx::Storage::Glb);
    const PosedMesh posed = pose_file(folder / "bar.glb", "bend", 1.0);
    // Row 2 was at y = 2: turned by 90 degrees about (0, 1, 0) it lies at x = -1.
    EXPECT_TRUE(point_close(posed.mesh.positions[4], Vec3(-1, 0.5, 0), 1e-6));
    EXPECT_TRUE(point_close(posed.mesh.positions[5], Vec3(-1, 1.5, 0), 1e-6));
}

// Kind 15. Wrong: state left over.
TEST(SceneKinds, AClipLeavesNothingForTheNext) {
    fx::GltfBuilder builder = fx::point_rig({.joints = {fx::at(0, 0, 0), fx::at(2, 0, 0)},
                                             .positions = {{0, 0, 0}},
                                             .influences = {{{1, 1}}}});
    const std::size_t a = builder.add_clip("a"), b = builder.add_clip("b");
    builder.add_channel(a, 1, "translation", {0}, fx::vec3({50, 0, 0}));
    builder.add_channel(b, 0, "translation", {0}, fx::vec3({1, 1, 1}));
    const Scene scene = read(builder);
    Poser poser(scene);
    TriMesh mesh = poser.make_mesh();
    poser.pose(at(a, 0), mesh);
    EXPECT_EQ(mesh.positions[0], Vec3f(50, 0, 0));
    poser.pose(at(b, 0), mesh);
    EXPECT_EQ(mesh.positions[0], Vec3f(2, 0, 0));
}

// Kind 25. Wrong: (0, 1, 0), or the delta twice, or mesh.weights.
TEST(SceneKinds, MorphsComeBeforeSkinningAndNodeWeightsBeforeMeshWeights) {
    fx::PointRig rig = one_point({.rotation = fx::axis_rotation({0, 0, 1}, 90)});
    rig.targets = {
        {{"POSITION", fx::Sparse{.count = 1, .indices = {0}, .values = fx::vec3({0, 1, 0})}}}};
    rig.mesh_weights = {0.25};
    rig.mesh_node.weights = {1};
    EXPECT_TRUE(point_close(pose(fx::point_rig(rig)).mesh.positions[0], Vec3(-1, 0, 0), 1e-6));
    rig.mesh_node.weights = {};
    EXPECT_TRUE(point_close(pose(fx::point_rig(rig)).mesh.positions[0], Vec3(-0.25, 0, 0), 1e-6));
    rig.mesh_weights = {};
    EXPECT_TRUE(point_close(pose(fx::point_rig(rig)).mesh.positions[0], Vec3(0, 0, 0), 1e-6));
    fx::GltfBuilder builder = fx::point_rig(rig);
    const std::size_t clip = builder.add_clip("morph");
    builder.add_channel(clip, 1, "weights", {0, 1}, fx::scalars({0, -2}));
    EXPECT_TRUE(point_close(pose(builder, at(clip, 0.5)).mesh.positions[0], Vec3(1, 0, 0), 1e-6));
}

TEST(SceneKinds, JointThreeHundredNeedsSixteenBits) {
    fx::PointRig rig{.positions = {{0, 0, 0}},
                     .influences = {{{300, 1}}},
                     .joint_component = fx::Component::U16};
    for (int j = 0; j <= 300; ++j) rig.joints.push_back(fx::at(j, 0, 0));
    EXPECT_EQ(pose(fx::point_rig(rig)).mesh.positions[0], Vec3f(300, 0, 0));
}

TEST(SceneKinds, InterleavedAndPaddedVerticesReadTheSame) {
    fx::PrimitiveSpec primitive;
    primitive.attributes = {
        {"POSITION", fx::vec3({1, 2, 3, 4, 5, 6, 7, 8, 9})},
        {"NORMAL", fx::vec3({1, 0, 0, 0, 1, 0, 0, 0, 1})},
        {"JOINTS_0", fx::vec4({0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}, fx::Component::U16)},
        {"WEIGHTS_0",
         fx::vec4({255, 0, 0, 0, 255, 0, 0, 0, 51, 204, 0, 0}, fx::Component::U8, true)}};
    std::vector<TriMesh> meshes;
    for (const std::size_t padding : {std::size_t{1000}, std::size_t{0}, std::size_t{20}}) {
        fx::PrimitiveSpec spec = primitive;
        spec.interleaved = padding != 1000;
        spec.interleave_padding = spec.interleaved ? padding : 0;
        fx::GltfBuilder builder;
        const std::size_t mesh = builder.add_mesh("M", {spec});
        builder.add_node(fx::at(10, 0, 0));
        builder.add_node(fx::at(0, 20, 0));
        builder.add_node({.mesh = mesh, .skin = builder.add_skin({0, 1})});
        meshes.push_back(pose(builder).mesh);
    }
    EXPECT_EQ(meshes[0].positions[1], Vec3f(4, 25, 6));
    // The third: a fifth of joint 0 (x + 10) and four of joint 1 (y + 20): (9, 24, 9).
    EXPECT_TRUE(point_close(meshes[0].positions[2], Vec3(9, 24, 9), 4e-6));
    for (const TriMesh& mesh : meshes) {
        EXPECT_TRUE(same_bits(mesh.positions, meshes[0].positions));
        EXPECT_TRUE(same_bits(mesh.normals, meshes[0].normals));
    }
}

TEST(SceneKinds, QuantisedPositionsAreScaledByTheInverseBindMatrix) {
    // Stored (1000, -2000, 3000); the inverse bind scales by 1/1000, the joint stands at (0, 0, 1).
    fx::GltfBuilder builder;
    fx::PrimitiveSpec primitive;
    primitive.attributes = {
        {"POSITION", fx::vec3({1000, -2000, 3000, 0, 0, 0, 32767, 0, 0}, fx::Component::I16)},
        {"NORMAL", fx::vec3({127, 0, 0, 0, 127, 0, 0, 0, -127}, fx::Component::I8, true)},
        {"JOINTS_0", fx::vec4({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, fx::Component::U8)},
        {"WEIGHTS_0", fx::vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})}};
    const std::size_t mesh = builder.add_mesh("M", {primitive});
    builder.add_node(fx::at(0, 0, 1));
    builder.add_node(
        {.mesh = mesh,
         .skin = builder.add_skin({0}, {.001, 0, 0, 0, 0, .001, 0, 0, 0, 0, .001, 0, 0, 0, 0, 1})});
    builder.json()["extensionsUsed"] = builder.json()["extensionsRequired"] =
        fx::Json::array({"KHR_mesh_quantization"});
    const TriMesh posed = pose(builder).mesh;
    EXPECT_TRUE(point_close(posed.positions[0], Vec3(1, -2, 4), 1e-6));
    EXPECT_TRUE(point_close(posed.normals[2], Vec3(0, 0, -1), 1e-6));
}

TEST(SceneKinds, NormalisedQuantisedPositionsAreFractions) {
    fx::GltfBuilder builder;
    fx::PrimitiveSpec primitive;
    primitive.attributes = {{"POSITION", fx::vec3({32767, -32768, 0, -32767, 0, 0, 0, 16384, 0},
                                                  fx::Component::I16, true)}};
    builder.add_node({.scale = {2, 2, 2}, .mesh = builder.add_mesh("M", {primitive})});
    builder.json()["extensionsUsed"] = builder.json()["extensionsRequired"] =
        fx::Json::array({"KHR_mesh_quantization"});
    const TriMesh posed = pose(builder).mesh;
    EXPECT_EQ(posed.positions[0], Vec3f(2, -2, 0));  // -32768 is clamped to -1
    EXPECT_EQ(posed.positions[1], Vec3f(-2, 0, 0));
    EXPECT_NEAR(static_cast<double>(posed.positions[2][1]), 2 * 16384.0 / 32767, 1e-6);
}

TEST(SceneKinds, CoordinatesNearAMillionAreComposedInDouble) {
    // Joint far out, turned a little, its mesh back at the origin by the inverse bind and a root
    // that brings it all home: composed in float each of the three steps would be off by 1/16.
    fx::GltfBuilder builder;
    fx::PrimitiveSpec primitive;
    primitive.attributes = {
        {"POSITION", fx::vec3({1, 0, 0, 0, 1, 0, 0, 0, 1})},
        {"JOINTS_0", fx::vec4({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, fx::Component::U8)},
        {"WEIGHTS_0", fx::vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})}};
    const std::size_t mesh = builder.add_mesh("M", {primitive});
    const std::size_t home = builder.add_node({.name = "Home", .translation = {-1e6, 1e6, 0}});
    const std::size_t joint = builder.add_node({.name = "J",
                                                .translation = {1e6, -1e6, 0.001953125},
                                                .rotation = fx::axis_rotation({0, 0, 1}, 90),
                                                .parent = home});
    builder.add_node({.mesh = mesh, .skin = builder.add_skin({joint})});
    for (const SkinMethod method : {SkinMethod::LinearBlend, SkinMethod::DualQuaternion}) {
        PoseOptions options;
        options.method = method;
        const TriMesh posed = pose(builder, {}, options).mesh;
        EXPECT_TRUE(point_close(posed.positions[0], Vec3(0, 1, 0.001953125), 1e-6));
        EXPECT_TRUE(point_close(posed.positions[1], Vec3(-1, 0, 0.001953125), 1e-6));
    }
}

TEST(SceneKinds, StripsFansAndPlainListsBecomeTheSpecsTriangles) {
    const auto triangles = [](int mode, std::optional<fx::Data> indices) {
        fx::GltfBuilder builder;
        fx::PrimitiveSpec primitive;
        primitive.attributes = {
            {"POSITION", fx::vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0})}};
        primitive.mode = mode;
        primitive.indices = std::move(indices);
        builder.add_node({.mesh = builder.add_mesh("M", {primitive})});
        return pose(builder);
    };
    using Faces = std::vector<Triangle>;
    // Specification 3.7.2.1: strip p_i = {v_i, v_(i+1+i%2), v_(i+2-i%2)}, fan {v_(i+1), v_(i+2),
    // v_0}.
    EXPECT_EQ(triangles(5, fx::scalars({0, 1, 2, 3, 4}, fx::Component::U8)).mesh.triangles,
              (Faces{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}}));
    EXPECT_EQ(triangles(6, fx::scalars({0, 1, 2, 3, 4}, fx::Component::U16)).mesh.triangles,
              (Faces{{1, 2, 0}, {2, 3, 0}, {3, 4, 0}}));
    EXPECT_EQ(triangles(4, std::nullopt).mesh.triangles, (Faces{{0, 1, 2}, {3, 4, 5}}));
    EXPECT_EQ(triangles(5, std::nullopt).mesh.triangles.size(), 4u);
    const PosedMesh degenerate = triangles(5, fx::scalars({0, 1, 2, 2, 3}, fx::Component::U32));
    EXPECT_EQ(degenerate.mesh.triangles.size(), 3u);
    EXPECT_EQ(degenerate.report.totals.degenerate_triangles, 2u);
    const PosedMesh surplus = triangles(4, fx::scalars({0, 1, 2, 3, 4}, fx::Component::U8));
    EXPECT_EQ(surplus.mesh.triangles, (Faces{{0, 1, 2}}));
    EXPECT_EQ(surplus.report.totals.surplus_indices, 2u);
}

TEST(SceneKinds, JointsOutsideTheSceneCountAllTheSame) {
    fx::PointRig rig = one_point(fx::at(0, 0, 0));
    fx::GltfBuilder builder = fx::point_rig(rig);
    const std::size_t parent = builder.add_node(fx::at(5, 0, 0));
    builder.json()["nodes"][parent]["children"].push_back(0);
    builder.add_scene({1});
    const Scene scene = read(builder);
    EXPECT_EQ(pose(scene).mesh.positions[0], Vec3f(5, 0, 0));
    EXPECT_EQ(scene.joints_outside_scene, 1u);
}

TEST(SceneKinds, EveryStorageOfAFileIsTheSameScene) {
    const TriMesh expected = pose(read(fx::tube()), at(0, 0.5)).mesh;
    for (const fx::Storage storage : {fx::Storage::External, fx::Storage::Glb})
        EXPECT_TRUE(same_bits(pose(read(fx::tube(), storage), at(0, 0.5)).mesh.positions,
                              expected.positions));
}

}  // namespace
}  // namespace skinpose::test
