#include "gltf/accessor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace skinpose::gltf {

std::size_t size_of(Component component) {
    switch (component) {
        case Component::Byte:
        case Component::UnsignedByte:
            return 1;
        case Component::Short:
        case Component::UnsignedShort:
            return 2;
        case Component::UnsignedInt:
        case Component::Float:
            return 4;
    }
    return 0;
}

const char* name_of(Component component) {
    switch (component) {
        case Component::Byte:
            return "BYTE";
        case Component::UnsignedByte:
            return "UNSIGNED_BYTE";
        case Component::Short:
            return "SHORT";
        case Component::UnsignedShort:
            return "UNSIGNED_SHORT";
        case Component::UnsignedInt:
            return "UNSIGNED_INT";
        case Component::Float:
            return "FLOAT";
    }
    return "";
}

void Accessor::fail(const std::string& fact) const {
    throw Error(ErrorCode::Input, file, user, place.empty() ? fact : place + " " + fact);
}

void Accessor::expect(std::initializer_list<const char*> types,
                      std::initializer_list<Component> components_allowed) const {
    std::string wanted;
    for (const char* t : types) wanted += std::string(wanted.empty() ? "" : " or ") + t;
    if (std::none_of(types.begin(), types.end(), [&](const char* t) { return type == t; }))
        fail(fmt::format("is {}, must be {}", type, wanted));
    wanted.clear();
    for (const Component c : components_allowed)
        wanted += std::string(wanted.empty() ? "" : " or ") + name_of(c);
    if (std::find(components_allowed.begin(), components_allowed.end(), component) ==
        components_allowed.end())
        fail(fmt::format("has components of type {}, must be {}", name_of(component), wanted));
}

void Accessor::expect_normalized(bool wanted) const {
    if (component == Component::Float || normalized == wanted) return;
    fail(wanted ? "holds integers that are not marked as normalized"
                : "is marked as normalized, but holds plain integers");
}

namespace {

Component component_of(const Element& element) {
    switch (element.as_size()) {
        case 5120:
            return Component::Byte;
        case 5121:
            return Component::UnsignedByte;
        case 5122:
            return Component::Short;
        case 5123:
            return Component::UnsignedShort;
        case 5125:
            return Component::UnsignedInt;
        case 5126:
            return Component::Float;
        default:
            element.fail(fmt::format("{} is no component type", element.as_size()));
    }
}

std::size_t components_of(const Element& type) {
    static constexpr std::pair<std::string_view, std::size_t> kTypes[] = {
        {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
        {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    for (const auto& [name, count] : kTypes)
        if (type.as_string() == name) return count;
    type.fail(fmt::format("\"{}\" is no accessor type", printable(type.as_string(), 20)));
}

/// count elements of `element` bytes, `stride` apart, from `offset`: do they fit `available`?
void check_extent(const Element& accessor, std::uint64_t count, std::uint64_t element,
                  std::uint64_t stride, std::uint64_t offset, std::uint64_t available) {
    if (offset > available)
        accessor.fail_at("byteOffset",
                         fmt::format("is {}, beyond the view's {} bytes", offset, available));
    const std::uint64_t left = available - offset;
    if (left < element || (left - element) / stride < count - 1)
        accessor.fail_at("count",
                         fmt::format("{} elements of {} bytes, {} apart, from byte {} run past "
                                     "the view's {} bytes",
                                     count, element, stride, offset, available));
}

std::uint64_t optional_offset(const Element& element) {
    const auto offset = element.get("byteOffset");
    return offset ? offset->as_size() : 0;
}

/// Bytes of a tightly packed array that a sparse part names.
std::span<const std::byte> packed_bytes(Buffers& buffers, const Element& part, std::size_t count,
                                        std::size_t element_size) {
    const BufferView view = buffers.view(part.at("bufferView").as_index_into("bufferViews"));
    const std::uint64_t offset = optional_offset(part);
    if (offset > view.bytes.size() || (view.bytes.size() - offset) / element_size < count)
        part.fail_at(
            part.get("byteOffset") ? "byteOffset" : "bufferView",
            fmt::format("{} elements of {} bytes from byte {} run past the view's {} bytes", count,
                        element_size, offset, view.bytes.size()));
    return view.bytes.subspan(static_cast<std::size_t>(offset), count * element_size);
}

std::uint32_t integer_at(const std::byte* at, Component component) {
    if (component == Component::UnsignedByte) return std::to_integer<std::uint32_t>(*at);
    if (component == Component::UnsignedShort) {
        std::uint16_t value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    std::uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

SparsePart open_sparse(Buffers& buffers, const Element& sparse, const Accessor& accessor) {
    SparsePart part;
    const Element count = sparse.at("count");
    if (count.as_size() > accessor.count)
        count.fail(
            fmt::format("is {}, the accessor has {} elements", count.as_size(), accessor.count));
    if (count.as_size() == 0) count.warn("is 0");
    part.count = static_cast<std::size_t>(count.as_size());
    const Element indices = sparse.at("indices"), values = sparse.at("values");
    const Element type = indices.at("componentType");
    part.index_component = component_of(type);
    if (part.index_component != Component::UnsignedByte &&
        part.index_component != Component::UnsignedShort &&
        part.index_component != Component::UnsignedInt)
        type.fail(fmt::format("is {}, indices are unsigned", name_of(part.index_component)));
    const std::size_t index_size = size_of(part.index_component);
    part.indices = packed_bytes(buffers, indices, part.count, index_size);
    part.values = packed_bytes(buffers, values, part.count,
                               accessor.components * size_of(accessor.component));
    std::uint64_t least = 0;
    for (std::size_t i = 0; i < part.count; ++i) {
        const std::uint32_t index =
            integer_at(part.indices.data() + i * index_size, part.index_component);
        if (index >= accessor.count)
            indices.fail(fmt::format("entry {} is {}, the accessor has {} elements", i, index,
                                     accessor.count));
        if (index < least) indices.fail(fmt::format("entry {} is {}, must increase", i, index));
        least = std::uint64_t{index} + 1;
    }
    return part;
}

void open_view(Buffers& buffers, const Element& element, AccessorUse use, Accessor& accessor) {
    const std::size_t component_size = size_of(accessor.component);
    const std::size_t element_size = accessor.components * component_size;
    const std::size_t index = element.at("bufferView").as_index_into("bufferViews");
    const BufferView view = buffers.view(index);
    accessor.stride = view.stride == 0 ? element_size : view.stride;
    if (accessor.stride < element_size)
        throw Error(
            ErrorCode::Input, accessor.file, fmt::format("/bufferViews/{}/byteStride", index),
            fmt::format("is {}, less than an element's {} bytes", accessor.stride, element_size));
    const std::uint64_t offset = optional_offset(element);
    check_extent(element, accessor.count, element_size, accessor.stride, offset, view.bytes.size());
    if ((view.offset + offset) % component_size != 0 || accessor.stride % component_size != 0)
        element.warn(fmt::format("{} components are not aligned", name_of(accessor.component)));
    if (use == AccessorUse::Other && view.stride != 0 && view.stride != element_size)
        element.warn("its bufferView has a byteStride, which is for vertex attributes");
    accessor.bytes = view.bytes.subspan(static_cast<std::size_t>(offset));
}

}  // namespace

Accessor open_accessor(Buffers& buffers, const Element& index, AccessorUse use) {
    const Document& document = buffers.document();
    const Element element = document.item("accessors", index.as_index_into("accessors"));
    Accessor accessor;
    accessor.user = index.place();
    accessor.place = element.place();
    accessor.file = document.file();
    accessor.type = element.at("type").as_string();
    accessor.components = components_of(element.at("type"));
    accessor.component = component_of(element.at("componentType"));
    if (const auto normalized = element.get("normalized"))
        accessor.normalized = normalized->as_boolean();
    if (accessor.normalized && accessor.component == Component::Float)
        element.warn("floats are marked as normalized");
    const Element count = element.at("count");
    if (count.as_size() == 0) count.fail("must be at least 1");
    if (count.as_size() > (std::uint64_t{1} << 48))
        count.fail(fmt::format("is {}", count.as_size()));
    accessor.count = static_cast<std::size_t>(count.as_size());
    if (element.get("bufferView")) open_view(buffers, element, use, accessor);
    if (const auto sparse = element.get("sparse"))
        accessor.sparse = open_sparse(buffers, *sparse, accessor);
    return accessor;
}

namespace {

template <typename Stored, typename Out>
Out convert(const std::byte* at, bool normalized) {
    Stored value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_floating_point_v<Stored>) {
        return static_cast<Out>(value);
    } else {
        if (!normalized) return static_cast<Out>(value);
        constexpr double kOne = static_cast<double>(std::numeric_limits<Stored>::max());
        return static_cast<Out>(std::max(static_cast<double>(value) / kOne, -1.0));
    }
}

template <typename Stored, typename Out>
void read_as(const Accessor& a, bool normalized, std::span<Out> out) {
    const std::size_t n = a.components;
    if (a.bytes.empty()) {
        std::fill(out.begin(), out.end(), Out(0));
    } else if (std::is_same_v<Stored, Out> && a.stride == n * sizeof(Stored)) {
        std::memcpy(out.data(), a.bytes.data(), out.size_bytes());
    } else {
        for (std::size_t i = 0; i < a.count; ++i)
            for (std::size_t c = 0; c < n; ++c)
                out[i * n + c] = convert<Stored, Out>(
                    a.bytes.data() + i * a.stride + c * sizeof(Stored), normalized);
    }
    const std::size_t index_size = size_of(a.sparse.index_component);
    for (std::size_t s = 0; s < a.sparse.count; ++s) {
        const std::size_t i =
            integer_at(a.sparse.indices.data() + s * index_size, a.sparse.index_component);
        for (std::size_t c = 0; c < n; ++c)
            out[i * n + c] = convert<Stored, Out>(
                a.sparse.values.data() + (s * n + c) * sizeof(Stored), normalized);
    }
}

template <typename Out>
void read_any(const Accessor& a, bool normalized, std::span<Out> out) {
    switch (a.component) {
        case Component::Byte:
            return read_as<std::int8_t>(a, normalized, out);
        case Component::UnsignedByte:
            return read_as<std::uint8_t>(a, normalized, out);
        case Component::Short:
            return read_as<std::int16_t>(a, normalized, out);
        case Component::UnsignedShort:
            return read_as<std::uint16_t>(a, normalized, out);
        case Component::UnsignedInt:
            return read_as<std::uint32_t>(a, normalized, out);
        case Component::Float:
            return read_as<float>(a, normalized, out);
    }
}

template <typename Out>
void read_finite(const Accessor& a, std::span<Out> out) {
    read_any(a, a.normalized, out);
    if (a.component != Component::Float) return;
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!std::isfinite(out[i]))
            a.fail(fmt::format("element {} is not a finite number", i / a.components));
}

}  // namespace

void read_numbers(const Accessor& accessor, std::span<float> out) { read_finite(accessor, out); }
void read_numbers(const Accessor& accessor, std::span<double> out) { read_finite(accessor, out); }
void read_integers(const Accessor& accessor, std::span<std::uint32_t> out) {
    read_any(accessor, false, out);
}

}  // namespace skinpose::gltf
