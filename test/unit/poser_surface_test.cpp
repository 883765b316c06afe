#include <gtest/gtest.h>

#include <cmath>

#include "fixtures/rigs.h"
#include "skinpose/posed_mesh.h"
#include "support/mesh_compare.h"
#include "support/posing.h"

namespace skinpose::test {
namespace {

namespace fx = fixtures;

constexpr SkinMethod kBoth[] = {SkinMethod::LinearBlend, SkinMethod::DualQuaternion};

/// One triangle on a plain node.
fx::GltfBuilder rigid_triangle(const fx::NodeSpec& node) {
    fx::PointRig rig;
    rig.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    rig.normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    rig.mesh_node = node;
    return fx::point_rig(rig);
}

TEST(PoserSurface, AMirroredRigidPartFlipsItsFacesByTheSpecsRule) {
    const PosedMesh plain = pose(rigid_triangle({.scale = {1, 2, 3}}));
    EXPECT_EQ(plain.mesh.triangles[0], (Triangle{0, 1, 2}));
    EXPECT_EQ(plain.report.totals.flipped_rigid_faces, 0u);
    const PosedMesh mirrored = pose(rigid_triangle({.scale = {-1, 1, 1}}));
    EXPECT_EQ(mirrored.mesh.triangles[0], (Triangle{0, 2, 1}));
    EXPECT_EQ(mirrored.report.totals.flipped_rigid_faces, 1u);
    EXPECT_EQ(mirrored.report.totals.reflected_faces, 0u);
    EXPECT_EQ(mirrored.mesh.normals[0], Vec3f(0, 0, 1));
}

TEST(PoserSurface, FacesFollowTheMirrorOfTheMomentNotOfAnEarlierOne) {
    fx::GltfBuilder builder = rigid_triangle({.name = "N"});
    const std::size_t clip = builder.add_clip("flip");
    builder.add_channel(clip, 0, "scale", {0, 1}, fx::vec3({1, 1, 1, -1, 1, 1}), "STEP");
    const Scene scene = read(builder);
    Poser poser(scene);
    TriMesh mesh = poser.make_mesh();
    poser.pose(at(0, 1), mesh);
    EXPECT_EQ(mesh.triangles[0], (Triangle{0, 2, 1}));
    poser.pose(at(0, 0), mesh);
    EXPECT_EQ(mesh.triangles[0], (Triangle{0, 1, 2}));
}

TEST(PoserSurface, ReflectedSkinnedFacesStayInFileOrderUnlessAskedOtherwise) {
    // Face 0 hangs on a mirrored joint alone, face 1 has one vertex on a plain one.
    fx::PointRig rig{
        .joints = {{.scale = {-1, 1, 1}}, fx::at(0, 0, 0)},
        .positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
        .influences = {{{0, 1}}, {{0, 1}}, {{0, 1}}, {{0, 1}}, {{0, 1}}, {{1, 1}}}};
    const Scene scene = read(fx::point_rig(rig));
    for (const SkinMethod method : kBoth) {
        PoseOptions options;
        options.method = method;
        const PosedMesh left = pose(scene, {}, options);
        EXPECT_EQ(left.mesh.triangles[0], (Triangle{0, 1, 2}));
        EXPECT_EQ(left.report.totals.reflected_faces, 1u);
        options.fix_winding = true;
        const PosedMesh fixed = pose(scene, {}, options);
        EXPECT_EQ(fixed.mesh.triangles[0], (Triangle{0, 2, 1}));
        EXPECT_EQ(fixed.mesh.triangles[1], (Triangle{3, 4, 5}));
        EXPECT_EQ(fixed.report.totals.reflected_faces, 1u);
    }
}

TEST(PoserSurface, MissingNormalsAreNotInvented) {
    fx::PointRig rig;
    rig.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const PosedMesh plain = pose(fx::point_rig(rig));
    EXPECT_TRUE(plain.mesh.normals.empty());
    EXPECT_TRUE(plain.mesh.face_normals.empty());
    EXPECT_EQ(plain.report.totals.smoothed_normals, 0u);
}

TEST(PoserSurface, SmoothNormalsAreWeightedByArea) {
    // Two triangles share the edge 0-1 on the x axis: one in the xy plane of area 1/2 (normal +z),
    // one in the xz plane of area 3/2 (normal -y, from (1,0,0) x (0,0,3) = (0, -3, 0)). Corners 0
    // and 1 get (0, -3, 1) / sqrt 10.
    fx::GltfBuilder builder;
    fx::PrimitiveSpec primitive;
    primitive.attributes = {{"POSITION", fx::vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3})}};
    primitive.indices = fx::scalars({0, 1, 2, 0, 1, 3}, fx::Component::U8);
    builder.add_node({.mesh = builder.add_mesh("Fold", {primitive})});
    PoseOptions options;
    options.missing_normals = MissingNormals::Smooth;
    const PosedMesh result = pose(builder, {}, options);
    EXPECT_TRUE(point_close(result.mesh.normals[0],
                            Vec3(0, -3 / std::sqrt(10.0), 1 / std::sqrt(10.0)), 1e-6));
    EXPECT_TRUE(point_close(result.mesh.normals[2], Vec3(0, 0, 1), 1e-6));
    EXPECT_TRUE(point_close(result.mesh.normals[3], Vec3(0, -1, 0), 1e-6));
    EXPECT_EQ(result.report.totals.smoothed_normals, 4u);
    EXPECT_TRUE(result.mesh.parts[0].has_normals);
}

TEST(PoserSurface, SmoothNormalsAreThoseOfThePosedSurface) {
    fx::PointRig rig{.joints = {{.rotation = fx::axis_rotation({1, 0, 0}, 90)}},
                     .positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                     .influences = {{{0, 1}}, {{0, 1}}, {{0, 1}}}};
    PoseOptions options;
    options.missing_normals = MissingNormals::Smooth;
    const PosedMesh result = pose(fx::point_rig(rig), {}, options);
    EXPECT_TRUE(point_close(result.mesh.normals[0], Vec3(0, -1, 0), 1e-6));
}

TEST(PoserSurface, FlatNormalsArePerFace) {
    fx::PointRig rig;
    rig.positions = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    PoseOptions options;
    options.missing_normals = MissingNormals::Flat;
    const PosedMesh result = pose(fx::point_rig(rig), {}, options);
    ASSERT_EQ(result.mesh.face_normals.size(), 2u);
    EXPECT_TRUE(point_close(result.mesh.face_normals[0], Vec3(0, 0, 1), 1e-6));
    EXPECT_TRUE(point_close(result.mesh.face_normals[1], Vec3(1, 0, 0), 1e-6));
}

TEST(PoserSurface, WhereOnlySomePartsHaveNormalsTheOthersGetSmoothOnes) {
    fx::GltfBuilder builder;
    fx::PrimitiveSpec with, without;
    const fx::Data triangle = fx::vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
    with.attributes = {{"POSITION", triangle}, {"NORMAL", fx::vec3({1, 0, 0, 1, 0, 0, 1, 0, 0})}};
    without.attributes = {{"POSITION", triangle}};
    builder.add_node({.mesh = builder.add_mesh("Half", {with, without})});
    const PosedMesh result = pose(builder);
    ASSERT_EQ(result.mesh.normals.size(), 6u);
    EXPECT_EQ(result.mesh.normals[0], Vec3f(1, 0, 0));  // the file's own, however odd
    EXPECT_TRUE(point_close(result.mesh.normals[3], Vec3(0, 0, 1), 1e-6));
    EXPECT_EQ(result.report.totals.smoothed_normals, 3u);
}

TEST(PoserSurface, TangentsArePosedWhereAskedFor) {
    fx::GltfBuilder builder;
    fx::PrimitiveSpec primitive;
    primitive.attributes = {{"POSITION", fx::vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})},
                            {"NORMAL", fx::vec3({0, 0, 1, 0, 0, 1, 0, 0, 1})},
                            {"TANGENT", fx::vec4({1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, -1})}};
    builder.add_node(
        {.rotation = fx::axis_rotation({0, 0, 1}, 90), .mesh = builder.add_mesh("T", {primitive})});
    EXPECT_TRUE(pose(builder).mesh.tangents.empty());
    PoseOptions options;
    options.tangents = true;
    const TriMesh mesh = pose(builder, {}, options).mesh;
    ASSERT_EQ(mesh.tangents.size(), 3u);
    EXPECT_NEAR(static_cast<double>(mesh.tangents[0][1]), 1.0, 1e-6);
    EXPECT_EQ(mesh.tangents[0][3], 1.0F);
    EXPECT_EQ(mesh.tangents[2][3], -1.0F);
}

TEST(PoserSurface, SmoothNormalsDoNotDependOnWhetherFacesAreAskedFor) {
    // A mirrored rigid part without normals: its face is flipped, and its normals are those of the
    // flipped face, for a caller who keeps his own list of triangles too.
    fx::PointRig rig;
    rig.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    rig.mesh_node.scale = {-1, 1, 1};
    const Scene scene = read(fx::point_rig(rig));
    PoseOptions options;
    options.missing_normals = MissingNormals::Smooth;
    const PosedMesh whole = pose(scene, {}, options);
    ASSERT_EQ(whole.mesh.triangles[0], (Triangle{0, 2, 1}));
    EXPECT_EQ(whole.mesh.normals[0], Vec3f(0, 0, 1));
    Poser poser(scene, options);
    std::vector<Vec3f> positions(3), normals(3);
    PoseBuffers buffers;
    buffers.positions = positions;
    buffers.normals = normals;
    poser.pose({}, buffers);
    EXPECT_TRUE(same_bits(normals, whole.mesh.normals));
}

TEST(PoserSurface, MorphedNormalsAreOfUnitLength) {
    // (0, 0, 1) + half of (0, 1, 0), under nothing that would move it, rigid or skinned.
    fx::PointRig rig;
    rig.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    rig.normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    rig.targets = {{{"NORMAL", fx::vec3({0, 1, 0, 0, 1, 0, 0, 1, 0})}}};
    rig.mesh_weights = {0.5};
    const Vec3 expected(0, std::sqrt(.2), std::sqrt(.8));
    EXPECT_TRUE(point_close(pose(fx::point_rig(rig)).mesh.normals[0], expected, 1e-6));
    rig.joints = {fx::at(0, 0, 0)};
    rig.influences = {{{0, 1}}, {}, {{0, 1}}};
    EXPECT_TRUE(point_close(pose(fx::point_rig(rig)).mesh.normals[0], expected, 1e-6));
    EXPECT_TRUE(point_close(pose(fx::point_rig(rig)).mesh.normals[1], expected, 1e-6));
}

}  // namespace
}  // namespace skinpose::test
