#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "gltf/document.h"

namespace skinpose::gltf {

/// Bytes of a bufferView, decompressed where it is compressed.
struct BufferView {
    std::span<const std::byte> bytes;
    std::size_t stride = 0;  ///< byteStride; 0 where there is none
    std::size_t offset = 0;  ///< of the view in its buffer, for alignment
};

/// Buffers and bufferViews of a document, each resolved when first asked for and kept.
class Buffers {
   public:
    Buffers(const Document& document, bool allow_outside_files)
        : document_(document), allow_outside_files_(allow_outside_files) {}

    /// Throws Error(Input) at the view or its buffer.
    BufferView view(std::size_t index);

    [[nodiscard]] const Document& document() const { return document_; }

    /// `length` bytes from `offset` of buffer `index`; `user` is who asked, for the message.
    std::span<const std::byte> range(std::size_t index, std::uint64_t offset, std::uint64_t length,
                                     const Element& user);

    /// Resolved paths of the files that buffers were read from.
    [[nodiscard]] std::vector<std::string> files() const;

   private:
    std::span<const std::byte> buffer(std::size_t index);
    std::span<const std::byte> load(const Element& buffer, std::size_t index);
    std::span<const std::byte> load_uri(const Element& uri);

    const Document& document_;
    bool allow_outside_files_;
    std::map<std::size_t, std::span<const std::byte>> buffers_;
    std::map<std::size_t, BufferView> views_;
    std::map<std::string, MappedFile> files_;                     // by resolved path
    std::vector<std::unique_ptr<std::vector<std::byte>>> owned_;  // decoded bytes
};

/// EXT_meshopt_compression of one bufferView: `extension` is its object there. Throws Error(Input).
std::vector<std::byte> decode_meshopt(Buffers& buffers, const Element& extension);

}  // namespace skinpose::gltf
