#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

#include "skinpose/error.h"
#include "skinpose/tri_mesh.h"

namespace skinpose {

/// Text and bytes on their way to a stream, handed over in large pieces. `flush` at the end is the
/// caller's.
class ChunkedOutput {
   public:
    explicit ChunkedOutput(std::ostream& out) : out_(out), chunk_(kChunkBytes) {}

    ChunkedOutput& text(std::string_view s) {
        if (s.size() > chunk_.size() - used_) flush();
        if (s.size() > chunk_.size()) {
            out_.write(s.data(), static_cast<std::streamsize>(s.size()));
            return *this;
        }
        s.copy(chunk_.data() + used_, s.size());
        used_ += s.size();
        return *this;
    }
    ChunkedOutput& count(std::uint64_t n) { return decimal(n); }
    /// Shortest round-trip decimal. Throws Error(Bug) where it is not finite, as `bits` does.
    template <std::floating_point Real>
    ChunkedOutput& number(Real value) {
        return decimal(finite(value));
    }
    /// The least significant byte first, whatever the machine.
    ChunkedOutput& bits(float value) {
        return bytes(std::bit_cast<std::uint32_t>(finite(value)), 4);
    }
    ChunkedOutput& bits(double value) {
        return bytes(std::bit_cast<std::uint64_t>(finite(value)), 8);
    }
    ChunkedOutput& bits(std::uint32_t value) { return bytes(value, 4); }
    ChunkedOutput& bits(std::uint8_t value) { return bytes(value, 1); }

    void flush() {
        out_.write(chunk_.data(), static_cast<std::streamsize>(used_));
        used_ = 0;
    }

    template <std::floating_point Real>
    static Real finite(Real value) {
        if (!std::isfinite(value))
            throw Error(ErrorCode::Bug, {}, {},
                        "a number that is not finite reached a mesh writer");
        return value;
    }

   private:
    static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
    static constexpr std::size_t kLongestNumber = 32;  ///< -1.7976931348623157e+308 has 24

    template <typename Number>
    ChunkedOutput& decimal(Number value) {
        if (chunk_.size() - used_ < kLongestNumber) flush();
        char* const begin = chunk_.data() + used_;
        used_ += static_cast<std::size_t>(std::to_chars(begin, begin + kLongestNumber, value).ptr -
                                          begin);
        return *this;
    }

    ChunkedOutput& bytes(std::uint64_t value, std::size_t size) {
        if (chunk_.size() - used_ < size) flush();
        for (std::size_t i = 0; i < size; ++i)
            chunk_[used_ + i] = static_cast<char>((value >> (8 * i)) & 0xFFU);
        used_ += size;
        return *this;
    }

    std::ostream& out_;
    std::vector<char> chunk_;
    std::size_t used_ = 0;
};

/// A mesh writer trusts the mesh to fit together; where it does not, skinpose made it wrongly.
inline void require_mesh(bool holds, const char* fact) {
    if (!holds) throw Error(ErrorCode::Bug, {}, {}, fact);
}

/// Attributes are empty or one per vertex, face normals one per face.
inline void require_attributes_fit(const TriMesh& mesh) {
    const std::size_t vertices = mesh.positions.size();
    const auto fits = [](const auto& values, std::size_t count) {
        return values.empty() || values.size() == count;
    };
    require_mesh(fits(mesh.exact_positions, vertices) && fits(mesh.normals, vertices) &&
                     fits(mesh.texcoords, vertices) && fits(mesh.colors, vertices) &&
                     fits(mesh.face_normals, mesh.triangles.size()),
                 "a mesh with attributes that are not one per vertex or face reached a writer");
}

}  // namespace skinpose
