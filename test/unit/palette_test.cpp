#include "skinpose/palette.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/mesh_compare.h"
#include "support/posing.h"

namespace skinpose::test {
namespace {

Scene one_joint_scene(const Mat4& scene_from_joint) {
    Scene scene;
    Node node;
    node.has_matrix = true;
    node.matrix = scene_from_joint;
    scene.nodes = {node};
    return scene;
}

Skin one_joint_skin(const Mat4& joint_from_mesh) { return {"", {0}, {joint_from_mesh}}; }

JointPalette evaluate(const Scene& scene, const Skin& skin, const Mat4& placement) {
    LocalPose local = make_local_pose(scene);
    GlobalPose pose = make_global_pose(scene);
    evaluate_local(scene, {}, local);
    evaluate_global(scene, local, pose);
    JointPalette palette = make_palette(skin);
    evaluate_palette(skin, pose, placement, palette);
    return palette;
}

TEST(Palette, IsPlacementThenJointThenInverseBind) {
    // Point (1, 0, 0): the inverse bind moves it to 0, the joint turns that (nothing) and moves it
    // to (0, 5, 0), the placement doubles it.
    const Mat4 joint = compose_trs(Vec3(0, 5, 0), turn(Vec3(0, 0, 1), 90), Vec3::Ones());
    const JointPalette p =
        evaluate(one_joint_scene(joint), one_joint_skin(translation_matrix(-1, 0, 0)),
                 scale_matrix(2, 2, 2));
    EXPECT_TRUE(point_close(transform_point(p.exact[0], Vec3(1, 0, 0)), Vec3(0, 10, 0), 1e-15));
    EXPECT_TRUE(point_close(transform_point(p.exact[0], Vec3(2, 0, 0)), Vec3(0, 12, 0), 1e-15));
}

TEST(Palette, AFreshOneIsTheIdentity) {
    const JointPalette p = make_palette(Skin{"", {0, 0, 0}, std::vector<Mat4>(3, Mat4::Zero())});
    ASSERT_EQ(p.exact.size(), 3u);
    ASSERT_EQ(p.rounded.size(), 3u);
    EXPECT_EQ(p.exact[2], Mat4::Identity());
    EXPECT_EQ(p.rounded[2], (Affine3f{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}));
}

TEST(Palette, RoundingIsRowMajorOfTheUpperThreeRows) {
    Mat4 m = Mat4::Identity();
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c) m(r, c) = 10 * r + c + 0.1;
    const Affine3f rounded = round_affine(m);
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 4; ++c)
            EXPECT_EQ(rounded[4 * r + c], static_cast<float>(10 * static_cast<double>(r) +
                                                             static_cast<double>(c) + 0.1));
}

TEST(Palette, FarFromTheOriginIsComposedInDouble) {
    // Joint and bind at 1e6: in float the spacing there is 1/16, so the 0.01 step would be lost.
    const JointPalette p =
        evaluate(one_joint_scene(translation_matrix(1e6 + 0.01, 1e6, 0)),
                 one_joint_skin(translation_matrix(-1e6, -1e6, 0)), Mat4::Identity());
    JointPalette rounded = p;
    EXPECT_EQ(round_palette(rounded), kNone);
    EXPECT_NEAR(static_cast<double>(rounded.rounded[0][3]), 0.01, 1e-9);
    EXPECT_EQ(rounded.rounded[0][7], 0.0F);
}

TEST(Palette, APlainBlendOfAHalfTurnShrinksToNothing) {
    // Component-wise, half of I and half of a turn by 180 degrees about z is diag(0, 0, 1).
    JointPalette a = make_palette(one_joint_skin(Mat4::Identity())), b = a, out = a;
    b.exact[0] = rotation_matrix(Vec3(0, 0, 1), 180);
    blend_palettes(a, b, 0.5, out);
    Mat4 expected = Mat4::Identity();
    expected(0, 0) = expected(1, 1) = 0;
    EXPECT_LE((out.exact[0] - expected).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Palette, BlendEndsAreTheTwoPalettesBitForBit) {
    JointPalette a = make_palette(one_joint_skin(Mat4::Identity())), b = a, out = a;
    a.exact[0] = rotation_matrix(Vec3(0, 1, 0), 33);
    b.exact[0] = translation_matrix(1e17, 0.1, 1);
    blend_palettes(a, b, 0, out);
    EXPECT_EQ(out.exact[0], a.exact[0]);
    blend_palettes(a, b, 1, out);
    EXPECT_EQ(out.exact[0], b.exact[0]);
    blend_palettes(a, b, 0.25, a);  // in place
    EXPECT_DOUBLE_EQ(a.exact[0](1, 3), 0.025);
}

TEST(Palette, AMatrixBeyondFloatIsNamed) {
    JointPalette p = make_palette(Skin{"", {0, 0, 0}, std::vector<Mat4>(3, Mat4::Identity())});
    EXPECT_EQ(round_palette(p), kNone);
    p.exact[1](0, 3) = 1e39;  // a fine double
    EXPECT_EQ(round_palette(p), 1u);
    p.exact[1](0, 3) = 3.4e38;
    p.exact[2](2, 2) = std::nan("");
    EXPECT_EQ(round_palette(p), 2u);
}

TEST(Palette, OneSkinOnManyJointsFollowsEachJointByItsIndex) {
    Scene scene;
    scene.nodes.resize(3);
    for (std::size_t i = 0; i < 3; ++i) {
        scene.nodes[i].name = "J";  // all alike: identity is the index
        scene.nodes[i].rest.translation = Vec3(static_cast<double>(i), 0, 0);
    }
    const Skin skin{"", {2, 0, 1}, std::vector<Mat4>(3, Mat4::Identity())};
    const JointPalette p = evaluate(scene, skin, Mat4::Identity());
    EXPECT_EQ(p.exact[0](0, 3), 2);
    EXPECT_EQ(p.exact[1](0, 3), 0);
    EXPECT_EQ(p.exact[2](0, 3), 1);
}

}  // namespace
}  // namespace skinpose::test
