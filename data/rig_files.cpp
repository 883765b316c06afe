#include <cmath>

#include "file_groups.h"

namespace skinpose::data {
namespace {

namespace fx = fixtures;

constexpr double kRootHalf = 0.70710678118654752;

/// One vertex at the origin under joints at x = 0, 1, 2 ...
fx::PointRig in_a_row(std::size_t joints, const fx::Influences& influences) {
    fx::PointRig rig{.positions = {{0, 0, 0}}, .influences = {influences}};
    for (std::size_t j = 0; j < joints; ++j)
        rig.joints.push_back(fx::at(static_cast<double>(j), 0, 0));
    return rig;
}

fx::PointRig one_point(const fx::NodeSpec& joint, const fx::Point& position) {
    return {.joints = {joint}, .positions = {position}, .influences = {{{0, 1}}}};
}

DataFile eight_influences() {
    fx::Influences eighths;
    for (std::size_t joint = 0; joint < 8; ++joint) eighths.emplace_back(joint, 0.125);
    return {"eight_influences.gltf",
            "a vertex at 0 of eight joints at x = 0..7, an eighth each, in two sets",
            "x = 3.5 with all influences; with four 1.5 (joints 0-3 rescaled), 4 discarded, the "
            "largest "
            "0.125, displacement 2.0",
            fx::point_rig(in_a_row(8, eighths)),
            {{.place = {3.5, 0, 0}, .all_influences = true}, {.place = {1.5, 0, 0}}}};
}

DataFile repeated_joint() {
    return {"repeated_joint.gltf",
            "joints (1, 2, 3, 3), a quarter each, joint k at x = k",
            "x = 2.25; one duplicate joint",
            fx::point_rig(in_a_row(4, {{1, .25}, {2, .25}, {3, .25}, {3, .25}})),
            {{.place = {2.25, 0, 0}}}};
}

DataFile unused_joint() {
    return {"unused_joint_out_of_range.gltf",
            "joint 9 of 2 at weight 0, as exporters write",
            "x = 1; one unused joint out of range",
            fx::point_rig(in_a_row(2, {{1, 1}, {9, 0}})),
            {{.place = {1, 0, 0}}}};
}

DataFile weight_sums() {
    fx::PointRig rig = one_point(fx::at(100, 0, 0), {0, 0, 0});
    rig.influences = {{{0, .98}}};
    return {"weight_sum_0.98.gltf",
            "a vertex of weight 0.98 on a joint at x = 100",
            "x = 100, and 98 under --no-renormalize; sum error 0.02, displacement 2.0",
            fx::point_rig(rig),
            {{.place = {100, 0, 0}}}};
}

DataFile byte_weights() {
    fx::PointRig rig = in_a_row(3, {{0, 85}, {1, 85}, {2, 85}});
    rig.weight_component = fx::Component::U8;
    return {"byte_weights.gltf",
            "normalised byte weights 85 + 85 + 85 = 255 on joints at x = 0, 1, 2",
            "x = 1; no sum error, though three floats of 85/255 do not make 1",
            fx::point_rig(rig),
            {{.place = {1, 0, 0}}}};
}

DataFile unweighted_vertex() {
    fx::PointRig rig{.joints = {fx::at(50, 0, 0)},
                     .positions = {{1, 2, 3}, {1, 0, 0}, {0, 1, 0}},
                     .influences = {{}, {{0, 1}}, {{0, 1}}}};
    return {"unweighted_vertex.gltf",
            "vertex 0 has no weight, the joint moved by 50",
            "vertex 0 keeps (1, 2, 3) and is counted; vertex 1 goes to (51, 0, 0)",
            fx::point_rig(rig),
            {{.place = {1, 2, 3}}, {.vertex = 1, .place = {51, 0, 0}}}};
}

DataFile turns_across_the_back() {
    fx::PointRig rig{.joints = {{.rotation = fx::axis_rotation({0, 0, 1}, 170)},
                                {.rotation = fx::axis_rotation({0, 0, 1}, -170)}},
                     .positions = {{1, 0, 0}},
                     .influences = {{{0, .5}, {1, .5}}}};
    return {"turns_across_the_back.gltf",
            "half of +170 and half of -170 degrees about z",
            "dual quaternions: (-1, 0, 0), one flip; linear blend: x = -cos 10 = -0.985",
            fx::point_rig(rig),
            {{.place = {-1, 0, 0}, .dual_quaternions = true}, {.place = {-0.98480775301, 0, 0}}}};
}

DataFile half_turn_apart() {
    fx::PointRig rig{.joints = {fx::at(0, 0, 0), {.rotation = {0, 0, 1, 0}}},
                     .positions = {{1, 0, 2}},
                     .influences = {{{0, .5}, {1, .5}}}};
    return {"half_turn_apart.gltf",
            "half of rest and half of 180 degrees about z",
            "linear blend: (0, 0, 2), on the axis; dual quaternions: (0, 1, 2) or (0, -1, 2), a "
            "coin toss "
            "counted as one ambiguous flip",
            fx::point_rig(rig),
            {{.place = {0, 0, 2}}}};
}

DataFile joint_scale_and_turn() {
    fx::PointRig rig{
        .joints = {fx::at(0, 0, 0), {.rotation = {0, 0, kRootHalf, kRootHalf}, .scale = {1, 3, 1}}},
        .positions = {{0, 1, 0}},
        .influences = {{{0, .5}, {1, .5}}}};
    return {
        "stretch_and_turn.gltf",
        "half of rest and half of a threefold stretch along y, then turned by 90 degrees about z",
        "linear blend: (-1.5, 0.5, 0); dual quaternions: 45 degrees, stretched twofold: (-1.414, "
        "1.414, 0)",
        fx::point_rig(rig),
        {{.place = {-1.5, .5, 0}},
         {.place = {-2 * kRootHalf, 2 * kRootHalf, 0}, .dual_quaternions = true}}};
}

DataFile mirrored_joint() {
    fx::PointRig rig{.joints = {{.scale = {-1, 1, 1}}},
                     .positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                     .influences = {{{0, 1}}, {{0, 1}}, {{0, 1}}},
                     .normals = {{0, 0, 1}, {1, 0, 0}, {0, 0, 1}}};
    return {"mirrored_joint.gltf",
            "a joint of scale (-1, 1, 1)",
            "vertex 1 at (-1, 0, 0), its normal (-1, 0, 0), both methods; the face stays (0, 1, 2) "
            "and is "
            "counted as reflected; --fix-winding makes it (0, 2, 1)",
            fx::point_rig(rig),
            {{.vertex = 1, .place = {-1, 0, 0}},
             {.vertex = 1, .place = {-1, 0, 0}, .dual_quaternions = true}}};
}

DataFile matrix_shear() {
    fx::PointRig rig = one_point(
        {.name = "Shear", .matrix = {1, 0, 0, 0, .5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}, {0, 2, 0});
    return {"matrix_shear.gltf",
            "a joint given by a matrix that shears, x += y / 2",
            "(1, 2, 0), both methods",
            fx::point_rig(rig),
            {{.place = {1, 2, 0}}, {.place = {1, 2, 0}, .dual_quaternions = true}}};
}

DataFile stretched_normals() {
    fx::PointRig rig{.joints = {fx::at(0, 0, 0), {.scale = {3, 1, 1}}},
                     .positions = {{1, 0, 0}},
                     .influences = {{{0, .5}, {1, .5}}},
                     .normals = {{kRootHalf, kRootHalf, 0}}};
    return {
        "stretched_normals.gltf",
        "half of rest and half of diag(3, 1, 1); normal (1, 1, 0)",
        "normal (0.4472, 0.8944, 0), by the inverse transpose of diag(2, 1, 1); position (2, 0, 0)",
        fx::point_rig(rig),
        {{.place = {2, 0, 0}}}};
}

DataFile flattened_joint() {
    fx::PointRig rig{.joints = {{.scale = {1, 1, 0}}},
                     .positions = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
                     .influences = {{{0, 1}}, {{0, 1}}, {{0, 1}}},
                     .normals = {{0, 0, 1}, {1, 0, 0}, {0.6, 0, 0.8}}};
    return {"flattened_joint.gltf",
            "a joint of scale (1, 1, 0) and normals",
            "three singular normal matrices; normals (0, 0, 1), (1, 0, 0), (0, 0, 1)",
            fx::point_rig(rig),
            {{.vertex = 1, .place = {1, 0, 0}}}};
}

DataFile far_from_origin() {
    fx::PointRig rig =
        one_point({.translation = {1e6, -1e6, 0.125}, .rotation = {0, 0, kRootHalf, kRootHalf}},
                  {1e6 + 1, -1e6, 0});
    rig.inverse_binds = fx::translation_matrix(-1e6, 1e6, 0);
    return {"far_from_origin.gltf",
            "joint and mesh at (1e6, -1e6), turned by 90 degrees about z",
            "(1000000, -999999, 0.125): composed in float the matrix is off by 1/16 and more",
            fx::point_rig(rig),
            {{.place = {1e6, -999999, .125}}}};
}

}  // namespace

void add_rig_files(std::vector<DataFile>& files) {
    for (const auto make :
         {eight_influences, repeated_joint, unused_joint, weight_sums, byte_weights,
          unweighted_vertex, turns_across_the_back, half_turn_apart, joint_scale_and_turn,
          mirrored_joint, matrix_shear, stretched_normals, flattened_joint, far_from_origin})
        files.push_back(make());
    files.push_back(
        {"twisted_cylinder.gltf",
         "a closed cylinder, weights linear over its length, the top turned by 90 degrees; 16 "
         "rings of 8",
         "volume of the pose over that of --bind: about 1 - (1 - cos 90) / 3 = 0.667 by linear "
         "blend, about 1 by dual quaternions",
         fx::twisted_cylinder(16, 8, 90),
         {{.vertex = 0, .place = {1, -1, 0}}, {.vertex = 128, .place = {0, 1, -1}}}});
}

}  // namespace skinpose::data
