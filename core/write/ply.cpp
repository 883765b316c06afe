#include <algorithm>
#include <limits>

#include "skinpose/write_mesh.h"
#include "write/chunked_output.h"

namespace skinpose {
namespace {

void write_header(const TriMesh& mesh, PlyEncoding encoding, ChunkedOutput& out) {
    const bool ascii = encoding == PlyEncoding::Ascii;
    out.text("ply\nformat ").text(ascii ? "ascii" : "binary_little_endian").text(" 1.0\n");
    if (!mesh.texcoords.empty())
        out.text("comment s t: texture coordinates as glTF has them, t down from the upper edge\n");
    if (!mesh.colors.empty()) out.text("comment red green blue alpha: linear, not sRGB\n");

    out.text("element vertex ").count(mesh.positions.size()).text("\n");
    const char* real = mesh.exact_positions.empty() ? "float" : "double";
    for (const char* name : {"x", "y", "z"})
        out.text("property ").text(real).text(" ").text(name).text("\n");
    if (!mesh.normals.empty())
        out.text("property float nx\nproperty float ny\nproperty float nz\n");
    if (!mesh.texcoords.empty()) out.text("property float s\nproperty float t\n");
    if (!mesh.colors.empty())
        for (const char* name : {"red", "green", "blue", "alpha"})
            out.text("property uchar ").text(name).text("\n");
    out.text("element face ").count(mesh.triangles.size()).text("\n");
    out.text("property list uchar int vertex_indices\nend_header\n");
}

std::uint8_t color_byte(float value) {
    const double clamped = std::clamp(static_cast<double>(ChunkedOutput::finite(value)), 0.0, 1.0);
    return static_cast<std::uint8_t>(clamped * 255.0 + 0.5);
}

/// The two encodings put down the same values in the same order.
class BinaryValues {
   public:
    explicit BinaryValues(ChunkedOutput& out) : out_(out) {}
    template <typename Value>
    void value(Value v) {
        out_.bits(v);
    }
    void end_record() {}

   private:
    ChunkedOutput& out_;
};

class AsciiValues {
   public:
    explicit AsciiValues(ChunkedOutput& out) : out_(out) {}
    template <std::floating_point Real>
    void value(Real v) {
        separate().number(v);
    }
    template <std::unsigned_integral Integer>
    void value(Integer v) {
        separate().count(v);
    }
    void end_record() {
        out_.text("\n");
        first_ = true;
    }

   private:
    ChunkedOutput& separate() {
        if (!first_) out_.text(" ");
        first_ = false;
        return out_;
    }

    ChunkedOutput& out_;
    bool first_ = true;
};

template <typename Values, typename Vector>
void write_components(Values& values, const Vector& v) {
    for (Eigen::Index i = 0; i < v.size(); ++i) values.value(v[i]);
}

template <typename Values>
void write_body(const TriMesh& mesh, Values values) {
    const std::size_t vertices = mesh.positions.size();
    for (std::size_t v = 0; v < vertices; ++v) {
        if (mesh.exact_positions.empty())
            write_components(values, mesh.positions[v]);
        else
            write_components(values, mesh.exact_positions[v]);
        if (!mesh.normals.empty()) write_components(values, mesh.normals[v]);
        if (!mesh.texcoords.empty()) write_components(values, mesh.texcoords[v]);
        if (!mesh.colors.empty())
            for (Eigen::Index i = 0; i < 4; ++i) values.value(color_byte(mesh.colors[v][i]));
        values.end_record();
    }
    for (const Triangle& t : mesh.triangles) {
        values.value(std::uint8_t{3});
        for (const std::uint32_t v : t) {
            require_mesh(v < vertices, "a face with a vertex that is not there reached a writer");
            values.value(v);
        }
        values.end_record();
    }
}

}  // namespace

void write_ply(const TriMesh& mesh, PlyEncoding encoding, std::ostream& out) {
    require_attributes_fit(mesh);
    if (mesh.positions.size() > std::size_t{std::numeric_limits<std::int32_t>::max()})
        throw Error(ErrorCode::Output, {}, {},
                    "more vertices than the int indices of a PLY can name (2147483647)",
                    "write an OBJ, or fewer parts");
    ChunkedOutput chunks(out);
    write_header(mesh, encoding, chunks);
    if (encoding == PlyEncoding::Ascii)
        write_body(mesh, AsciiValues(chunks));
    else
        write_body(mesh, BinaryValues(chunks));
    chunks.flush();
}

}  // namespace skinpose
