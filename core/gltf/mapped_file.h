#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace skinpose::gltf {

/// A regular file's bytes, mapped read-only. Never blocks: pipes, devices and folders are refused.
class MappedFile {
   public:
    /// Throws Error(Input) naming `path`, at `place` of `file` where those are given (a buffer of
    /// it).
    explicit MappedFile(const std::string& path, const std::string& file = {},
                        const std::string& place = {});
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

   private:
    std::span<const std::byte> bytes_;
};

}  // namespace skinpose::gltf
