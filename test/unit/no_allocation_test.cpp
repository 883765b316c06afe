#include <gtest/gtest.h>

#include "fixtures/rigs.h"
#include "skinpose/posed_mesh.h"
#include "support/counting_new.h"
#include "support/posing.h"

namespace skinpose::test {
namespace {

namespace fx = fixtures;

/// Allocations of posing at a second and third time, after a first.
std::size_t allocations_of(const Scene& scene, const PoseTime& when, const PoseOptions& options) {
    Poser poser(scene, options);
    TriMesh mesh = poser.make_mesh();
    poser.pose(when, mesh);
    const std::size_t before = allocation_count();
    for (const double later_s : {0.25, 0.75}) {
        PoseTime again = when;
        if (when.clip != kNone) again.time_s += later_s;
        poser.pose(again, mesh);
    }
    return allocation_count() - before;
}

/// Eight influences a vertex, all sets off by a little, two morph targets, a rigid mesh that
/// mirrors, and a part without normals beside one with them.
fx::GltfBuilder everything() {
    fx::PointRig rig{.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                     .normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}}};
    fx::Influences influences;
    for (std::size_t joint = 0; joint < 8; ++joint) {
        rig.joints.push_back(fx::at(static_cast<double>(joint), 0, 0));
        influences.emplace_back(joint, 0.12);
    }
    rig.influences = {influences, influences, {}};
    const fx::Data delta = fx::vec3({0, 1, 0, 0, 1, 0, 0, 1, 0});
    rig.targets = {{{"POSITION", delta}, {"NORMAL", delta}}, {{"POSITION", delta}}};
    fx::GltfBuilder builder = fx::point_rig(rig);
    fx::PrimitiveSpec plain;
    plain.attributes = {{"POSITION", fx::vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})}};
    const std::size_t rigid =
        builder.add_node({.scale = {-1, 1, 1}, .mesh = builder.add_mesh("Rigid", {plain})});
    const std::size_t clip = builder.add_clip("all");
    builder.add_channel(clip, 1, "rotation", {0, 1}, fx::vec4({0, 0, 0, 1, 0, 0, 1, 0}));
    builder.add_channel(clip, 2, "translation", {0, 1},
                        fx::vec3({0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}),
                        "CUBICSPLINE");
    builder.add_channel(clip, 8, "weights", {0, 1}, fx::scalars({0, 0, 1, 1}));
    builder.add_channel(clip, rigid, "scale", {0, 1}, fx::vec3({-1, 1, 1, 1, 1, 1}));
    return builder;
}

PoseTime first_clip() { return at(0, 0); }

TEST(NoAllocation, TheCounterCounts) {
    const std::size_t before = allocation_count();
    const std::vector<int> something(100, 1);
    EXPECT_EQ(allocation_count(), before + 1) << something.size();
}

TEST(NoAllocation, PosingTheTubeAgainAllocatesNothing) {
    const Scene scene = read(fx::tube());
    EXPECT_EQ(allocations_of(scene, first_clip(), {}), 0u);
    EXPECT_EQ(allocations_of(scene, first_clip(), dual_quaternion_options()), 0u);
}

TEST(NoAllocation, NoOptionMakesPosingAgainAllocate) {
    const Scene scene = read(everything());
    for (const SkinMethod method : {SkinMethod::LinearBlend, SkinMethod::DualQuaternion})
        for (const Precision precision : {Precision::Float, Precision::Double})
            for (const MissingNormals normals :
                 {MissingNormals::None, MissingNormals::Smooth, MissingNormals::Flat})
                for (const std::size_t most : {std::size_t{2}, kAllInfluences}) {
                    PoseOptions options;
                    options.method = method;
                    options.precision = precision;
                    options.missing_normals = normals;
                    options.influences.max_influences = most;
                    options.tangents = true;
                    options.fix_winding = true;
                    EXPECT_EQ(allocations_of(scene, first_clip(), options), 0u);
                    options.resample_hz = 3;
                    EXPECT_EQ(allocations_of(scene, first_clip(), options), 0u) << "resampled";
                }
}

TEST(NoAllocation, BlendingAllocatesNothing) {
    const Scene scene = read(fx::tube());
    for (const BlendMode mode : {BlendMode::Palette, BlendMode::Trs})
        for (const std::size_t other : {std::size_t{1}, kNone}) {
            PoseOptions options;
            options.blend_mode = mode;
            options.influences.max_influences = 1;
            options.resample_hz = mode == BlendMode::Trs ? 10 : 0;
            EXPECT_EQ(allocations_of(scene, blended(first_clip(), other, 0.5, 0.4), options), 0u);
        }
}

TEST(NoAllocation, BindAndRestAllocateNothing) {
    const Scene scene = read(everything());
    EXPECT_EQ(allocations_of(scene, bound(), {}), 0u);
    EXPECT_EQ(allocations_of(scene, {}, {}), 0u);
}

}  // namespace
}  // namespace skinpose::test
