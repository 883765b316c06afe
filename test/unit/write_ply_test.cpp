#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <sstream>

#include "skinpose/error.h"
#include "skinpose/write_mesh.h"

namespace skinpose {
namespace {

std::string ply_text(const TriMesh& mesh, PlyEncoding encoding) {
    std::ostringstream out;
    write_ply(mesh, encoding, out);
    return out.str();
}

/// A reader of its own, written from the format's description. Numbers as double, which holds every
/// float and int exactly.
struct ParsedPly {
    std::string format;
    std::vector<std::string> comments;
    std::vector<std::string> names, types;              ///< of the vertex's properties, in order
    std::map<std::string, std::vector<double>> vertex;  ///< by property
    std::vector<std::vector<long>> faces;
    std::string face_property;
    bool used_up = false;  ///< the file ends where its elements do
};

/// The body's next value, in either encoding.
class Values {
   public:
    Values(std::string body, bool ascii) : body_(std::move(body)), ascii_(ascii) {}

    double next(const std::string& type) {
        if (ascii_) return next_word(type);
        if (type == "float") return std::bit_cast<float>(static_cast<std::uint32_t>(bytes(4)));
        if (type == "double") return std::bit_cast<double>(bytes(8));
        if (type == "int") return static_cast<std::int32_t>(bytes(4));
        EXPECT_EQ(type, "uchar");
        return static_cast<double>(bytes(1));
    }
    [[nodiscard]] bool used_up() const {
        return body_.find_first_not_of(ascii_ ? " \n" : "", at_) == std::string::npos;
    }

   private:
    double next_word(const std::string& type) {
        at_ = body_.find_first_not_of(" \n", at_);
        if (at_ == std::string::npos) throw std::runtime_error("the body is too short");
        const std::size_t end = body_.find_first_of(" \n", at_);
        const std::string word = body_.substr(at_, end - at_);
        at_ = end;
        return type == "float" ? std::strtof(word.c_str(), nullptr)
                               : std::strtod(word.c_str(), nullptr);
    }
    std::uint64_t bytes(std::size_t count) {
        if (body_.size() - at_ < count) throw std::runtime_error("the body is too short");
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < count; ++i)
            value |= std::uint64_t{static_cast<unsigned char>(body_[at_ + i])} << (8 * i);
        at_ += count;
        return value;
    }

    std::string body_;
    std::size_t at_ = 0;
    bool ascii_;
};

ParsedPly parse_ply(const std::string& text) {
    ParsedPly out;
    const std::string end_line = "end_header\n";
    const std::size_t end = text.find(end_line);
    EXPECT_NE(end, std::string::npos);
    EXPECT_EQ(text.substr(0, 4), "ply\n");
    std::istringstream lines(text.substr(4, end - 4));
    std::string element;
    std::map<std::string, std::size_t> counts;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string keyword, first, second;
        words >> keyword >> first;
        if (keyword == "comment") {
            out.comments.push_back(line.substr(8));
        } else if (keyword == "format") {
            out.format = line.substr(7);
        } else if (keyword == "element") {
            words >> counts[element = first];
        } else if (keyword == "property" && element == "vertex") {
            words >> second;
            out.types.push_back(first);
            out.names.push_back(second);
        } else if (keyword == "property" && element == "face") {
            out.face_property = line.substr(9);
        } else {
            ADD_FAILURE() << "unknown header line: " << line;
        }
    }
    Values values(text.substr(end + end_line.size()), out.format == "ascii 1.0");
    for (std::size_t v = 0; v < counts["vertex"]; ++v)
        for (std::size_t i = 0; i < out.names.size(); ++i)
            out.vertex[out.names[i]].push_back(values.next(out.types[i]));
    for (std::size_t f = 0; f < counts["face"]; ++f) {
        out.faces.emplace_back();
        const auto corners = static_cast<std::size_t>(values.next("uchar"));
        for (std::size_t i = 0; i < corners; ++i)
            out.faces.back().push_back(static_cast<long>(values.next("int")));
    }
    out.used_up = values.used_up();
    return out;
}

/// Two parts' worth of vertices with every attribute, in numbers that no short decimal holds.
TriMesh full_mesh() {
    TriMesh mesh;
    for (int i = 0; i < 6; ++i) {
        const float x = static_cast<float>(i) - 1.0F / 3.0F;
        mesh.positions.emplace_back(x, -x * 1e-30F, x * 1e30F);
        mesh.normals.emplace_back(0.6F, -0.8F, -0.0F);
        mesh.texcoords.emplace_back(x, 1.0F / 7.0F);
        mesh.colors.emplace_back(0.0F, 1.0F, 0.5F, static_cast<float>(i) / 5.0F);
    }
    mesh.triangles = {{0, 1, 2}, {5, 3, 4}};
    return mesh;
}

class WritePly : public testing::TestWithParam<PlyEncoding> {};

INSTANTIATE_TEST_SUITE_P(Encodings, WritePly,
                         testing::Values(PlyEncoding::Binary, PlyEncoding::Ascii),
                         [](const auto& encoding) {
                             return encoding.param == PlyEncoding::Binary ? "Binary" : "Ascii";
                         });

void expect_bits(double actual, double expected) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(actual), std::bit_cast<std::uint64_t>(expected))
        << actual << " for " << expected;
}

TEST_P(WritePly, EverythingReadsBackBitForBit) {
    const TriMesh mesh = full_mesh();
    ParsedPly ply = parse_ply(ply_text(mesh, GetParam()));
    EXPECT_EQ(ply.format,
              GetParam() == PlyEncoding::Ascii ? "ascii 1.0" : "binary_little_endian 1.0");
    EXPECT_EQ(ply.names, (std::vector<std::string>{"x", "y", "z", "nx", "ny", "nz", "s", "t", "red",
                                                   "green", "blue", "alpha"}));
    EXPECT_EQ(ply.types,
              (std::vector<std::string>{"float", "float", "float", "float", "float", "float",
                                        "float", "float", "uchar", "uchar", "uchar", "uchar"}));
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        expect_bits(ply.vertex["x"][v], mesh.positions[v][0]);
        expect_bits(ply.vertex["y"][v], mesh.positions[v][1]);
        expect_bits(ply.vertex["z"][v], mesh.positions[v][2]);
        expect_bits(ply.vertex["nx"][v], mesh.normals[v][0]);
        expect_bits(ply.vertex["ny"][v], mesh.normals[v][1]);
        expect_bits(ply.vertex["nz"][v], mesh.normals[v][2]);
        expect_bits(ply.vertex["s"][v], mesh.texcoords[v][0]);
        expect_bits(ply.vertex["t"][v], mesh.texcoords[v][1]);
    }
    EXPECT_EQ(ply.face_property, "list uchar int vertex_indices");
    EXPECT_EQ(ply.faces, (std::vector<std::vector<long>>{{0, 1, 2}, {5, 3, 4}}));
    EXPECT_TRUE(ply.used_up);
}

TEST_P(WritePly, ColoursAreRoundedToBytesAndClamped) {
    TriMesh mesh = full_mesh();
    // 0.5 is 127.5, which rounds up; 0.498 is 126.99.
    mesh.colors[0] = Vec4f(0.5F, 0.498F, 1.0F, 0.0F);
    mesh.colors[1] = Vec4f(-0.1F, 1.1F, 1e30F, 1e-9F);
    for (int i = 0; i < 4; ++i) mesh.colors[2][i] = static_cast<float>(60 * i + 7) / 255.0F;
    ParsedPly ply = parse_ply(ply_text(mesh, GetParam()));
    const auto color = [&](std::size_t v) {
        return std::array{ply.vertex["red"][v], ply.vertex["green"][v], ply.vertex["blue"][v],
                          ply.vertex["alpha"][v]};
    };
    EXPECT_EQ(color(0), (std::array{128.0, 127.0, 255.0, 0.0}));
    EXPECT_EQ(color(1), (std::array{0.0, 255.0, 255.0, 0.0}));
    EXPECT_EQ(color(2), (std::array{7.0, 67.0, 127.0, 187.0}));
}

TEST_P(WritePly, ExactPositionsAreWrittenInDouble) {
    TriMesh mesh = full_mesh();
    for (const Vec3f& p : mesh.positions)
        mesh.exact_positions.emplace_back(p[0] + 1e-12, 1.0 / 3.0, -0.0);
    ParsedPly ply = parse_ply(ply_text(mesh, GetParam()));
    EXPECT_EQ(ply.types[0], "double");
    EXPECT_EQ(ply.types[2], "double");
    EXPECT_EQ(ply.types[3], "float");
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        expect_bits(ply.vertex["x"][v], mesh.exact_positions[v][0]);
        expect_bits(ply.vertex["y"][v], mesh.exact_positions[v][1]);
        expect_bits(ply.vertex["z"][v], mesh.exact_positions[v][2]);
        expect_bits(ply.vertex["nx"][v], mesh.normals[v][0]);
    }
    EXPECT_TRUE(ply.used_up);
}

TEST_P(WritePly, AbsentAttributesHaveNoPropertyAndNoComment) {
    TriMesh mesh = full_mesh();
    mesh.normals.clear();
    mesh.texcoords.clear();
    mesh.colors.clear();
    mesh.face_normals.assign(2, Vec3f(0, 0, 1));
    const ParsedPly ply = parse_ply(ply_text(mesh, GetParam()));
    EXPECT_EQ(ply.names, (std::vector<std::string>{"x", "y", "z"}));
    EXPECT_EQ(ply.comments, std::vector<std::string>());
    EXPECT_EQ(ply.faces.size(), 2U);
    EXPECT_TRUE(ply.used_up);
}

TEST_P(WritePly, CommentSaysWhichWayTexcoordsPoint) {
    TriMesh mesh = full_mesh();
    mesh.colors.clear();
    const ParsedPly ply = parse_ply(ply_text(mesh, GetParam()));
    ASSERT_EQ(ply.comments.size(), 1U);
    EXPECT_EQ(ply.comments[0],
              "s t: texture coordinates as glTF has them, t down from the upper edge");
}

TEST_P(WritePly, EmptyMeshHasAHeaderAndNoBody) {
    const ParsedPly ply = parse_ply(ply_text(TriMesh(), GetParam()));
    EXPECT_EQ(ply.names, (std::vector<std::string>{"x", "y", "z"}));
    EXPECT_TRUE(ply.vertex.empty());
    EXPECT_TRUE(ply.faces.empty());
    EXPECT_TRUE(ply.used_up);
}

TEST_P(WritePly, ManyVerticesPassThroughTheChunksInOrder) {
    TriMesh mesh;
    constexpr std::uint32_t kCount = 200000;
    for (std::uint32_t i = 0; i < kCount; ++i) {
        mesh.positions.emplace_back(static_cast<float>(i), 0.5F, 1.0F / static_cast<float>(i + 1));
        mesh.triangles.push_back({i, kCount - 1 - i, i / 2});
    }
    ParsedPly ply = parse_ply(ply_text(mesh, GetParam()));
    ASSERT_EQ(ply.vertex["z"].size(), kCount);
    ASSERT_EQ(ply.faces.size(), kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(ply.vertex["x"][i], i);
        ASSERT_EQ(ply.vertex["z"][i], mesh.positions[i][2]);
        ASSERT_EQ(ply.faces[i], (std::vector<long>{i, kCount - 1 - i, i / 2}));
    }
    EXPECT_TRUE(ply.used_up);
}

TEST_P(WritePly, WhatIsNotFiniteOrDoesNotFitIsNeverWritten) {
    const auto expect_bug = [](const auto& spoil) {
        TriMesh mesh = full_mesh();
        spoil(mesh);
        try {
            ply_text(mesh, GetParam());
            ADD_FAILURE() << "nothing was thrown";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::Bug);
        }
    };
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    expect_bug([](TriMesh& m) { m.positions[5][2] = kNan; });
    expect_bug([](TriMesh& m) { m.normals[0][1] = -kInfinity; });
    expect_bug([](TriMesh& m) { m.texcoords[3][1] = kNan; });
    expect_bug([](TriMesh& m) { m.colors[3][3] = kInfinity; });
    expect_bug([](TriMesh& m) {
        m.exact_positions.assign(6, Vec3(0, 0, 0));
        m.exact_positions[1][0] = kInfinity;
    });
    expect_bug([](TriMesh& m) { m.triangles[1][0] = 6; });
    expect_bug([](TriMesh& m) { m.normals.pop_back(); });
    expect_bug([](TriMesh& m) { m.colors.pop_back(); });
}

TEST(WritePlyAscii, IsThisTextToTheByte) {
    TriMesh mesh;
    mesh.positions = {Vec3f(0, 0, 0), Vec3f(1, 0, 0), Vec3f(0, 0.1F, -2.5F)};
    mesh.colors.assign(3, Vec4f(1, 0, 0, 1));
    mesh.triangles = {{0, 1, 2}};
    EXPECT_EQ(ply_text(mesh, PlyEncoding::Ascii),
              "ply\nformat ascii 1.0\n"
              "comment red green blue alpha: linear, not sRGB\n"
              "element vertex 3\n"
              "property float x\nproperty float y\nproperty float z\n"
              "property uchar red\nproperty uchar green\nproperty uchar blue\n"
              "property uchar alpha\n"
              "element face 1\n"
              "property list uchar int vertex_indices\nend_header\n"
              "0 0 0 255 0 0 255\n1 0 0 255 0 0 255\n0 0.1 -2.5 255 0 0 255\n"
              "3 0 1 2\n");
}

}  // namespace
}  // namespace skinpose
