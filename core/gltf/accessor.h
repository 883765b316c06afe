#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gltf/buffers.h"

namespace skinpose::gltf {

/// glTF componentType values.
enum class Component {
    Byte = 5120,
    UnsignedByte = 5121,
    Short = 5122,
    UnsignedShort = 5123,
    UnsignedInt = 5125,
    Float = 5126
};

std::size_t size_of(Component component);
const char* name_of(Component component);

struct SparsePart {
    std::size_t count = 0;
    Component index_component = Component::UnsignedByte;
    std::span<const std::byte> indices, values;  ///< tightly packed
};

/// An accessor after every check: reading its `count` elements stays inside its bytes.
struct Accessor {
    std::string user;   ///< JSON pointer of the property that uses it
    std::string place;  ///< JSON pointer of the accessor itself
    std::string file;
    std::string type;  ///< "SCALAR", "VEC3", "MAT4", ...
    Component component = Component::Float;
    bool normalized = false;
    std::size_t components = 1, count = 0;
    std::span<const std::byte> bytes;  ///< empty: all zero
    std::size_t stride = 0;
    SparsePart sparse;
    std::shared_ptr<std::vector<std::byte>> storage;  ///< keeps decoded bytes alive

    [[noreturn]] void fail(const std::string& fact) const;  ///< at `user`
    /// Refuses every type and component type but these.
    void expect(std::initializer_list<const char*> types,
                std::initializer_list<Component> components_allowed) const;
    /// Integers must be normalised (or, with false, must not be).
    void expect_normalized(bool wanted) const;
};

enum class AccessorUse { VertexAttribute, Other };

/// The one place where accessors are checked: index, type, sizes in 64 bits, stride, alignment,
/// sparse parts. `index` is the JSON number that names the accessor. Throws Error(Input).
Accessor open_accessor(Buffers& buffers, const Element& index, AccessorUse use);

/// All elements as numbers, sparse values applied, normalised integers divided as glTF 2.0 section
/// 3.6.2.2 says (-128/127 clamped to -1). Floats must be finite. `out` takes count * components.
void read_numbers(const Accessor& accessor, std::span<float> out);
void read_numbers(const Accessor& accessor, std::span<double> out);
/// Unsigned integers as they are stored, normalised or not.
void read_integers(const Accessor& accessor, std::span<std::uint32_t> out);

}  // namespace skinpose::gltf
