#include <algorithm>
#include <cctype>

#include "skinpose/error.h"
#include "skinpose/write_mesh.h"

namespace skinpose {

MeshFormat format_of(const std::string& path) {
    const std::size_t dot = path.find_last_of("./");
    std::string ending = dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot);
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending == ".obj") return MeshFormat::Obj;
    if (ending == ".ply") return MeshFormat::Ply;
    throw Error(ErrorCode::Usage, path, "",
                "the ending tells the format, and it is none of .obj, .ply");
}

void write_mesh(const TriMesh& mesh, MeshFormat format, PlyEncoding encoding, std::ostream& out) {
    if (format == MeshFormat::Obj)
        write_obj(mesh, out);
    else
        write_ply(mesh, encoding, out);
}

std::vector<std::string> attributes_without_place(const Scene& scene, MeshFormat format) {
    bool tangents = false, colors = false;
    for (const MeshInstance& instance : scene.instances)
        for (const Primitive& p : scene.meshes[instance.mesh].primitives) {
            tangents |= !p.tangents.empty();
            colors |= !p.colors.empty();
        }
    std::vector<std::string> names;
    if (tangents) names.emplace_back("TANGENT");
    if (colors && format == MeshFormat::Obj) names.emplace_back("COLOR_0");
    return names;
}

}  // namespace skinpose
