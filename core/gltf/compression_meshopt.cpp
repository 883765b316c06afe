#include <meshoptimizer.h>

#include "gltf/buffers.h"

namespace skinpose::gltf {

namespace {

struct Layout {
    std::size_t count = 0, stride = 0;
    std::string mode, filter;
};

/// What the decoder asserts instead of checking: EXT_meshopt_compression, "Specifying compressed
/// views".
Layout check_layout(const Element& extension) {
    Layout layout;
    const Element stride = extension.at("byteStride"), count = extension.at("count");
    const std::uint64_t bytes = stride.as_size();
    layout.mode = extension.at("mode").as_string();
    layout.filter = extension.get("filter") ? extension.at("filter").as_string() : "NONE";
    if (layout.mode == "ATTRIBUTES") {
        if (bytes == 0 || bytes > 256 || bytes % 4 != 0)
            stride.fail(fmt::format("is {}, must be a multiple of 4 up to 256", bytes));
    } else if (layout.mode == "TRIANGLES" || layout.mode == "INDICES") {
        if (bytes != 2 && bytes != 4) stride.fail(fmt::format("is {}, must be 2 or 4", bytes));
        if (layout.filter != "NONE") extension.fail_at("filter", "indices take no filter");
    } else {
        extension.fail_at("mode",
                          "\"" + layout.mode + "\" is not ATTRIBUTES, TRIANGLES or INDICES");
    }
    const bool octahedral = layout.filter == "OCTAHEDRAL",
               quaternion = layout.filter == "QUATERNION";
    if (octahedral && bytes != 4 && bytes != 8)
        stride.fail(fmt::format("is {}, OCTAHEDRAL takes 4 or 8", bytes));
    if (quaternion && bytes != 8) stride.fail(fmt::format("is {}, QUATERNION takes 8", bytes));
    if (!octahedral && !quaternion && layout.filter != "EXPONENTIAL" && layout.filter != "NONE")
        extension.fail_at("filter", "\"" + layout.filter + "\" is not known");
    if (count.as_size() == 0) count.fail("must be at least 1");
    if (layout.mode == "TRIANGLES" && count.as_size() % 3 != 0)
        count.fail(fmt::format("is {}, TRIANGLES takes a multiple of 3", count.as_size()));
    layout.stride = static_cast<std::size_t>(bytes);
    layout.count = static_cast<std::size_t>(count.as_size());
    return layout;
}

int decode(const Layout& layout, std::span<const std::byte> source, std::vector<std::byte>& out) {
    const auto* data = reinterpret_cast<const unsigned char*>(source.data());
    if (layout.mode == "ATTRIBUTES")
        return meshopt_decodeVertexBuffer(out.data(), layout.count, layout.stride, data,
                                          source.size());
    if (layout.mode == "TRIANGLES")
        return meshopt_decodeIndexBuffer(out.data(), layout.count, layout.stride, data,
                                         source.size());
    return meshopt_decodeIndexSequence(out.data(), layout.count, layout.stride, data,
                                       source.size());
}

void apply_filter(const Layout& layout, std::vector<std::byte>& bytes) {
    if (layout.filter == "OCTAHEDRAL")
        meshopt_decodeFilterOct(bytes.data(), layout.count, layout.stride);
    if (layout.filter == "QUATERNION")
        meshopt_decodeFilterQuat(bytes.data(), layout.count, layout.stride);
    if (layout.filter == "EXPONENTIAL")
        meshopt_decodeFilterExp(bytes.data(), layout.count, layout.stride);
}

}  // namespace

std::vector<std::byte> decode_meshopt(Buffers& buffers, const Element& extension) {
    const Layout layout = check_layout(extension);
    const std::size_t buffer = extension.at("buffer").as_index_into("buffers");
    const auto offset = extension.get("byteOffset");
    const auto source = buffers.range(buffer, offset ? offset->as_size() : 0,
                                      extension.at("byteLength").as_size(), extension);
    buffers.document().budget().charge(layout.count, layout.stride, extension.place());
    std::vector<std::byte> out(layout.count * layout.stride);
    if (decode(layout, source, out) != 0)
        extension.fail(
            fmt::format("the compressed data is broken (mode {}, {} elements of {} bytes)",
                        layout.mode, layout.count, layout.stride));
    apply_filter(layout, out);
    return out;
}

}  // namespace skinpose::gltf
