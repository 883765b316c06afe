#include <draco/compression/decode.h>

#include "gltf/compression.h"

namespace skinpose::gltf {

namespace {

Component component_of(const draco::PointAttribute& attribute, const Element& id) {
    switch (attribute.data_type()) {
        case draco::DT_INT8:
            return Component::Byte;
        case draco::DT_UINT8:
        case draco::DT_BOOL:
            return Component::UnsignedByte;
        case draco::DT_INT16:
            return Component::Short;
        case draco::DT_UINT16:
            return Component::UnsignedShort;
        case draco::DT_UINT32:
            return Component::UnsignedInt;
        case draco::DT_FLOAT32:
            return Component::Float;
        default:
            id.fail(
                fmt::format("Draco data type {} has no place in glTF", int{attribute.data_type()}));
    }
}

/// One attribute's values, a vertex after the other, as an accessor that says what they are.
Accessor attribute_accessor(Buffers& buffers, const draco::Mesh& mesh, const Element& id,
                            const Element& declared_index) {
    const draco::PointAttribute* attribute =
        mesh.GetAttributeByUniqueId(static_cast<std::uint32_t>(id.as_size()));
    if (attribute == nullptr)
        id.fail(fmt::format("the compressed mesh has no attribute {}", id.as_size()));
    Accessor accessor = open_accessor(buffers, declared_index, AccessorUse::VertexAttribute);
    if (accessor.count != mesh.num_points())
        accessor.fail(fmt::format("has count {}, the compressed mesh {} vertices", accessor.count,
                                  mesh.num_points()));
    const Component stored = component_of(*attribute, id);
    if (attribute->num_components() != accessor.components)
        id.fail(fmt::format("has {} components, its accessor says {}",
                            int{attribute->num_components()}, accessor.components));
    if (accessor.normalized && stored != accessor.component)
        id.fail(fmt::format("is {}, its accessor says {}", name_of(stored),
                            name_of(accessor.component)));
    accessor.component = stored;
    accessor.stride = accessor.components * size_of(stored);
    buffers.document().budget().charge(accessor.count, accessor.stride, id.place());
    accessor.storage = std::make_shared<std::vector<std::byte>>(accessor.count * accessor.stride);
    for (std::uint32_t v = 0; v < mesh.num_points(); ++v)
        attribute->GetMappedValue(draco::PointIndex(v),
                                  accessor.storage->data() + v * accessor.stride);
    accessor.bytes = *accessor.storage;
    return accessor;
}

}  // namespace

DracoPrimitive decode_draco(Buffers& buffers, const Element& primitive, const Element& extension) {
    const Element view_index = extension.at("bufferView");
    const BufferView view = buffers.view(view_index.as_index_into("bufferViews"));
    draco::DecoderBuffer source;
    source.Init(reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size());
    const auto type = draco::Decoder::GetEncodedGeometryType(&source);
    if (!type.ok() || type.value() != draco::TRIANGULAR_MESH)
        view_index.fail("does not hold a Draco triangle mesh");
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&source);
    if (!decoded.ok())
        view_index.fail("the Draco data is broken: " +
                        printable(decoded.status().error_msg_string()));
    const draco::Mesh& mesh = *decoded.value();

    DracoPrimitive out;
    out.vertex_count = mesh.num_points();
    buffers.document().budget().charge(mesh.num_faces(), 12, extension.place());
    for (std::uint32_t f = 0; f < mesh.num_faces(); ++f)
        for (const draco::PointIndex& corner : mesh.face(draco::FaceIndex(f))) {
            if (corner.value() >= mesh.num_points())
                view_index.fail("a Draco face refers beyond its vertices");
            out.indices.push_back(corner.value());
        }
    if (const auto indices = primitive.get("indices")) {
        const Accessor declared = open_accessor(buffers, *indices, AccessorUse::Other);
        if (declared.count != out.indices.size())
            declared.fail(fmt::format("has count {}, the compressed mesh {} indices",
                                      declared.count, out.indices.size()));
    }
    const Element attributes = primitive.at("attributes");
    for (const auto& [name, id] : extension.at("attributes").as_object()) {
        const Element id_element = *extension.at("attributes").get(name);
        const auto declared = attributes.get(name);
        if (!declared) id_element.fail("the primitive has no such attribute");
        out.attributes.emplace(name, attribute_accessor(buffers, mesh, id_element, *declared));
    }
    return out;
}

}  // namespace skinpose::gltf
