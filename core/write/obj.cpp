#include <fmt/format.h>

#include <map>

#include "skinpose/write_mesh.h"
#include "write/chunked_output.h"

namespace skinpose {
namespace {

/// Writes part after part. OBJ counts positions, texture coordinates and normals of the whole file
/// separately, from 1; only parts that have an attribute move its counter on.
class ObjWriter {
   public:
    ObjWriter(const TriMesh& mesh, std::ostream& out) : mesh_(mesh), out_(out) {}

    void write() {
        out_.text("# skinpose\n");
        for (const MeshPart& part : mesh_.parts) write_part(part);
        out_.flush();
    }

   private:
    void write_part(const MeshPart& part) {
        if (!in_node_ || node_index_ != part.node_index) begin_node(part);
        write_vertices(part);
        out_.text("g ").text(object_).text(".").count(part.primitive_index).text("\n");
        write_material(part);
        write_faces(part);
    }

    void begin_node(const MeshPart& part) {
        in_node_ = true;
        node_index_ = part.node_index;
        object_ = object_name(part);
        out_.text("o ").text(object_).text("\n");
    }

    /// Readers merge objects of one name, so a name that another node has taken gets the index too.
    std::string object_name(const MeshPart& part) {
        std::string name = safe_token(part.node, fmt::format("node-{}", part.node_index));
        while (true) {
            const auto [at, is_new] = node_of_name_.emplace(name, part.node_index);
            if (is_new || at->second == part.node_index) return name;
            name += fmt::format("_{}", part.node_index);
        }
    }

    /// A material holds until the next one, so a part without any has to end that of the part
    /// before.
    void write_material(const MeshPart& part) {
        if (part.material.empty() && !has_material_) return;
        out_.text("usemtl ").text(safe_token(part.material, "(none)")).text("\n");
        has_material_ = !part.material.empty();
    }

    void write_vertices(const MeshPart& part) {
        const std::size_t begin = part.first_vertex, end = begin + part.vertex_count;
        for (std::size_t v = begin; v < end; ++v) {
            if (mesh_.exact_positions.empty())
                write_vector("v ", mesh_.positions[v]);
            else
                write_vector("v ", mesh_.exact_positions[v]);
        }
        if (part.has_texcoords)
            for (std::size_t v = begin; v < end; ++v) write_texcoord(mesh_.texcoords[v]);
        if (part.has_normals)
            for (std::size_t v = begin; v < end; ++v) write_vector("vn ", mesh_.normals[v]);
        if (has_face_normals(part))
            for (std::size_t f = 0; f < part.triangle_count; ++f)
                write_vector("vn ", mesh_.face_normals[part.first_triangle + f]);
    }

    template <typename Vector>
    void write_vector(std::string_view keyword, const Vector& p) {
        out_.text(keyword).number(p[0]).text(" ").number(p[1]).text(" ").number(p[2]).text("\n");
    }

    void write_texcoord(const Vec2f& uv) {
        out_.text("vt ").number(uv[0]).text(" ").number(1.0 - static_cast<double>(uv[1]));
        out_.text("\n");
    }

    void write_faces(const MeshPart& part) {
        for (std::size_t f = 0; f < part.triangle_count; ++f) {
            out_.text("f");
            for (const std::uint32_t v : mesh_.triangles[part.first_triangle + f]) {
                const std::size_t corner = v - part.first_vertex;
                require_mesh(v >= part.first_vertex && corner < part.vertex_count,
                             "a face with a vertex of another part reached the OBJ writer");
                write_corner(part, corner, f);
            }
            out_.text("\n");
        }
        if (part.has_texcoords) texcoords_ += part.vertex_count;
        if (part.has_normals) normals_ += part.vertex_count;
        if (has_face_normals(part)) normals_ += part.triangle_count;
    }

    void write_corner(const MeshPart& part, std::size_t corner, std::size_t face) {
        const bool any_normals = part.has_normals || has_face_normals(part);
        out_.text(" ").count(part.first_vertex + corner + 1);
        if (part.has_texcoords || any_normals) out_.text("/");
        if (part.has_texcoords) out_.count(texcoords_ + corner + 1);
        if (any_normals) out_.text("/").count(normals_ + (part.has_normals ? corner : face) + 1);
    }

    [[nodiscard]] bool has_face_normals(const MeshPart& part) const {
        return !part.has_normals && !mesh_.face_normals.empty();
    }

    const TriMesh& mesh_;
    ChunkedOutput out_;
    std::map<std::string, std::size_t> node_of_name_;
    std::string object_;
    std::size_t node_index_ = 0;
    bool in_node_ = false, has_material_ = false;
    std::size_t texcoords_ = 0, normals_ = 0;  ///< written before the part at hand
};

void require_parts_fit(const TriMesh& mesh) {
    std::size_t vertices = 0, triangles = 0;
    for (const MeshPart& part : mesh.parts) {
        require_mesh(part.first_vertex == vertices && part.first_triangle == triangles &&
                         (!part.has_normals || !mesh.normals.empty() || part.vertex_count == 0) &&
                         (!part.has_texcoords || !mesh.texcoords.empty() || part.vertex_count == 0),
                     "a part out of order, or without its attributes, reached the OBJ writer");
        vertices += part.vertex_count;
        triangles += part.triangle_count;
    }
    require_mesh(vertices == mesh.positions.size() && triangles == mesh.triangles.size(),
                 "a mesh that its parts do not cover reached the OBJ writer");
}

}  // namespace

void write_obj(const TriMesh& mesh, std::ostream& out) {
    require_attributes_fit(mesh);
    require_parts_fit(mesh);
    ObjWriter(mesh, out).write();
}

}  // namespace skinpose
