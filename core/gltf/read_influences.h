#pragma once

#include <functional>

#include "gltf/accessor.h"
#include "skinpose/influences.h"

namespace skinpose::gltf {

using OpenAttribute = std::function<std::optional<Accessor>(const std::string& name)>;

/// Every JOINTS_n / WEIGHTS_n pair of `attributes`, each with its own component types, merged. Sets
/// must be paired and numbered 0, 1, 2 ... without a gap. Refuses negative and non-finite weights,
/// and a joint the skin does not have at any weight but 0 (those are counted). A primitive without
/// sets gives an empty table with no sums: every vertex is unweighted.
VertexInfluences read_influences(Buffers& buffers, const Element& attributes,
                                 const OpenAttribute& open, std::size_t vertex_count,
                                 std::size_t joint_count);

}  // namespace skinpose::gltf
