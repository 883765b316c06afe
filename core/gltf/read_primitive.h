#pragma once

#include "gltf/accessor.h"
#include "skinpose/scene.h"

namespace skinpose::gltf {

struct PrimitiveOptions {
    /// Joints of the smallest skin that poses it; kNone: no skin does, so JOINTS_n and WEIGHTS_n
    /// are not read.
    std::size_t joint_count = kNone;
};

/// One primitive, or nothing where it holds points, lines or no POSITION (then it is noted as
/// ignored). Throws Error(Input).
std::optional<Primitive> read_primitive(Buffers& buffers, const Element& element,
                                        const PrimitiveOptions& options);

}  // namespace skinpose::gltf
