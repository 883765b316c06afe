#include <utility>

#include "file_groups.h"

namespace skinpose::data {
namespace {

namespace fx = fixtures;

constexpr double kRootHalf = 0.70710678118654752;

fx::PointRig one_point(const fx::NodeSpec& joint, const fx::Point& position) {
    return {.joints = {joint}, .positions = {position}, .influences = {{{0, 1}}}};
}

/// A triangle of joint 0 alone.
fx::PrimitiveSpec skinned_triangle() {
    fx::PrimitiveSpec primitive;
    primitive.attributes = {
        {"POSITION", fx::vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})},
        {"JOINTS_0", fx::vec4({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, fx::Component::U8)},
        {"WEIGHTS_0", fx::vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})}};
    return primitive;
}

DataFile step_linear_cubic() {
    fx::GltfBuilder builder = fx::point_rig(one_point({.name = "J"}, {0, 1, 0}));
    const std::size_t clip = builder.add_clip("mixed");
    builder.add_channel(clip, 0, "translation", {0, 1}, fx::vec3({0, 0, 0, 8, 0, 0}));
    builder.add_channel(clip, 0, "rotation", {0, 1},
                        fx::vec4({0, 0, 0, 1, 0, 0, kRootHalf, kRootHalf}), "STEP");
    builder.add_channel(clip, 0, "scale", {0, 1},
                        fx::vec3({0, 0, 0, 1, 1, 1, 0, 8, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0}),
                        "CUBICSPLINE");
    return {
        "step_linear_cubic.gltf",
        "one joint, three interpolations: translation LINEAR to x = 8, rotation STEP to 90 degrees "
        "about z, scale CUBICSPLINE 1 to 1 with an out-tangent of 8 along y",
        "at 0.5 s: x = 4, no turn yet, y stretched by 1 + 8/8 = 2: (4, 2, 0); at 1 s (7, 0, 0)",
        std::move(builder),
        {{.clip = "mixed", .time_s = .5, .place = {4, 2, 0}},
         {.clip = "mixed", .time_s = 1, .place = {7, 0, 0}}}};
}

DataFile cubic_quarter_turn() {
    fx::GltfBuilder builder = fx::point_rig(one_point({.name = "J"}, {1, 0, 0}));
    const std::size_t clip = builder.add_clip("turn");
    builder.add_channel(clip, 0, "rotation", {0, 1},
                        fx::vec4({0, 0, 0, 0, 0, 0, 0,         1,         0, 0, 0, 0,
                                  0, 0, 0, 0, 0, 0, kRootHalf, kRootHalf, 0, 0, 0, 0}),
                        "CUBICSPLINE");
    return {"cubic_quarter_turn.gltf",
            "CUBICSPLINE rotation 0 to 90 degrees about z, tangents 0",
            "at 0.5 s 45 degrees, of unit length: (0.707, 0.707, 0)",
            std::move(builder),
            {{.clip = "turn", .time_s = .5, .place = {kRootHalf, kRootHalf, 0}}}};
}

DataFile short_way() {
    fx::GltfBuilder builder = fx::point_rig(one_point({.name = "J"}, {1, 0, 0}));
    const std::size_t clip = builder.add_clip("turn");
    builder.add_channel(clip, 0, "rotation", {0, 1},
                        fx::vec4({0, 0, 0, 1, 0, 0, -kRootHalf, -kRootHalf}));
    return {"short_way.gltf",
            "LINEAR rotation to 90 degrees about z, the second key negated",
            "at 0.5 s 45 degrees: (0.707, 0.707, 0), not 225",
            std::move(builder),
            {{.clip = "turn", .time_s = .5, .place = {kRootHalf, kRootHalf, 0}}}};
}

DataFile long_key() {
    fx::GltfBuilder builder = fx::point_rig(one_point({.name = "J"}, {1, 0, 0}));
    const std::size_t clip = builder.add_clip("turn");
    builder.add_channel(clip, 0, "rotation", {0, 1}, fx::vec4({0, 0, 0, 1, 0, 0, 2, 2}));
    return {"rotation_key_not_unit.gltf",
            "LINEAR rotation, second key (0, 0, 2, 2)",
            "at 1 s 90 degrees: (0, 1, 0); one channel normalised, length error 1.828",
            std::move(builder),
            {{.clip = "turn", .time_s = 1, .place = {0, 1, 0}}}};
}

DataFile starts_late() {
    fx::GltfBuilder builder = fx::point_rig(one_point({.name = "J"}, {0, 0, 0}));
    const std::size_t late = builder.add_clip("late"), single = builder.add_clip("single");
    builder.add_channel(late, 0, "translation", {1, 2}, fx::vec3({1, 0, 0, 3, 0, 0}));
    builder.add_channel(single, 0, "translation", {0.5}, fx::vec3({5, 0, 0}));
    return {"starts_late.gltf",
            "clip `late`: keys x = 1 at 1 s and x = 3 at 2 s, rest x = 0; clip `single`: one key, "
            "x = 5",
            "`late` at 0, 1.5, 2, 5 s: 1, 2, 3, 3; `single` always 5",
            std::move(builder),
            {{.clip = "late", .time_s = 0, .place = {1, 0, 0}},
             {.clip = "late", .time_s = 1.5, .place = {2, 0, 0}},
             {.clip = "late", .time_s = 2, .place = {3, 0, 0}},
             {.clip = "late", .time_s = 5, .place = {3, 0, 0}},
             {.clip = "single", .time_s = 9, .place = {5, 0, 0}},
             {.place = {0, 0, 0}}}};
}

DataFile clip_names() {
    fx::GltfBuilder builder = fx::point_rig(one_point({.name = "J"}, {0, 0, 0}));
    for (const char* name : {"walk", "walk", "", "0"}) {
        const std::size_t clip = builder.add_clip(name);
        builder.add_channel(clip, 0, "translation", {0},
                            fx::vec3({static_cast<double>(clip) + 1, 0, 0}));
    }
    return {
        "clip_names.gltf",
        "two clips `walk`, one nameless, one called `0`; clip k moves to x = k + 1",
        "`walk` is refused with the list, `walk#1` is x = 2, `animation-2` is 3, `0` is 4 (a name "
        "comes before an index), `1` is 2",
        std::move(builder),
        {{.clip = "walk#0", .place = {1, 0, 0}},
         {.clip = "walk#1", .place = {2, 0, 0}},
         {.clip = "animation-2", .place = {3, 0, 0}},
         {.clip = "0", .place = {4, 0, 0}},
         {.clip = "1", .place = {2, 0, 0}}}};
}

DataFile animated_scale_parent() {
    fx::GltfBuilder builder;
    const std::size_t mesh = builder.add_mesh("M", {skinned_triangle()});
    const std::size_t parent = builder.add_node({.name = "Armature", .scale = {.5, .5, .5}});
    const std::size_t joint = builder.add_node({.name = "J", .parent = parent});
    builder.add_node({.name = "M", .mesh = mesh, .skin = builder.add_skin({joint})});
    const std::size_t clip = builder.add_clip("grow");
    builder.add_channel(clip, joint, "translation", {0, 1}, fx::vec3({0, 0, 0, 4, 0, 0}));
    builder.add_channel(clip, parent, "scale", {0, 1}, fx::vec3({1, 1, 1, 3, 3, 3}));
    return {"animated_scale_parent.gltf",
            "a joint under a node that is no joint: scale 0.5 at rest, 1 to 3 in the clip `grow`, "
            "which "
            "also moves the joint to x = 4",
            "vertex 1 at rest (0.5, 0, 0); at 1 s 3 * (4 + 1) = 15",
            std::move(builder),
            {{.vertex = 1, .place = {.5, 0, 0}},
             {.clip = "grow", .time_s = 1, .vertex = 1, .place = {15, 0, 0}}}};
}

DataFile skinned_node_transform() {
    fx::PointRig rig = one_point(fx::at(1, 0, 0), {0, 0, 0});
    rig.mesh_node = {.name = "M", .translation = {0, 7, 0}, .scale = {0, 0, 0}};
    return {"skinned_node_transform.gltf",
            "the skinned node itself has a translation and a scale of 0",
            "(1, 0, 0): its transform takes no part, and is counted",
            fx::point_rig(rig),
            {{.place = {1, 0, 0}}}};
}

DataFile two_skins_one_mesh() {
    fx::GltfBuilder builder;
    const std::size_t mesh = builder.add_mesh("M", {skinned_triangle()});
    const std::size_t near = builder.add_node(fx::at(1, 0, 0)),
                      far = builder.add_node(fx::at(9, 0, 0));
    const std::size_t first = builder.add_skin({near}), second = builder.add_skin({far});
    builder.add_node({.name = "J", .mesh = mesh, .skin = first});
    builder.add_node({.name = "J", .mesh = mesh, .skin = second});
    return {
        "two_skins_one_mesh.gltf",
        "one mesh on two nodes, under a joint at x = 1 and one at x = 9; every node is called J",
        "two parts: vertex 0 at x = 1, vertex 3 at x = 9",
        std::move(builder),
        {{.place = {1, 0, 0}}, {.vertex = 3, .place = {9, 0, 0}}}};
}

DataFile mirrored_node() {
    fx::PointRig rig;
    rig.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    rig.normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    rig.mesh_node = {.name = "Mirror", .translation = {0, 0, 2}, .scale = {-1, 1, 1}};
    return {"mirrored_node.gltf",
            "a mesh without a skin on a node of scale (-1, 1, 1)",
            "vertex 1 at (-1, 0, 2); its face is flipped to (0, 2, 1) and counted; normals stay "
            "(0, 0, 1)",
            fx::point_rig(rig),
            {{.vertex = 1, .place = {-1, 0, 2}}}};
}

DataFile morph_sparse() {
    fx::PointRig rig = one_point({.rotation = {0, 0, kRootHalf, kRootHalf}}, {0, 0, 0});
    rig.targets = {
        {{"POSITION", fx::Sparse{.count = 1, .indices = {0}, .values = fx::vec3({0, 1, 0})}}}};
    rig.mesh_weights = {.25};
    rig.mesh_node = {.name = "M", .weights = {1}};
    fx::GltfBuilder builder = fx::point_rig(rig);
    const std::size_t clip = builder.add_clip("morph");
    builder.add_channel(clip, 1, "weights", {0, 1}, fx::scalars({0, -2}));
    return {
        "morph_sparse.gltf",
        "a sparse morph delta (0, 1, 0), mesh.weights 0.25, node.weights 1, the joint turned by 90 "
        "degrees about z; clip `morph`: weight 0 to -2",
        "at rest (-1, 0, 0): morph first, node before mesh; `morph` at 0.5 s (1, 0, 0)",
        std::move(builder),
        {{.place = {-1, 0, 0}}, {.clip = "morph", .time_s = .5, .place = {1, 0, 0}}}};
}

DataFile strip_and_fan() {
    const fx::Data points = fx::vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0});
    fx::PrimitiveSpec strip, fan, list;
    strip.attributes = fan.attributes = list.attributes = {{"POSITION", points}};
    strip.mode = 5;
    strip.indices = fx::scalars({0, 1, 2, 3, 3, 4}, fx::Component::U8);
    fan.mode = 6;
    list.indices = fx::scalars({0, 1, 2, 3, 4}, fx::Component::U8);
    fx::GltfBuilder builder;
    builder.add_node({.name = "M", .mesh = builder.add_mesh("M", {strip, fan, list})});
    return {
        "strip_and_fan.gltf",
        "a strip of indices 0 1 2 3 3 4, a fan of five vertices without indices, a list with two "
        "indices too many",
        "strip (0,1,2) (1,3,2) (2,3,3) (3,4,3), two of them degenerate; fan (1,2,0) (2,3,0) "
        "(3,4,0); "
        "list (0,1,2), two surplus indices",
        std::move(builder),
        {{.vertex = 3, .place = {1, 1, 0}}}};
}

DataFile quantized() {
    fx::PrimitiveSpec primitive = skinned_triangle();
    primitive.attributes[0] = {
        "POSITION", fx::vec3({1000, -2000, 3000, 0, 0, 0, 32767, 0, 0}, fx::Component::I16)};
    primitive.attributes.emplace_back(
        "NORMAL", fx::vec3({127, 0, 0, 0, 127, 0, 0, 0, -127}, fx::Component::I8, true));
    fx::GltfBuilder builder;
    const std::size_t mesh = builder.add_mesh("M", {primitive});
    builder.add_node(fx::at(0, 0, 1));
    const std::vector<double> thousandth{.001, 0, 0, 0, 0, .001, 0, 0, 0, 0, .001, 0, 0, 0, 0, 1};
    builder.add_node({.mesh = mesh, .skin = builder.add_skin({0}, thousandth)});
    builder.json()["extensionsUsed"] = builder.json()["extensionsRequired"] =
        fx::Json::array({"KHR_mesh_quantization"});
    return {
        "quantized.gltf",
        "16-bit positions (1000, -2000, 3000), their scale of 1/1000 in the inverse bind matrix, "
        "8-bit normals; joint at z = 1",
        "vertex 0 at (1, -2, 4), its normal (1, 0, 0)",
        std::move(builder),
        {{.place = {1, -2, 4}}}};
}

DataFile interleaved() {
    fx::PrimitiveSpec primitive = skinned_triangle();
    primitive.attributes.emplace_back("TEXCOORD_0", fx::vec2({0, 0, 1, 0, 0, 1}));
    primitive.interleaved = true;
    primitive.interleave_padding = 20;
    fx::GltfBuilder builder;
    const std::size_t mesh = builder.add_mesh("M", {primitive});
    builder.add_node(fx::at(0, 3, 0));
    builder.add_node({.mesh = mesh, .skin = builder.add_skin({0})});
    return {"interleaved.gltf",
            "one buffer view for all attributes, 20 unused bytes a vertex, none at the end",
            "vertices at (0, 3, 0), (1, 3, 0), (0, 4, 0)",
            std::move(builder),
            {{.place = {0, 3, 0}},
             {.vertex = 1, .place = {1, 3, 0}},
             {.vertex = 2, .place = {0, 4, 0}}}};
}

DataFile torn_seam() {
    fx::PointRig rig{
        .joints = {fx::at(0, 0, 0), fx::at(0, 1, 0)},
        .positions = {{0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 1, 0}, {1, 1, 0}, {0, 2, 0}},
        .influences = {{{0, 1}},
                       {{0, 1}},
                       {{0, 1}},
                       {{0, .875}, {1, .125}},
                       {{0, .875}, {1, .125}},
                       {{0, .875}, {1, .125}}}};
    return {
        "torn_seam.gltf",
        "two triangles that meet at doubled vertices (1 = 4, 2 = 3), the upper one an eighth on a "
        "joint moved by 1",
        "a gap of 0.125: vertex 2 at (0, 1, 0), vertex 3 at (0, 1.125, 0); order kept",
        fx::point_rig(rig),
        {{.vertex = 2, .place = {0, 1, 0}}, {.vertex = 3, .place = {0, 1.125, 0}}}};
}

DataFile some_normals() {
    const fx::Data triangle = fx::vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
    fx::PrimitiveSpec with, without;
    with.attributes = {{"POSITION", triangle},
                       {"NORMAL", fx::vec3({0, 0, -1, 0, 0, -1, 0, 0, -1})}};
    without.attributes = {{"POSITION", triangle}};
    fx::GltfBuilder builder;
    builder.add_node({.name = "M", .mesh = builder.add_mesh("M", {with, without})});
    return {"some_normals.gltf",
            "a primitive with (odd) normals and one without",
            "the first keeps (0, 0, -1), the second gets smooth ones, (0, 0, 1), three counted",
            std::move(builder),
            {{.vertex = 4, .place = {1, 0, 0}}}};
}

}  // namespace

void add_mesh_files(std::vector<DataFile>& files) {
    for (const auto make :
         {step_linear_cubic, cubic_quarter_turn, short_way, long_key, starts_late, clip_names,
          animated_scale_parent, skinned_node_transform, two_skins_one_mesh, mirrored_node,
          morph_sparse, strip_and_fan, quantized, interleaved, torn_seam, some_normals})
        files.push_back(make());
}

}  // namespace skinpose::data
