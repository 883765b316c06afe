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

    /// count * each bytes, checked in 64 bits. Throws Error(Input) at `place` when it is too much.
    void charge(std::uint64_t count, std::uint64_t each, const std::string& place) {
        if (each != 0 && count > left_bytes_ / each)
            throw Error(ErrorCode::Input, file_, place,
                        fmt::format("needs more memory than allowed ({} elements of {} bytes, {} MiB "
                                    "allowed for the whole file)",
                                    count, each, limit_bytes_ >> 20),
                        "raise --max-memory if the file is trusted");
        left_bytes_ -= count * each;
    }

   private:
    std::string file_;
    std::uint64_t limit_bytes_, left_bytes_;
};

}  // namespace skinpose::gltf
