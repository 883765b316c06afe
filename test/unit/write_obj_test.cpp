#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "skinpose/error.h"
#include "skinpose/write_mesh.h"

namespace skinpose {
namespace {

std::string obj_text(const TriMesh& mesh) {
    std::ostringstream out;
    write_obj(mesh, out);
    return out.str();
}

/// A reader of its own: what a plain OBJ parser makes of the text. Indices from 0, -1 where absent.
struct ParsedObj {
    struct Corner {
        long v = -1, vt = -1, vn = -1;
        bool operator==(const Corner&) const = default;
    };
    struct Face {
        std::vector<Corner> corners;
        std::string object, group, material;
    };
    std::vector<std::vector<std::string>> v, vt, vn;
    std::vector<Face> faces;
    std::vector<std::string> objects, groups, unknown;
};

ParsedObj::Corner parse_corner(const std::string& word) {
    std::vector<std::string> fields(1);
    for (const char c : word) {
        if (c == '/')
            fields.emplace_back();
        else
            fields.back() += c;
    }
    fields.resize(3);
    const auto index = [](const std::string& s) { return s.empty() ? -1 : std::stol(s) - 1; };
    return {index(fields[0]), index(fields[1]), index(fields[2])};
}

ParsedObj parse_obj(const std::string& text) {
    ParsedObj out;
    std::string object, group, material;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::vector<std::string> w;
        for (std::string word; words >> word;) w.push_back(word);
        if (w.empty()) continue;
        const std::vector<std::string> rest(w.begin() + 1, w.end());
        if (w[0] == "v") {
            out.v.push_back(rest);
        } else if (w[0] == "vt") {
            out.vt.push_back(rest);
        } else if (w[0] == "vn") {
            out.vn.push_back(rest);
        } else if (w[0] == "o" && rest.size() == 1) {
            out.objects.push_back(object = rest[0]);
        } else if (w[0] == "g" && rest.size() == 1) {
            out.groups.push_back(group = rest[0]);
        } else if (w[0] == "usemtl" && rest.size() == 1) {
            material = rest[0];
        } else if (w[0] == "f") {
            ParsedObj::Face face{{}, object, group, material};
            for (const std::string& word : rest) face.corners.push_back(parse_corner(word));
            out.faces.push_back(face);
        } else {
            out.unknown.push_back(line);
        }
    }
    return out;
}

float as_float(const std::string& s) { return std::strtof(s.c_str(), nullptr); }
double as_double(const std::string& s) { return std::strtod(s.c_str(), nullptr); }
std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// One triangle a part, part k on node k, with attributes as `parts` says. Numbers that no short
/// decimal holds.
TriMesh mesh_of(std::vector<MeshPart> parts) {
    TriMesh mesh;
    bool normals = false, texcoords = false;
    for (MeshPart& part : parts) {
        const auto base = static_cast<std::uint32_t>(mesh.positions.size());
        part.first_vertex = base;
        part.first_triangle = mesh.triangles.size();
        part.vertex_count = 3;
        part.triangle_count = 1;
        normals |= part.has_normals;
        texcoords |= part.has_texcoords;
        for (std::uint32_t i = 0; i < 3; ++i) {
            const float x = static_cast<float>(base + i) + 1.0F / 3.0F;
            mesh.positions.emplace_back(x, -x * 1e-7F, x * 1e9F);
            mesh.normals.emplace_back(0.6F, -0.8F, -0.0F);
            mesh.texcoords.emplace_back(x, 0.25F);
        }
        mesh.triangles.push_back({base, base + 1, base + 2});
    }
    if (!normals) mesh.normals.clear();
    if (!texcoords) mesh.texcoords.clear();
    mesh.parts = std::move(parts);
    return mesh;
}

MeshPart part(const std::string& node, std::size_t node_index, std::size_t primitive = 0) {
    MeshPart out;
    out.node = node;
    out.node_index = node_index;
    out.primitive_index = primitive;
    return out;
}

MeshPart part_with(std::size_t node_index, bool normals, bool texcoords) {
    MeshPart out = part("n" + std::to_string(node_index), node_index);
    out.has_normals = normals;
    out.has_texcoords = texcoords;
    return out;
}

TEST(WriteObj, IsThisTextToTheByte) {
    TriMesh mesh;
    mesh.positions = {Vec3f(0, 0, 0), Vec3f(1, 0, 0), Vec3f(0, 0.1F, -2.5F)};
    mesh.normals.assign(3, Vec3f(0, 0, 1));
    mesh.texcoords = {Vec2f(0, 0), Vec2f(1, 0.25F), Vec2f(0.5F, 1)};
    mesh.triangles = {{0, 1, 2}};
    MeshPart whole = part("Body", 4, 2);
    whole.material = "skin";
    whole.vertex_count = 3;
    whole.triangle_count = 1;
    whole.has_normals = whole.has_texcoords = true;
    mesh.parts = {whole};
    EXPECT_EQ(obj_text(mesh),
              "# skinpose\n"
              "o Body\n"
              "v 0 0 0\nv 1 0 0\nv 0 0.1 -2.5\n"
              "vt 0 1\nvt 1 0.75\nvt 0.5 0\n"
              "vn 0 0 1\nvn 0 0 1\nvn 0 0 1\n"
              "g Body.2\n"
              "usemtl skin\n"
              "f 1/1/1 2/2/2 3/3/3\n");
}

TEST(WriteObj, PositionsAndNormalsReadBackBitForBit) {
    const TriMesh mesh = mesh_of({part_with(0, true, false), part_with(1, true, false)});
    const ParsedObj obj = parse_obj(obj_text(mesh));
    EXPECT_EQ(obj.unknown, std::vector<std::string>());
    ASSERT_EQ(obj.v.size(), mesh.positions.size());
    ASSERT_EQ(obj.vn.size(), mesh.normals.size());
    for (std::size_t i = 0; i < obj.v.size(); ++i) {
        ASSERT_EQ(obj.v[i].size(), 3U);
        ASSERT_EQ(obj.vn[i].size(), 3U);
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            EXPECT_EQ(bits(as_float(obj.v[i][k])), bits(mesh.positions[i][axis]));
            EXPECT_EQ(bits(as_float(obj.vn[i][k])), bits(mesh.normals[i][axis]));
        }
    }
}

TEST(WriteObj, ExactPositionsAreWrittenInDouble) {
    TriMesh mesh = mesh_of({part("n", 0)});
    for (const Vec3f& p : mesh.positions)
        mesh.exact_positions.emplace_back(p[0] + 1e-12, 1.0 / 3.0, -0.0);
    const ParsedObj obj = parse_obj(obj_text(mesh));
    ASSERT_EQ(obj.v.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_EQ(bits(as_double(obj.v[i][k])),
                      bits(mesh.exact_positions[i][static_cast<Eigen::Index>(k)]));
}

TEST(WriteObj, TexcoordsPointUpAndAreTurnedInDouble) {
    TriMesh mesh = mesh_of({part_with(0, false, true)});
    mesh.texcoords = {Vec2f(0.1F, 0.0F), Vec2f(-2.0F, 1.5F), Vec2f(0.5F, 1e-6F)};
    const ParsedObj obj = parse_obj(obj_text(mesh));
    ASSERT_EQ(obj.vt.size(), 3U);
    EXPECT_EQ(bits(as_float(obj.vt[0][0])), bits(0.1F));
    EXPECT_EQ(as_double(obj.vt[0][1]), 1.0);
    EXPECT_EQ(as_double(obj.vt[1][1]), -0.5);
    const double turned = 1.0 - static_cast<double>(1e-6F);
    EXPECT_EQ(as_double(obj.vt[2][1]), turned);
    EXPECT_NE(turned, static_cast<double>(1.0F - 1e-6F)) << "float would have lost the rest";
}

TEST(WriteObj, MixedPartsCountTheirAttributesApart) {
    const TriMesh mesh = mesh_of({part_with(0, false, false), part_with(1, true, false),
                                  part_with(2, false, true), part_with(3, true, true)});
    const std::string text = obj_text(mesh);
    EXPECT_NE(text.find("\nf 1 2 3\n"), std::string::npos);
    EXPECT_NE(text.find("\nf 4//1 5//2 6//3\n"), std::string::npos);
    EXPECT_NE(text.find("\nf 7/1 8/2 9/3\n"), std::string::npos);
    EXPECT_NE(text.find("\nf 10/4/4 11/5/5 12/6/6\n"), std::string::npos);

    const ParsedObj obj = parse_obj(text);
    EXPECT_EQ(obj.v.size(), 12U);
    EXPECT_EQ(obj.vn.size(), 6U);
    ASSERT_EQ(obj.vt.size(), 6U);
    // The last part's texture coordinates are its own, though they are the file's 4 to 6.
    for (std::size_t i = 0; i < 3; ++i) {
        const auto vt = static_cast<std::size_t>(obj.faces[3].corners[i].vt);
        EXPECT_EQ(bits(as_float(obj.vt[vt][0])), bits(mesh.texcoords[9 + i][0]));
    }
}

TEST(WriteObj, FaceNormalsServePartsWithoutNormals) {
    TriMesh mesh = mesh_of({part_with(0, false, false), part_with(1, true, false),
                            part_with(2, false, true), part_with(3, true, true)});
    mesh.face_normals = {Vec3f(1, 0, 0), Vec3f(0, 0, 9), Vec3f(0, 1, 0), Vec3f(0, 0, 9)};
    const ParsedObj obj = parse_obj(obj_text(mesh));
    ASSERT_EQ(obj.vn.size(), 8U);
    using Corner = ParsedObj::Corner;
    using Corners = std::vector<Corner>;
    EXPECT_EQ(obj.faces[0].corners, (Corners{{0, -1, 0}, {1, -1, 0}, {2, -1, 0}}));
    EXPECT_EQ(obj.faces[1].corners, (Corners{{3, -1, 1}, {4, -1, 2}, {5, -1, 3}}));
    EXPECT_EQ(obj.faces[2].corners, (Corners{{6, 0, 4}, {7, 1, 4}, {8, 2, 4}}));
    EXPECT_EQ(obj.faces[3].corners, (Corners{{9, 3, 5}, {10, 4, 6}, {11, 5, 7}}));
    EXPECT_EQ(obj.vn[0], (std::vector<std::string>{"1", "0", "0"}));
    EXPECT_EQ(obj.vn[4], (std::vector<std::string>{"0", "1", "0"}));
}

TEST(WriteObj, OneFaceNormalServesOneFaceOfSeveral) {
    TriMesh mesh = mesh_of({part_with(0, false, false)});
    mesh.triangles.push_back({2, 1, 0});
    mesh.parts[0].triangle_count = 2;
    mesh.face_normals = {Vec3f(0, 0, 1), Vec3f(0, 0, -1)};
    const std::string text = obj_text(mesh);
    EXPECT_NE(text.find("vn 0 0 1\nvn 0 0 -1\n"), std::string::npos);
    EXPECT_NE(text.find("f 1//1 2//1 3//1\nf 3//2 2//2 1//2\n"), std::string::npos);
}

TEST(WriteObj, PrimitivesOfOneNodeShareItsObject) {
    TriMesh mesh = mesh_of({part("body", 3, 0), part("body", 3, 2), part("hat", 5, 0)});
    const ParsedObj obj = parse_obj(obj_text(mesh));
    EXPECT_EQ(obj.objects, (std::vector<std::string>{"body", "hat"}));
    EXPECT_EQ(obj.groups, (std::vector<std::string>{"body.0", "body.2", "hat.0"}));
    ASSERT_EQ(obj.faces.size(), 3U);
    EXPECT_EQ(obj.faces[1].object, "body");
    EXPECT_EQ(obj.faces[1].group, "body.2");
    EXPECT_EQ(obj.faces[2].object, "hat");
}

TEST(WriteObj, NodesOfOneNameStayTwoObjects) {
    const TriMesh mesh = mesh_of({part("J", 0), part("J", 1), part("J_2", 2), part("J", 2)});
    const ParsedObj obj = parse_obj(obj_text(mesh));
    EXPECT_EQ(obj.objects, (std::vector<std::string>{"J", "J_1", "J_2"}));
    const TriMesh taken = mesh_of({part("J", 0), part("J_2", 1), part("J", 2)});
    EXPECT_EQ(parse_obj(obj_text(taken)).objects, (std::vector<std::string>{"J", "J_2", "J_2_2"}));
}

TEST(WriteObj, NamelessNodeIsCalledByItsIndex) {
    const ParsedObj obj = parse_obj(obj_text(mesh_of({part("", 7)})));
    EXPECT_EQ(obj.objects, (std::vector<std::string>{"node-7"}));
    EXPECT_EQ(obj.groups, (std::vector<std::string>{"node-7.0"}));
}

TEST(WriteObj, NoMaterialIsInheritedFromThePartBefore) {
    std::vector<MeshPart> parts = {part("a", 0), part("b", 1), part("c", 2), part("d", 3)};
    parts[1].material = "red shirt";
    const ParsedObj obj = parse_obj(obj_text(mesh_of(std::move(parts))));
    ASSERT_EQ(obj.faces.size(), 4U);
    EXPECT_EQ(obj.faces[0].material, "");
    EXPECT_EQ(obj.faces[1].material, "red_shirt");
    EXPECT_EQ(obj.faces[2].material, "(none)");
    EXPECT_EQ(obj.faces[3].material, "(none)");
}

TEST(WriteObj, NamesForgeNoLine) {
    for (const char* name : {"a\nf 1 1 1", "a\r\nv 0 0 0", "\x1b[2J", "a # b", "a\\",
                             "a\u2028"
                             "f"}) {
        MeshPart named = part(name, 0);
        named.material = name;
        const std::string text = obj_text(mesh_of({named}));
        const ParsedObj obj = parse_obj(text);
        EXPECT_EQ(obj.faces.size(), 1U) << name;
        EXPECT_EQ(obj.v.size(), 3U) << name;
        EXPECT_EQ(obj.unknown, std::vector<std::string>()) << name;
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8) << name;
        EXPECT_EQ(text.find('\x1b'), std::string::npos) << name;
    }
}

TEST(WriteObj, FirstLineSaysNothingThatChanges) {
    const std::string text = obj_text(mesh_of({part("n", 0)}));
    EXPECT_EQ(text.substr(0, text.find('\n')), "# skinpose");
}

TEST(WriteObj, EmptyMeshIsAnEmptyFile) { EXPECT_EQ(obj_text(TriMesh()), "# skinpose\n"); }

TEST(WriteObj, ManyVerticesPassThroughTheChunksInOrder) {
    TriMesh mesh = mesh_of({part("n", 0)});
    constexpr std::size_t kCount = 200000;  // about 4 MB of text, several chunks
    mesh.positions.clear();
    for (std::size_t i = 0; i < kCount; ++i)
        mesh.positions.emplace_back(static_cast<float>(i), 0.5F, 1.0F / static_cast<float>(i + 1));
    mesh.parts[0].vertex_count = kCount;
    const ParsedObj obj = parse_obj(obj_text(mesh));
    EXPECT_EQ(obj.unknown, std::vector<std::string>());
    ASSERT_EQ(obj.v.size(), kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(as_float(obj.v[i][0]), static_cast<float>(i));
        ASSERT_EQ(bits(as_float(obj.v[i][2])), bits(mesh.positions[i][2]));
    }
}

template <typename Spoil>
void expect_bug(const Spoil& spoil) {
    TriMesh mesh = mesh_of({part_with(0, true, true), part_with(1, true, true)});
    mesh.face_normals.assign(2, Vec3f(0, 0, 1));
    ASSERT_NO_THROW(obj_text(mesh));
    spoil(mesh);
    try {
        obj_text(mesh);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Bug);
    }
}

TEST(WriteObj, WhatIsNotFiniteIsNeverWritten) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    expect_bug([](TriMesh& m) { m.positions[4][1] = kNan; });
    expect_bug([](TriMesh& m) { m.positions[4][2] = -kInfinity; });
    expect_bug([](TriMesh& m) { m.normals[0][0] = kNan; });
    expect_bug([](TriMesh& m) { m.texcoords[5][0] = kInfinity; });
    expect_bug([](TriMesh& m) { m.texcoords[5][1] = kNan; });
    expect_bug([](TriMesh& m) {
        m.exact_positions.assign(6, Vec3(0, 0, 0));
        m.exact_positions[5][2] = kNan;
    });
    expect_bug([](TriMesh& m) {
        m.parts[1].has_normals = false;
        m.face_normals[1][0] = kNan;
    });
}

TEST(WriteObj, MeshThatDoesNotFitTogetherIsRefused) {
    expect_bug([](TriMesh& m) { m.triangles[0][1] = 4; });
    expect_bug([](TriMesh& m) { m.triangles[1][2] = 2; });
    expect_bug([](TriMesh& m) { m.triangles[1][2] = 6; });
    expect_bug([](TriMesh& m) { m.normals.pop_back(); });
    expect_bug([](TriMesh& m) { m.normals.clear(); });
    expect_bug([](TriMesh& m) { m.texcoords.clear(); });
    expect_bug([](TriMesh& m) { m.face_normals.pop_back(); });
    expect_bug([](TriMesh& m) { m.exact_positions.assign(5, Vec3(0, 0, 0)); });
    expect_bug([](TriMesh& m) { m.parts.pop_back(); });
    expect_bug([](TriMesh& m) { std::swap(m.parts[0], m.parts[1]); });
}

}  // namespace
}  // namespace skinpose
