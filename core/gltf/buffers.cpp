#include "gltf/buffers.h"

#include "gltf/uri.h"

namespace skinpose::gltf {

namespace {

std::optional<Element> extension_of(const Element& element, std::string_view name) {
    const auto extensions = element.get("extensions");
    return extensions ? extensions->get(name) : std::nullopt;
}

}  // namespace

std::span<const std::byte> Buffers::load_uri(const Element& uri) {
    const std::string& text = uri.as_string();
    if (is_data_uri(text)) {
        document_.budget().charge(text.size(), 1, uri.place());
        auto decoded = decode_data_uri(text);
        if (!decoded.value) uri.fail(decoded.reason);
        owned_.push_back(std::make_unique<std::vector<std::byte>>(std::move(*decoded.value)));
        return *owned_.back();
    }
    const auto path = resolve_buffer_path(text, document_.file(), allow_outside_files_);
    if (!path.value) uri.fail(fmt::format("\"{}\": {}", printable(text, 80), path.reason));
    const auto found = files_.find(*path.value);
    if (found != files_.end()) return found->second.bytes();
    return files_.emplace(*path.value, MappedFile(*path.value, document_.file(), uri.place()))
        .first->second.bytes();
}

std::span<const std::byte> Buffers::load(const Element& buffer, std::size_t index) {
    const Element length = buffer.at("byteLength");
    const std::uint64_t size = length.as_size();
    if (size == 0) length.fail("must be at least 1");
    std::span<const std::byte> bytes;
    const auto uri = buffer.get("uri");
    if (uri) {
        bytes = load_uri(*uri);
    } else if (index == 0 && document_.binary_chunk()) {
        bytes = *document_.binary_chunk();
        if (bytes.size() >= size + 4)
            buffer.warn(
                fmt::format("the binary chunk has {} bytes, byteLength is {}", bytes.size(), size));
    } else if (extension_of(buffer, "EXT_meshopt_compression")) {
        buffer.fail("is a fallback buffer without data, and something reads it uncompressed");
    } else {
        buffer.fail("has no uri, and there is no binary chunk for it");
    }
    if (bytes.size() < size)
        length.fail(fmt::format("is {}, but there are only {} bytes", size, bytes.size()));
    return bytes.first(static_cast<std::size_t>(size));
}

std::span<const std::byte> Buffers::buffer(std::size_t index) {
    const auto found = buffers_.find(index);
    if (found != buffers_.end()) return found->second;
    const auto bytes = load(document_.item("buffers", index), index);
    buffers_.emplace(index, bytes);
    return bytes;
}

std::span<const std::byte> Buffers::range(std::size_t index, std::uint64_t offset,
                                          std::uint64_t length, const Element& user) {
    const auto bytes = buffer(index);
    if (offset > bytes.size())
        user.fail_at("byteOffset",
                     fmt::format("is {}, beyond the buffer's {} bytes", offset, bytes.size()));
    if (length > bytes.size() - offset)
        user.fail_at("byteLength", fmt::format("{} bytes from {} run past the buffer's {} bytes",
                                               length, offset, bytes.size()));
    return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
}

std::vector<std::string> Buffers::files() const {
    std::vector<std::string> paths;
    for (const auto& file : files_) paths.push_back(file.first);
    return paths;
}

BufferView Buffers::view(std::size_t index) {
    const auto found = views_.find(index);
    if (found != views_.end()) return found->second;
    const Element element = document_.item("bufferViews", index);
    BufferView view;
    if (const auto stride = element.get("byteStride")) {
        const std::uint64_t bytes = stride->as_size();
        if (bytes < 4 || bytes > 252) stride->fail(fmt::format("is {}, must be 4 to 252", bytes));
        view.stride = static_cast<std::size_t>(bytes);
    }
    const std::size_t buffer_index = element.at("buffer").as_index_into("buffers");
    const auto offset = element.get("byteOffset");
    const std::uint64_t first = offset ? offset->as_size() : 0;
    const Element length = element.at("byteLength");
    if (length.as_size() == 0) length.fail("must be at least 1");
    if (const auto meshopt = extension_of(element, "EXT_meshopt_compression")) {
        owned_.push_back(std::make_unique<std::vector<std::byte>>(decode_meshopt(*this, *meshopt)));
        view.bytes = *owned_.back();
        if (view.bytes.size() < length.as_size())
            length.fail(fmt::format("is {}, but only {} bytes are compressed", length.as_size(),
                                    view.bytes.size()));
    } else {
        view.bytes = range(buffer_index, first, length.as_size(), element);
        view.offset = static_cast<std::size_t>(first);
    }
    views_.emplace(index, view);
    return view;
}

}  // namespace skinpose::gltf
