#include "skinpose/pose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support/mesh_compare.h"
#include "support/posing.h"

namespace skinpose::test {
namespace {

Node node(std::size_t parent, const Vec3& translation) {
    Node n;
    n.parent = parent;
    n.rest.translation = translation;
    n.in_scene = true;
    return n;
}

/// Root at (1, 0, 0), child one up from it, grandchild one further up.
Scene chain() {
    Scene scene;
    scene.nodes = {node(kNone, Vec3(1, 0, 0)), node(0, Vec3(0, 1, 0)), node(1, Vec3(0, 1, 0))};
    return scene;
}

Clip clip_of(std::size_t node, ChannelPath path, std::vector<float> times,
             std::vector<double> values, std::size_t components,
             Interpolation interpolation = Interpolation::Linear) {
    Clip clip;
    clip.start_s = static_cast<double>(times.front());
    clip.duration_s = static_cast<double>(times.back());
    clip.samplers.push_back({interpolation, std::move(times), components, std::move(values)});
    clip.channels.push_back({node, path, 0, ""});
    return clip;
}

/// Turns `node` by a quarter about z over one second.
Clip quarter_turn(std::size_t node) {
    const Vec4 q = turn(Vec3(0, 0, 1), 90);
    return clip_of(node, ChannelPath::Rotation, {0, 1}, {0, 0, 0, 1, q[0], q[1], q[2], q[3]}, 4);
}

GlobalPose global(const Scene& scene, const ClipTime& at) {
    LocalPose local = make_local_pose(scene);
    GlobalPose pose = make_global_pose(scene);
    evaluate_local(scene, at, local);
    evaluate_global(scene, local, pose);
    return pose;
}

Vec3 place(const GlobalPose& pose, std::size_t node) {
    const Mat4& m = pose.scene_from_node[node];
    return Vec3(m(0, 3), m(1, 3), m(2, 3));
}

bool same_bytes(const GlobalPose& a, const GlobalPose& b) {
    for (std::size_t i = 0; i < a.scene_from_node.size(); ++i)
        if (std::memcmp(a.scene_from_node[i].data(), b.scene_from_node[i].data(),
                        16 * sizeof(double)) != 0)
            return false;
    return a.morph_weights == b.morph_weights;
}

TEST(Pose, RestIsTheNodesOwnTransforms) {
    const Scene scene = chain();
    const GlobalPose pose = global(scene, {});
    EXPECT_EQ(place(pose, 0), Vec3(1, 0, 0));
    EXPECT_EQ(place(pose, 1), Vec3(1, 1, 0));
    EXPECT_EQ(place(pose, 2), Vec3(1, 2, 0));
}

TEST(Pose, AFreshPoseHoldsTheRestPose) {
    Scene scene = chain();
    scene.nodes[1].rest.rotation = turn(Vec3(1, 0, 0), 20);
    scene.nodes[2].weights = {0.25, 0.5};
    const LocalPose local = make_local_pose(scene);
    EXPECT_EQ(local.trs[1].rotation, scene.nodes[1].rest.rotation);
    EXPECT_EQ(local.morph_weights, (std::vector<double>{0.25, 0.5}));
    const GlobalPose pose = make_global_pose(scene);
    EXPECT_EQ(pose.scene_from_node.size(), 3u);
    EXPECT_EQ(pose.weights_of(2).size(), 2u);
    EXPECT_TRUE(pose.weights_of(0).empty());
}

TEST(Pose, EveryAncestorCounts) {
    // The root turns; what hangs below it swings about (1, 0, 0): two up becomes two to the left.
    const Scene scene = chain();
    const Clip clip = quarter_turn(0);
    const GlobalPose pose = global(scene, {&clip, 1.0});
    EXPECT_TRUE(point_close(place(pose, 2), Vec3(-1, 0, 0), 1e-15));
}

TEST(Pose, AChildTurnsAboutItsOwnPlace) {
    const Scene scene = chain();
    const Clip clip = quarter_turn(1);
    const GlobalPose pose = global(scene, {&clip, 1.0});
    EXPECT_TRUE(point_close(place(pose, 1), Vec3(1, 1, 0), 1e-15));
    EXPECT_TRUE(point_close(place(pose, 2), Vec3(0, 1, 0), 1e-15));
}

TEST(Pose, AParentsScaleReachesItsChildren) {
    Scene scene = chain();
    scene.nodes[0].rest.scale = Vec3(0.01, 0.01, 0.01);
    EXPECT_TRUE(point_close(place(global(scene, {}), 2), Vec3(1, 0.02, 0), 1e-16));
}

TEST(Pose, AMatrixNodeKeepsShear) {
    Scene scene = chain();
    scene.nodes[0].has_matrix = true;
    scene.nodes[0].matrix = Mat4::Identity();
    scene.nodes[0].matrix(0, 1) = 0.5;  // x += y / 2
    EXPECT_EQ(place(global(scene, {}), 2), Vec3(1, 2, 0));
    EXPECT_EQ(global(scene, {}).scene_from_node[0], scene.nodes[0].matrix);
}

TEST(Pose, ANodeTheClipDoesNotTouchKeepsItsRest) {
    Scene scene = chain();
    scene.nodes[2].rest.rotation = turn(Vec3(1, 0, 0), 90);
    scene.nodes[1].rest.scale = Vec3(2, 2, 2);
    const Clip clip = quarter_turn(1);
    LocalPose local = make_local_pose(scene);
    evaluate_local(scene, {&clip, 1.0}, local);
    EXPECT_EQ(local.trs[2].rotation, scene.nodes[2].rest.rotation);
    // Of the animated node, the paths without a channel keep the node's own value too.
    EXPECT_EQ(local.trs[1].scale, Vec3(2, 2, 2));
    EXPECT_EQ(local.trs[1].translation, Vec3(0, 1, 0));
}

TEST(Pose, NoStateSurvivesBetweenClips) {
    Scene scene = chain();
    scene.nodes[2].weights = {0.25};
    Clip a = quarter_turn(1);
    a.samplers.push_back({Interpolation::Linear, {0, 1}, 1, {0, 1}});
    a.channels.push_back({2, ChannelPath::Weights, 1, ""});
    const Clip b = clip_of(0, ChannelPath::Translation, {0, 1}, {0, 0, 0, 5, 0, 0}, 3);
    LocalPose local = make_local_pose(scene);
    GlobalPose after = make_global_pose(scene);
    evaluate_local(scene, {&a, 0.7}, local);
    evaluate_global(scene, local, after);
    ASSERT_FALSE(same_bytes(after, global(scene, {&b, 0.5})));
    evaluate_local(scene, {&b, 0.5}, local);
    evaluate_global(scene, local, after);
    EXPECT_TRUE(same_bytes(after, global(scene, {&b, 0.5})));
    evaluate_local(scene, {}, local);
    evaluate_global(scene, local, after);
    EXPECT_TRUE(same_bytes(after, global(scene, {})));
}

TEST(Pose, AnimatedMorphWeightsReplaceTheNodesOwn) {
    Scene scene = chain();
    scene.nodes[1].weights = {0.25, -0.5};
    scene.nodes[2].weights = {1};
    const Clip clip = clip_of(1, ChannelPath::Weights, {0, 2}, {0, 1, 1, -1}, 2);
    const GlobalPose pose = global(scene, {&clip, 1.0});
    EXPECT_EQ(pose.weights_of(1)[0], 0.5);
    EXPECT_EQ(pose.weights_of(1)[1], 0.0);
    EXPECT_EQ(pose.weights_of(2)[0], 1.0);
    EXPECT_EQ(global(scene, {}).weights_of(1)[1], -0.5);
}

TEST(Pose, ClipsAreEvaluatedExactlyUnlessResampled) {
    const Scene scene = chain();
    const Clip clip =
        clip_of(0, ChannelPath::Translation, {0, 0.5, 1}, {0, 0, 0, 1, 0, 0, 0, 0, 0}, 3);
    EXPECT_EQ(place(global(scene, {&clip, 0.5}), 0), Vec3(1, 0, 0));
    EXPECT_EQ(place(global(scene, {&clip, 0.5, 1.0}), 0), Vec3(0, 0, 0));
}

TEST(Pose, BlendingLocalsSlerpsAndLerps) {
    Scene scene = chain();
    scene.nodes[1].weights = {0};
    LocalPose a = make_local_pose(scene), b = make_local_pose(scene), out = make_local_pose(scene);
    b.trs[1].rotation = turn(Vec3(0, 0, 1), 90);
    b.trs[1].translation = Vec3(4, 5, 8);
    b.trs[1].scale = Vec3(3, 1, 1);
    b.morph_weights = {1};
    blend_local(a, b, 0.25, out);
    EXPECT_NEAR(out.trs[1].rotation[2], std::sin(radians(11.25)), 1e-15);
    EXPECT_EQ(out.trs[1].translation, Vec3(1, 2, 2));
    EXPECT_EQ(out.trs[1].scale, Vec3(1.5, 1, 1));
    EXPECT_EQ(out.morph_weights[0], 0.25);
}

TEST(Pose, BlendEndsAreTheTwoPosesBitForBit) {
    const Scene scene = chain();
    LocalPose a = make_local_pose(scene), b = make_local_pose(scene), out = make_local_pose(scene);
    a.trs[1] = {Vec3(0.1, 0.2, 0.3), turn(Vec3(0, 1, 0), 77), Vec3(0.7, 0.9, 1.1)};
    b.trs[1] = {Vec3(1e9, 0.7, 1.3), turn(Vec3(1, 0, 0), 11), Vec3(0.1, 0.2, 0.3)};
    for (const double mix : {0.0, 1.0}) {
        blend_local(a, b, mix, out);
        const Trs& end = mix == 0.0 ? a.trs[1] : b.trs[1];
        EXPECT_EQ(out.trs[1].translation, end.translation);
        EXPECT_EQ(out.trs[1].rotation, end.rotation);
        EXPECT_EQ(out.trs[1].scale, end.scale);
    }
}

TEST(Pose, BlendingMayWriteOverItsFirstPose) {
    const Scene scene = chain();
    LocalPose a = make_local_pose(scene);
    LocalPose b = make_local_pose(scene);
    LocalPose apart = make_local_pose(scene);
    b.trs[2] = {Vec3(3, 2, 1), turn(Vec3(0, 1, 0), 120), Vec3(1, 2, 3)};
    blend_local(a, b, 0.3, apart);
    blend_local(a, b, 0.3, a);
    EXPECT_EQ(a.trs[2].translation, apart.trs[2].translation);
    EXPECT_EQ(a.trs[2].rotation, apart.trs[2].rotation);
    EXPECT_EQ(a.trs[2].scale, apart.trs[2].scale);
}

TEST(Pose, ADeepChainIsEvaluatedWithoutRecursion) {
    Scene scene;
    scene.nodes.push_back(node(kNone, Vec3(0, 0, 0)));
    for (std::size_t i = 1; i < 200'000; ++i) scene.nodes.push_back(node(i - 1, Vec3(0, 0.5, 0)));
    EXPECT_EQ(place(global(scene, {}), 199'999), Vec3(0, 99'999.5, 0));
}

}  // namespace
}  // namespace skinpose::test
