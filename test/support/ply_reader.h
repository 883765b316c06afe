#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace skinpose::test {

/// What a PLY file holds of a triangle mesh. Apart from skinpose's own code on purpose: it reads
/// what other programs wrote, and what skinpose wrote, without trusting either.
struct PlyMesh {
    std::string format;  ///< "binary_little_endian" or "ascii"
    std::vector<std::string> comments;
    std::vector<std::string> vertex_properties;      ///< names in order
    std::vector<std::string> vertex_property_types;  ///< as the header spells them
    std::vector<std::vector<double>> vertex_values;  ///< one column per property
    std::vector<std::array<std::uint32_t, 3>> faces;

    [[nodiscard]] std::size_t vertex_count() const;
    /// The column called `name`, or an empty one.
    [[nodiscard]] const std::vector<double>& column(const std::string& name) const;
    [[nodiscard]] bool has(const std::string& name) const;
    [[nodiscard]] std::vector<std::array<double, 3>> positions() const;
    /// Empty where the file has no nx, ny, nz.
    [[nodiscard]] std::vector<std::array<double, 3>> normals() const;
};

/// Reads binary little endian or ascii PLY 1.0 with scalar vertex properties and triangular faces.
/// Throws std::runtime_error that says what is wrong, also for bytes after the last face.
PlyMesh read_ply(const std::string& path);

/// The whole file. Throws std::runtime_error where it cannot be read.
std::string read_file(const std::string& path);

}  // namespace skinpose::test
