#pragma once

#include <iosfwd>
#include <string>

#include "skinpose/tri_mesh.h"

namespace skinpose {

enum class MeshFormat { Obj, Ply };
enum class PlyEncoding { Binary, Ascii };

/// Format by the ending of `path`, in any case. Throws Error(Usage) that lists the known endings.
MeshFormat format_of(const std::string& path);

void write_mesh(const TriMesh& mesh, MeshFormat format, PlyEncoding encoding, std::ostream& out);

/// Attributes that the scene's primitives have and `format` has no place for, such as "TANGENT".
std::vector<std::string> attributes_without_place(const Scene& scene, MeshFormat format);

/// Wavefront OBJ: v, vt (v up, as OBJ has it), vn, an `o` per node, a `g` per primitive, `usemtl`,
/// faces by global 1-based indices. Numbers are the shortest that read back the same: float, or
/// double where the mesh has exact positions. Names are made safe; of nodes that
/// share one, the later get their index (`NAME_7`), because readers merge objects of one name.
/// After a part with a material, one without says `usemtl (none)`. Vertex colours and tangents have
/// no place in OBJ. Throws Error(Bug) at a number that is not finite, or parts that do not fit.
void write_obj(const TriMesh& mesh, std::ostream& out);

/// PLY 1.0, little endian unless ascii: x y z (float, or double where the mesh has exact
/// positions), nx ny nz, s t (texture coordinates as glTF has them, v down; the header says so),
/// red green blue alpha (uchar, linear), then vertex_indices (uchar count, int). Per-face normals
/// and tangents have no place here.
void write_ply(const TriMesh& mesh, PlyEncoding encoding, std::ostream& out);

/// `name` as one token of a text format: control characters, marks that are not seen or turn the
/// reading direction, noncharacters, blanks (all of Unicode's), `#`, `\`, and broken UTF-8 become
/// `_`; empty becomes `fallback`.
std::string safe_token(const std::string& name, const std::string& fallback);

/// `name` as one component of a file name on any system: also `/ : * ? " < > |` become `_`, leading
/// dots and dashes and dots at the end too, reserved DOS names get a `_` before them, at most 100
/// bytes cut at a code point.
std::string safe_file_component(const std::string& name, const std::string& fallback);

}  // namespace skinpose
