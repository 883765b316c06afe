#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gltf/accessor.h"

namespace skinpose::gltf {

/// A primitive decompressed from KHR_draco_mesh_compression: its triangles, and per attribute name
/// an accessor over the decoded values.
struct DracoPrimitive {
    std::size_t vertex_count = 0;
    std::vector<std::uint32_t> indices;  ///< three a triangle
    std::map<std::string, Accessor> attributes;
};

/// `extension` is the object in the primitive's extensions, `primitive` the primitive, whose
/// accessors say what is expected; vertex and index counts must agree with them. Throws
/// Error(Input).
DracoPrimitive decode_draco(Buffers& buffers, const Element& primitive, const Element& extension);

}  // namespace skinpose::gltf
