// Every option of `skinpose pose` does what it says, seen from outside: through the files written.

#include <cmath>

#include "cli/cli_fixture.h"
#include "support/ply_reader.h"

namespace skinpose::test {
namespace {

using Arguments = std::vector<std::string>;
using Points = std::vector<std::array<double, 3>>;

class CliOptions : public CliTest {
   protected:
    /// Poses `file` with more arguments into `name`.ply and `name`.json; returns the mesh.
    PlyMesh pose(const std::string& file, const Arguments& more, const std::string& name = "mesh") {
        Arguments arguments{"pose", file, "-o", name + ".ply"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        run_ok(arguments);
        report_ = read_json(name + ".json");
        return read_ply(path(name + ".ply"));
    }
    PlyMesh pose_tube(const Arguments& more) { return pose(tube(), more); }

    /// The tube with its first root mirrored: a parent node with a negative scale around the
    /// joints.
    void write_mirrored_tube(const std::string& name) const {
        nlohmann::json document = tube_json();
        const std::size_t joint = document["skins"][0]["joints"][0];
        nlohmann::json parent = {{"scale", {-1, 1, 1}},
                                 {"children", nlohmann::json::array({joint})}};
        const std::size_t index = document["nodes"].size();
        document["nodes"].push_back(parent);
        for (nlohmann::json& scene : document["scenes"])
            for (nlohmann::json& root : scene["nodes"])
                if (root == joint) root = index;
        write_json(name, document);
    }

    nlohmann::json report_;
};

double largest_distance(const Points& a, const Points& b) {
    double largest = a.size() == b.size() ? 0.0 : INFINITY;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        largest =
            std::max(largest, std::hypot(a[i][0] - b[i][0], a[i][1] - b[i][1], a[i][2] - b[i][2]));
    return largest;
}

TEST_F(CliOptions, ClipAndTimeChooseThePose) {
    const Points rest = pose_tube({}).positions();
    EXPECT_EQ(report_.at("pose"), "rest");
    EXPECT_TRUE(report_.at("clip").is_null());
    const Points early = pose_tube({"--clip", "bend", "--t", "0.25"}).positions();
    EXPECT_EQ(report_.at("pose"), "clip");
    EXPECT_EQ(report_.at("time_asked_s"), 0.25);
    const Points late = pose_tube({"--clip", "bend", "--t", "0.5"}).positions();
    EXPECT_GT(largest_distance(early, late), 1e-3);
    EXPECT_GT(largest_distance(rest, late), 1e-3);
}

TEST_F(CliOptions, PercentIsOfTheClipsDuration) {
    const Points half = pose_tube({"--clip", "bend", "--t", "50%"}).positions();
    const double duration_s = report_.at("clip").at("duration_s");
    EXPECT_EQ(report_.at("time_asked_s").get<double>(), duration_s / 2);
    EXPECT_EQ(half,
              pose_tube({"--clip", "bend", "--t", std::to_string(duration_s / 2)}).positions());
    pose_tube({"--clip", "bend", "--t", "100%"});
    EXPECT_EQ(report_.at("time_used_s").get<double>(), duration_s);
    EXPECT_EQ(report_.at("time_clamped"), false);
}

TEST_F(CliOptions, TimesOutsideTheClipAreClampedAndSaid) {
    const Points last = pose_tube({"--clip", "bend", "--t", "100%"}).positions();
    const Points beyond = pose_tube({"--clip", "bend", "--t", "1000"}).positions();
    EXPECT_EQ(report_.at("time_asked_s"), 1000.0);
    EXPECT_EQ(report_.at("time_clamped"), true);
    EXPECT_EQ(last, beyond);
    for (const Arguments& before : {Arguments{"--t=-5"}, Arguments{"--t", "-5"}}) {
        Arguments arguments{"--clip", "bend"};
        arguments.insert(arguments.end(), before.begin(), before.end());
        const Points first = pose_tube(arguments).positions();
        EXPECT_EQ(report_.at("time_asked_s"), -5.0);
        EXPECT_EQ(report_.at("time_clamped"), true);
        EXPECT_EQ(first, pose_tube({"--clip", "bend", "--t", "0"}).positions());
    }
}

TEST_F(CliOptions, BindAndTheFirstKeysAreTheMeshAsStored) {
    const PlyMesh bind = pose_tube({"--bind"});
    EXPECT_EQ(report_.at("pose"), "bind");
    EXPECT_TRUE(report_.at("time_used_s").is_null());
    EXPECT_EQ(bind.positions(), pose_tube({"--clip", "bend", "--t", "0"}).positions());
    EXPECT_EQ(bind.positions(), pose_tube({"--clip", "twist", "--t", "0"}).positions());
    EXPECT_EQ(bind.normals(), pose_tube({"--clip", "twist", "--t", "0"}).normals());
    EXPECT_EQ(bind.faces, pose_tube({"--clip", "twist", "--t", "100%"}).faces);
}

TEST_F(CliOptions, MethodChangesATwistAndIsReported) {
    const Points linear = pose_tube({"--clip", "twist", "--t", "100%"}).positions();
    EXPECT_EQ(report_.at("method"), "lbs");
    const Points explicit_linear =
        pose_tube({"--clip", "twist", "--t", "100%", "--method", "lbs"}).positions();
    EXPECT_EQ(linear, explicit_linear);
    const Points dual =
        pose_tube({"--clip", "twist", "--t", "100%", "--method", "dqs"}).positions();
    EXPECT_EQ(report_.at("method"), "dqs");
    EXPECT_GT(largest_distance(linear, dual), 1e-4);
}

TEST_F(CliOptions, MaxInfluencesCapsAndCounts) {
    const Points all =
        pose_tube({"--clip", "bend", "--t", "100%", "--max-influences", "all"}).positions();
    EXPECT_EQ(report_.at("max_influences"), "all");
    EXPECT_EQ(report_.at("discarded_influences"), 0);
    const Points one =
        pose_tube({"--clip", "bend", "--t", "100%", "--max-influences", "1"}).positions();
    EXPECT_EQ(report_.at("max_influences"), 1);
    EXPECT_GT(report_.at("discarded_influences"), 0);
    EXPECT_GT(report_.at("largest_discarded_weight"), 0.0);
    // What the report calls the displacement is the largest distance between the two outputs.
    EXPECT_NEAR(report_.at("cap_displacement").get<double>(), largest_distance(all, one), 1e-5);
    pose_tube({"--clip", "bend", "--t", "100%"});
    EXPECT_EQ(report_.at("max_influences"), 4);
}

TEST_F(CliOptions, NoRenormalizeShowsTheWeightsOfTheFile) {
    const Points usual = pose_tube({"--clip", "bend", "--t", "0.5"}).positions();
    EXPECT_EQ(report_.at("renormalized"), true);
    const Points raw = pose_tube({"--clip", "bend", "--t", "0.5", "--no-renormalize"}).positions();
    EXPECT_EQ(report_.at("renormalized"), false);
    EXPECT_LT(largest_distance(usual, raw), 1e-4);
}

TEST_F(CliOptions, FastNormalsChangeNormalsOnly) {
    const PlyMesh exact = pose_tube({"--clip", "bend", "--t", "100%"});
    EXPECT_EQ(report_.at("normals"), "exact");
    const PlyMesh fast = pose_tube({"--clip", "bend", "--t", "100%", "--fast-normals"});
    EXPECT_EQ(report_.at("normals"), "fast");
    EXPECT_EQ(exact.positions(), fast.positions());
    EXPECT_GT(largest_distance(exact.normals(), fast.normals()), 0.0);
}

TEST_F(CliOptions, BlendEndsAreTheTwoPosesThemselves) {
    const Points bend = pose_tube({"--clip", "bend", "--t", "0.5"}).positions();
    EXPECT_TRUE(report_.at("blend").is_null());
    const Points twist = pose_tube({"--clip", "twist", "--t", "0.25"}).positions();
    const Points rest = pose_tube({}).positions();
    for (const char* mode : {"palette", "trs"}) {
        SCOPED_TRACE(mode);
        const auto blended = [&](const std::string& blend) {
            return pose_tube(
                       {"--clip", "bend", "--t", "0.5", "--blend", blend, "--blend-mode", mode})
                .positions();
        };
        EXPECT_EQ(blended("twist:0.25:0"), bend);
        EXPECT_EQ(blended("twist:0.25:1"), twist);
        EXPECT_EQ(blended(":0:1"), rest);
        EXPECT_EQ(blended("twist:0.25:7"), twist);  // clamped
        EXPECT_EQ(report_.at("blend").at("mix"), 1.0);
        const Points middle = blended("twist:0.25:0.5");
        EXPECT_EQ(report_.at("blend").at("clip").at("name"), "twist");
        EXPECT_EQ(report_.at("blend").at("mode"), mode);
        EXPECT_EQ(report_.at("blend").at("time_used_s"), 0.25);
        EXPECT_GT(largest_distance(middle, bend), 1e-4);
        EXPECT_GT(largest_distance(middle, twist), 1e-4);
    }
}

TEST_F(CliOptions, PaletteBlendIsTheMeanOfTheTwoPoses) {
    // Linear blend skinning is linear in the matrices, so half of each palette is half of each
    // pose.
    const Points bend = pose_tube({"--clip", "bend", "--t", "0.5"}).positions();
    const Points twist = pose_tube({"--clip", "twist", "--t", "0.25"}).positions();
    Points mean = bend;
    for (std::size_t i = 0; i < mean.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) mean[i][k] = (bend[i][k] + twist[i][k]) / 2;
    const Points blended =
        pose_tube({"--clip", "bend", "--t", "0.5", "--blend", "twist:0.25:0.5"}).positions();
    EXPECT_LT(largest_distance(blended, mean), 1e-5);
    const Points by_trs = pose_tube({"--clip", "bend", "--t", "0.5", "--blend", "twist:0.25:0.5",
                                     "--blend-mode", "trs"})
                              .positions();
    EXPECT_GT(largest_distance(by_trs, mean), 1e-4);
}

TEST_F(CliOptions, BlendIsSplitFromTheRightSoClipNamesMayHaveColons) {
    nlohmann::json document = tube_json();
    document["animations"][1]["name"] = "a:0.5:b";
    write_json("rig.gltf", document);
    pose("rig.gltf", {"--clip", document["animations"][0]["name"], "--blend", "a:0.5:b:0.25:0.5"});
    EXPECT_EQ(report_.at("blend").at("clip").at("name"), "a:0.5:b");
    EXPECT_EQ(report_.at("blend").at("time_asked_s"), 0.25);
}

TEST_F(CliOptions, SceneIsChosenByIndexOrAll) {
    nlohmann::json document = tube_json();
    const nlohmann::json whole = document["scenes"][0];
    document["scenes"] = nlohmann::json::array({{{"name", "empty"}}, whole});
    document["scene"] = 0;
    write_json("rig.gltf", document);
    run_fails({"pose", "rig.gltf", "-o", "mesh.ply"}, 3);  // nothing to pose there
    const Points second = pose("rig.gltf", {"--scene", "1"}).positions();
    EXPECT_EQ(report_.at("scene"), 1);
    EXPECT_EQ(second, pose_tube({}).positions());
    EXPECT_EQ(second, pose("rig.gltf", {"--scene", "all"}).positions());
    EXPECT_TRUE(report_.at("scene").is_null());
    run_fails({"pose", "rig.gltf", "--scene", "2", "-o", "other.ply"}, 2);
    run_fails({"pose", "rig.gltf", "--scene", "first", "-o", "other.ply"}, 2);
    run_fails({"pose", "rig.gltf", "--scene", "-1", "-o", "other.ply"}, 2);
}

TEST_F(CliOptions, FixWindingTurnsMirroredFacesOver) {
    write_mirrored_tube("rig.gltf");
    const PlyMesh as_stored = pose("rig.gltf", {"--clip", "bend", "--t", "0"});
    EXPECT_EQ(report_.at("winding_fixed"), false);
    EXPECT_EQ(report_.at("reflected_faces"), as_stored.faces.size());
    const double volume = report_.at("signed_volume");
    const PlyMesh fixed = pose("rig.gltf", {"--clip", "bend", "--t", "0", "--fix-winding"});
    EXPECT_EQ(report_.at("winding_fixed"), true);
    EXPECT_EQ(fixed.positions(), as_stored.positions());
    ASSERT_EQ(fixed.faces.size(), as_stored.faces.size());
    for (std::size_t i = 0; i < fixed.faces.size(); ++i) {
        const auto [a, b, c] = as_stored.faces[i];
        EXPECT_EQ(fixed.faces[i], (std::array{a, c, b}));
    }
    EXPECT_NEAR(report_.at("signed_volume").get<double>(), -volume, 1e-9 * std::fabs(volume));
}

TEST_F(CliOptions, ResampleReportsHowFarItIsFromTheExactPose) {
    const Points exact = pose_tube({"--clip", "bend", "--t", "0.35"}).positions();
    EXPECT_TRUE(report_.at("resample").is_null());
    const Points baked =
        pose_tube({"--clip", "bend", "--t", "0.35", "--resample", "1.7"}).positions();
    EXPECT_EQ(report_.at("resample").at("rate_hz"), 1.7);
    EXPECT_NEAR(report_.at("resample").at("largest_difference").get<double>(),
                largest_distance(exact, baked), 1e-5);
}

TEST_F(CliOptions, MissingNormalsAreMadeOnlyWhenAsked) {
    nlohmann::json document = tube_json();
    for (nlohmann::json& primitive : document["meshes"][0]["primitives"])
        primitive["attributes"].erase("NORMAL");
    write_json("rig.gltf", document);
    EXPECT_FALSE(pose("rig.gltf", {}).has("nx"));
    EXPECT_EQ(report_.at("missing_normals"), "none");
    const PlyMesh smooth = pose("rig.gltf", {"--normals", "smooth"});
    ASSERT_TRUE(smooth.has("nx"));
    EXPECT_EQ(report_.at("missing_normals"), "smooth");
    EXPECT_EQ(report_.at("smoothed_normals"), smooth.vertex_count());
    for (const auto& n : smooth.normals()) EXPECT_NEAR(std::hypot(n[0], n[1], n[2]), 1.0, 1e-6);

    run_ok({"pose", "rig.gltf", "--normals", "flat", "-o", "flat.obj"});
    EXPECT_EQ(read_json("flat.json").at("missing_normals"), "flat");
    EXPECT_NE(read("flat.obj").find("\nvn "), std::string::npos);
}

TEST_F(CliOptions, PrecisionDoubleWritesDoublesNearTheFloats) {
    const PlyMesh usual = pose_tube({"--clip", "bend", "--t", "0.5"});
    EXPECT_EQ(report_.at("precision"), "float");
    EXPECT_EQ(usual.vertex_property_types[0], "float");
    const PlyMesh exact = pose_tube({"--clip", "bend", "--t", "0.5", "--precision", "double"});
    EXPECT_EQ(report_.at("precision"), "double");
    EXPECT_EQ(exact.vertex_property_types[0], "double");
    const double apart = largest_distance(usual.positions(), exact.positions());
    EXPECT_GT(apart, 0.0);
    EXPECT_LT(apart, 1e-5);
}

TEST_F(CliOptions, AsciiPlyHoldsTheSameNumbersAsBinary) {
    for (const char* precision : {"float", "double"}) {
        const Arguments what{"--clip", "bend", "--t", "0.5", "--precision", precision};
        const PlyMesh binary = pose_tube(what);
        EXPECT_EQ(binary.format, "binary_little_endian");
        Arguments arguments = what;
        arguments.emplace_back("--ascii");
        const PlyMesh ascii = pose(tube(), arguments, "text");
        EXPECT_EQ(ascii.format, "ascii");
        EXPECT_EQ(ascii.faces, binary.faces);
        EXPECT_EQ(ascii.vertex_properties, binary.vertex_properties);
        if (std::string(precision) == "double") {
            EXPECT_EQ(ascii.positions(), binary.positions());
            continue;
        }
        ASSERT_EQ(ascii.vertex_count(), binary.vertex_count());
        for (std::size_t p = 0; p < ascii.vertex_values.size(); ++p)
            for (std::size_t i = 0; i < ascii.vertex_count(); ++i)
                EXPECT_EQ(static_cast<float>(ascii.vertex_values[p][i]),
                          static_cast<float>(binary.vertex_values[p][i]));
    }
}

}  // namespace
}  // namespace skinpose::test
