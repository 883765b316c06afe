#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "skinpose/error.h"

namespace skinpose::gltf {

/// What reading one file may still allocate. Sizes that a file declares are charged before the
/// allocation they ask for, so a small file cannot ask for a large one.
class Budget {
   public:
    Budget(std::string file, std::uint64_t limit_bytes)
        : file_(std::move(file)), limit_bytes_(limit_bytes), left_bytes_(limit_bytes) {}

    /// count * each bytes, checked in 64 bits. False when it is too much.
    [[nodiscard]] bool take(std::uint64_t count, std::uint64_t each) {
        if (each != 0 && count > left_bytes_ / each) return false;
        left_bytes_ -= count * each;
        return true;
    }

    /// As above, but throws Error(Input) at `place`.
    void charge(std::uint64_t count, std::uint64_t each, const std::string& place) {
        if (!take(count, each)) refuse(count, each, place);
    }

    [[noreturn]] void refuse(std::uint64_t count, std::uint64_t each,
                             const std::string& place) const {
        throw Error(ErrorCode::Input, file_, place,
                    fmt::format("needs more memory than allowed ({} elements of {} bytes, {} MiB "
                                "allowed for the whole file)",
                                count, each, limit_bytes_ >> 20),
                    "raise --max-memory if the file is trusted");
    }

   private:
    std::string file_;
    std::uint64_t limit_bytes_, left_bytes_;
};

}  // namespace skinpose::gltf
