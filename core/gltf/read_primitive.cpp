#include "gltf/read_primitive.h"

#include <algorithm>

#include "gltf/compression.h"
#include "gltf/read_influences.h"

namespace skinpose::gltf {

namespace {

enum class Mode : std::uint64_t { Triangles = 4, Strip = 5, Fan = 6 };

/// Opens an attribute from the Draco data where it is there, else from its accessor.
class Attributes {
   public:
    Attributes(Buffers& buffers, const Element& primitive)
        : buffers_(buffers), map_(primitive.at("attributes")) {
        const auto extensions = primitive.get("extensions");
        const auto draco =
            extensions ? extensions->get("KHR_draco_mesh_compression") : std::nullopt;
        if (draco) draco_ = decode_draco(buffers, primitive, *draco);
    }

    [[nodiscard]] const Element& map() const { return map_; }
    [[nodiscard]] const std::optional<DracoPrimitive>& draco() const { return draco_; }

    [[nodiscard]] std::optional<Accessor> open(const std::string& name) const {
        const auto index = map_.get(name);
        if (!index) return std::nullopt;
        if (draco_)
            if (const auto found = draco_->attributes.find(name); found != draco_->attributes.end())
                return found->second;
        return open_accessor(buffers_, *index, AccessorUse::VertexAttribute);
    }

   private:
    Buffers& buffers_;
    Element map_;
    std::optional<DracoPrimitive> draco_;
};

/// Element types that KHR_mesh_quantization adds; without it they are read all the same, with a
/// word.
void warn_unless_quantized(const Buffers& buffers, const Accessor& accessor) {
    if (accessor.component == Component::Float) return;
    if (buffers.document().uses_extension("KHR_mesh_quantization")) return;
    buffers.document().warnings().push_back(
        {accessor.user,
         fmt::format("{} without KHR_mesh_quantization", name_of(accessor.component))});
}

template <typename V>
std::vector<V> read_vectors(Buffers& buffers, const Accessor& accessor, std::size_t vertices) {
    constexpr std::size_t kWidth = sizeof(V) / sizeof(float);
    if (accessor.count != vertices)
        accessor.fail(fmt::format("has {} elements for {} vertices", accessor.count, vertices));
    buffers.document().budget().charge(vertices, sizeof(V), accessor.user);
    std::vector<V> out(vertices);
    if (accessor.components == kWidth) {
        read_numbers(accessor, std::span(out.data()->data(), vertices * kWidth));
        return out;
    }
    std::vector<float> narrow(vertices * accessor.components);  // RGB where RGBA is wanted
    read_numbers(accessor, std::span(narrow));
    for (std::size_t v = 0; v < vertices; ++v) {
        out[v] = V::Ones();
        for (std::size_t c = 0; c < accessor.components; ++c)
            out[v][static_cast<Eigen::Index>(c)] = narrow[v * accessor.components + c];
    }
    return out;
}

constexpr std::initializer_list<Component> kSignedOrFloat = {Component::Float, Component::Byte,
                                                             Component::Short};
constexpr std::initializer_list<Component> kAnySmall = {Component::Float, Component::Byte,
                                                        Component::UnsignedByte, Component::Short,
                                                        Component::UnsignedShort};

std::vector<Vec3f> read_positions(Buffers& buffers, const Accessor& accessor) {
    accessor.expect({"VEC3"}, kAnySmall);
    warn_unless_quantized(buffers, accessor);
    return read_vectors<Vec3f>(buffers, accessor, accessor.count);
}

/// NORMAL, or the xyz of a TANGENT's delta.
std::vector<Vec3f> read_directions(Buffers& buffers, const Accessor& accessor,
                                   std::size_t vertices) {
    accessor.expect({"VEC3"}, kSignedOrFloat);
    accessor.expect_normalized(true);
    warn_unless_quantized(buffers, accessor);
    return read_vectors<Vec3f>(buffers, accessor, vertices);
}

void read_attributes(Buffers& buffers, const Attributes& attributes, Primitive& out) {
    const std::size_t vertices = out.positions.size();
    if (const auto normal = attributes.open("NORMAL"))
        out.normals = read_directions(buffers, *normal, vertices);
    if (const auto tangent = attributes.open("TANGENT")) {
        tangent->expect({"VEC4"}, kSignedOrFloat);
        tangent->expect_normalized(true);
        warn_unless_quantized(buffers, *tangent);
        out.tangents = read_vectors<Vec4f>(buffers, *tangent, vertices);
    }
    if (const auto texcoord = attributes.open("TEXCOORD_0")) {
        texcoord->expect({"VEC2"}, kAnySmall);
        out.texcoords = read_vectors<Vec2f>(buffers, *texcoord, vertices);
    }
    if (const auto color = attributes.open("COLOR_0")) {
        color->expect({"VEC3", "VEC4"},
                      {Component::Float, Component::UnsignedByte, Component::UnsignedShort});
        color->expect_normalized(true);
        out.colors = read_vectors<Vec4f>(buffers, *color, vertices);
    }
}

/// Attributes that no output holds, named once each.
void note_unread_attributes(const Attributes& attributes, bool skinned) {
    static constexpr const char* kRead[] = {"POSITION", "NORMAL", "TANGENT", "TEXCOORD_0",
                                            "COLOR_0"};
    for (const auto& member : attributes.map().as_object()) {
        const std::string& name = member.first;
        const bool influence = name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_");
        if (influence && skinned) continue;
        if (std::find(std::begin(kRead), std::end(kRead), name) != std::end(kRead)) continue;
        attributes.map().get(name)->ignore(influence ? "no skin poses this primitive here"
                                                     : "this attribute is not read");
    }
}

void read_targets(Buffers& buffers, const Element& element, Primitive& out) {
    const auto targets = element.get("targets");
    if (!targets) return;
    if (targets->size() == 0) targets->warn("is empty");
    const std::size_t vertices = out.positions.size();
    for (std::size_t t = 0; t < targets->size(); ++t) {
        const Element target = targets->item(t);
        MorphTarget& deltas = out.targets.emplace_back();
        for (const auto& member : target.as_object()) {
            const std::string& name = member.first;
            const Element index = *target.get(name);
            const bool position = name == "POSITION", normal = name == "NORMAL",
                       tangent = name == "TANGENT";
            if (!position && !normal && !tangent) {
                index.ignore("this morph attribute is not read");
                continue;
            }
            const Accessor accessor = open_accessor(buffers, index, AccessorUse::VertexAttribute);
            if (position) {
                accessor.expect({"VEC3"}, kAnySmall);
                warn_unless_quantized(buffers, accessor);
                deltas.positions = read_vectors<Vec3f>(buffers, accessor, vertices);
            } else if (normal ? out.normals.empty() : out.tangents.empty()) {
                index.ignore("the primitive itself has no such attribute");
            } else {
                (normal ? deltas.normals : deltas.tangents) =
                    read_directions(buffers, accessor, vertices);
            }
        }
    }
}

std::vector<std::uint32_t> read_indices(Buffers& buffers, const Element& primitive,
                                        const Attributes& attributes, std::size_t vertices) {
    std::vector<std::uint32_t> indices;
    if (attributes.draco()) {
        indices = attributes.draco()->indices;
    } else if (const auto index = primitive.get("indices")) {
        const Accessor accessor = open_accessor(buffers, *index, AccessorUse::Other);
        accessor.expect({"SCALAR"}, {Component::UnsignedByte, Component::UnsignedShort,
                                     Component::UnsignedInt});
        buffers.document().budget().charge(accessor.count, sizeof(std::uint32_t), accessor.user);
        indices.resize(accessor.count);
        read_integers(accessor, indices);
        for (std::size_t i = 0; i < indices.size(); ++i)
            if (indices[i] >= vertices)
                accessor.fail(
                    fmt::format("entry {} is {}, there are {} vertices", i, indices[i], vertices));
    } else {
        buffers.document().budget().charge(vertices, sizeof(std::uint32_t), primitive.place());
        indices.resize(vertices);
        for (std::size_t i = 0; i < vertices; ++i) indices[i] = static_cast<std::uint32_t>(i);
    }
    return indices;
}

/// glTF 2.0 section 3.7.2.1. What fills no triangle is left out and counted.
void make_triangles(Mode mode, const std::vector<std::uint32_t>& i, Primitive& out) {
    out.triangles.reserve(mode == Mode::Triangles ? i.size() / 3 : i.size());
    if (mode == Mode::Triangles) {
        for (std::size_t k = 0; k + 2 < i.size(); k += 3)
            out.triangles.push_back({i[k], i[k + 1], i[k + 2]});
        out.surplus_indices = i.size() % 3;
    } else if (i.size() < 3) {
        out.surplus_indices = i.size();
    } else {
        for (std::size_t k = 0; k + 2 < i.size(); ++k) {
            if (mode == Mode::Strip)
                out.triangles.push_back({i[k], i[k + 1 + k % 2], i[k + 2 - k % 2]});
            else
                out.triangles.push_back({i[k + 1], i[k + 2], i[0]});
        }
    }
    out.degenerate_triangles = static_cast<std::size_t>(std::count_if(
        out.triangles.begin(), out.triangles.end(),
        [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }));
}

std::string material_name(const Document& document, const Element& primitive) {
    const auto material = primitive.get("material");
    if (!material) return {};
    const std::uint64_t index = material->as_size();
    if (index >= document.count("materials")) {
        material->warn(fmt::format("there is no material {}", index));
        return {};
    }
    const std::string name =
        document.item("materials", static_cast<std::size_t>(index)).text("name");
    return name.empty() ? fmt::format("material-{}", index) : name;
}

}  // namespace

std::optional<Primitive> read_primitive(Buffers& buffers, const Element& element,
                                        const PrimitiveOptions& options) {
    const auto mode_element = element.get("mode");
    const std::uint64_t mode = mode_element ? mode_element->as_size() : 4;
    if (mode > 6) mode_element->fail(fmt::format("is {}, must be 0 to 6", mode));
    if (mode < 4) {
        element.ignore(mode == 0 ? "points are not posed" : "lines are not posed");
        return std::nullopt;
    }
    const Attributes attributes(buffers, element);
    const auto position = attributes.open("POSITION");
    if (!position) {
        element.ignore("has no POSITION");
        return std::nullopt;
    }
    Primitive out;
    out.place = element.place();
    out.material = material_name(buffers.document(), element);
    out.positions = read_positions(buffers, *position);
    read_attributes(buffers, attributes, out);
    read_targets(buffers, element, out);
    const auto indices = read_indices(buffers, element, attributes, out.positions.size());
    make_triangles(static_cast<Mode>(mode), indices, out);
    const bool skinned = options.joint_count != kNone;
    if (skinned)
        out.influences = read_influences(
            buffers, attributes.map(),
            [&](const std::string& name) { return attributes.open(name); }, out.positions.size(),
            options.joint_count);
    note_unread_attributes(attributes, skinned);
    return out;
}

}  // namespace skinpose::gltf
