#include "gltf/document.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <span>

namespace skinpose::gltf {

void Element::fail(const std::string& fact, const std::string& advice) const {
    throw Error(ErrorCode::Input, document_->file(), place_, fact, advice);
}

void Element::fail_at(std::string_view key, const std::string& fact) const {
    throw Error(ErrorCode::Input, document_->file(), place_ + "/" + pointer_token(key), fact);
}

void Element::warn(const std::string& fact) const {
    document_->warnings().push_back({place_, fact});
}
void Element::ignore(const std::string& fact) const {
    document_->ignored().push_back({place_, fact});
}

std::optional<Element> Element::get(std::string_view key) const {
    (void)as_object();
    const Json* member = json_->find(key);
    if (member == nullptr) return std::nullopt;
    return Element(*document_, *member, place_ + "/" + pointer_token(key));
}

Element Element::at(std::string_view key) const {
    auto member = get(key);
    if (!member) fail_at(key, "is required and missing");
    return *member;
}

std::size_t Element::size() const {
    const auto* array = json_->as<Json::Array>();
    if (array == nullptr) fail(fmt::format("must be an array, is {}", json_->type_name()));
    return array->size();
}

Element Element::item(std::size_t i) const {
    return {*document_, (*json_->as<Json::Array>())[i], fmt::format("{}/{}", place_, i)};
}

std::uint64_t Element::as_size() const {
    const auto* number = json_->as<Json::Number>();
    if (number == nullptr)
        fail(fmt::format("must be a whole number of 0 or more, is {}", json_->type_name()));
    if (!number->whole)
        fail(fmt::format("must be a whole number of 0 or more, is {}", number->value));
    return number->integer;
}

double Element::as_number() const {
    const auto* number = json_->as<Json::Number>();
    if (number == nullptr) fail(fmt::format("must be a number, is {}", json_->type_name()));
    return number->value;
}

bool Element::as_boolean() const {
    const auto* truth = json_->as<bool>();
    if (truth == nullptr) fail(fmt::format("must be true or false, is {}", json_->type_name()));
    return *truth;
}

const std::string& Element::as_string() const {
    const auto* text = json_->as<std::string>();
    if (text == nullptr) fail(fmt::format("must be a string, is {}", json_->type_name()));
    return *text;
}

const Json::Object& Element::as_object() const {
    const auto* object = json_->as<Json::Object>();
    if (object == nullptr) fail(fmt::format("must be an object, is {}", json_->type_name()));
    return *object;
}

std::size_t Element::as_index_into(std::string_view list) const {
    const std::uint64_t index = as_size();
    const std::size_t count = document_->count(list);
    if (index >= count) fail(fmt::format("refers to {} {} of {}", list, index, count));
    return static_cast<std::size_t>(index);
}

std::vector<double> Element::as_numbers(std::size_t count) const {
    if (size() != count) fail(fmt::format("must have {} numbers, has {}", count, size()));
    std::vector<double> numbers;
    for (std::size_t i = 0; i < count; ++i) {
        numbers.push_back(item(i).as_number());
        if (std::fabs(numbers.back()) > static_cast<double>(FLT_MAX))
            fail(fmt::format("number {} is {}, beyond the range of a float", i, numbers.back()));
    }
    return numbers;
}

std::string Element::text(std::string_view key) const {
    const auto member = get(key);
    return member ? member->as_string() : std::string();
}

namespace {

constexpr std::uint32_t kJsonChunk = 0x4E4F534A;    // "JSON"
constexpr std::uint32_t kBinaryChunk = 0x004E4942;  // "BIN"

std::uint32_t little_endian(std::span<const std::byte> bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
    return value;
}

std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Document::Document(const std::string& path, std::uint64_t max_memory_bytes)
    : file_(path),
      mapped_(path),
      budget_(std::make_unique<Budget>(path, max_memory_bytes)),
      warnings_(std::make_unique<std::vector<Finding>>()),
      ignored_(std::make_unique<std::vector<Finding>>()) {
    std::string_view text = split_container();
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) {
        warnings_->push_back({"", "the JSON starts with a byte order mark"});
        text.remove_prefix(kByteOrderMark.size());
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw Error(ErrorCode::Input, file_, "", "the file holds no JSON");
    root_ = parse_json(text, file_, *budget_);
    (void)root().as_object();
}

std::string_view Document::split_container() {
    const auto bytes = mapped_.bytes();
    if (bytes.empty()) throw Error(ErrorCode::Input, file_, "", "the file is empty");
    if (bytes.size() >= 4 && std::memcmp(bytes.data(), "glTF", 4) == 0) return split_glb();
    return as_text(bytes);
}

/// glTF 2.0 section 4: a 12-byte header, then chunks of length, type and data.
std::string_view Document::split_glb() {
    const auto fail = [&](const std::string& fact) {
        throw Error(ErrorCode::Input, file_, "", fact);
    };
    auto bytes = mapped_.bytes();
    if (bytes.size() < 12) fail("the GLB header is cut");
    if (const auto version = little_endian(bytes, 4); version != 2)
        fail(fmt::format("GLB version {}, only 2 is read", version));
    const std::size_t length = little_endian(bytes, 8);
    if (length > bytes.size())
        fail(fmt::format("the GLB header says {} bytes, the file has {}", length, bytes.size()));
    if (length < bytes.size())
        warnings_->push_back(
            {"", fmt::format("{} bytes after the GLB's end", bytes.size() - length)});
    bytes = bytes.first(length);
    std::optional<std::string_view> json;
    for (std::size_t at = 12; at < bytes.size();) {
        if (bytes.size() - at < 8) fail("a GLB chunk header is cut");
        const std::size_t size = little_endian(bytes, at);
        const std::uint32_t type = little_endian(bytes, at + 4);
        at += 8;
        if (size > bytes.size() - at)
            fail(fmt::format("a GLB chunk of {} bytes runs past the end ({} left)", size,
                             bytes.size() - at));
        if (size % 4 != 0) fail(fmt::format("a GLB chunk of {} bytes, not a multiple of 4", size));
        if (!json && type != kJsonChunk) fail("the first GLB chunk is not JSON");
        if (!json) {
            json = as_text(bytes.subspan(at, size));
        } else if (type == kJsonChunk) {
            fail("a second JSON chunk in the GLB");
        } else if (type == kBinaryChunk && !binary_) {
            binary_ = bytes.subspan(at, size);
        } else {
            warnings_->push_back(
                {"", fmt::format("a further GLB chunk of {} bytes is left out", size)});
        }
        at += size;
    }
    if (!json) fail("the GLB has no JSON chunk");
    if (const std::size_t end = json->find_last_not_of('\0'); end + 1 < json->size()) {
        warnings_->push_back({"", "the JSON chunk is padded with NUL instead of spaces"});
        json = json->substr(0, end + 1);
    }
    return *json;
}

std::size_t Document::count(std::string_view list) const {
    const auto array = root().get(list);
    if (!array) return 0;
    if (array->size() == 0) array->fail("must not be empty");
    return array->size();
}

Element Document::item(std::string_view list, std::size_t index) const {
    const Element element = root().at(list).item(index);
    (void)element.as_object();
    return element;
}

bool Document::uses_extension(std::string_view name) const {
    for (const std::string_view list : {"extensionsUsed", "extensionsRequired"})
        if (const auto names = root().get(list))
            for (std::size_t i = 0; i < names->size(); ++i)
                if (names->item(i).as_string() == name) return true;
    return false;
}

namespace {

/// Extensions that change where vertices are, and that are read.
constexpr std::array<std::string_view, 3> kPoseExtensions = {
    "KHR_mesh_quantization", "EXT_meshopt_compression", "KHR_draco_mesh_compression"};

/// Extensions that change how a surface looks or what it is called, never where it is.
bool only_changes_looks(std::string_view name) {
    constexpr std::array<std::string_view, 5> kPrefixes = {"KHR_materials_", "KHR_texture_",
                                                           "EXT_texture_", "KHR_lights", "KHR_xmp"};
    constexpr std::array<std::string_view, 4> kNames = {
        "MSFT_texture_dds", "EXT_lights_image_based", "KHR_techniques_webgl", "KHR_audio_emitter"};
    return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                       [&](std::string_view p) { return name.starts_with(p); }) ||
           std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// "major.minor"; false where it is anything else.
bool parse_version(const std::string& text, std::uint64_t& major, std::uint64_t& minor) {
    const std::size_t dot = text.find('.');
    const auto digits = [](std::string_view s) {
        return !s.empty() && s.size() <= 9 &&
               std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    if (dot == std::string::npos) return false;
    if (!digits(text.substr(0, dot)) || !digits(text.substr(dot + 1))) return false;
    major = std::stoull(text.substr(0, dot));
    minor = std::stoull(text.substr(dot + 1));
    return true;
}

void check_version(const Element& asset) {
    std::uint64_t major = 0, minor = 0;
    const Element version = asset.at("version");
    if (!parse_version(version.as_string(), major, minor))
        version.fail(fmt::format("\"{}\" is not a version such as 2.0", version.as_string()));
    if (major != 2) version.fail(fmt::format("glTF {}, only 2.x is read", version.as_string()));
    if (minor != 0) version.warn(fmt::format("glTF {} read as 2.0", version.as_string()));
    if (const auto least = asset.get("minVersion")) {
        if (!parse_version(least->as_string(), major, minor))
            least->fail(fmt::format("\"{}\" is not a version such as 2.0", least->as_string()));
        if (major != 2 || minor != 0)
            least->fail(fmt::format("needs glTF {}, 2.0 is read", least->as_string()));
    }
}

/// A file that cannot do without Draco, and has no compressed primitive, is not whole.
bool any_draco_primitive(const Document& document) {
    for (std::size_t m = 0; m < document.count("meshes"); ++m) {
        const Element primitives = document.item("meshes", m).at("primitives");
        for (std::size_t p = 0; p < primitives.size(); ++p) {
            const auto extensions = primitives.item(p).get("extensions");
            if (extensions && extensions->get("KHR_draco_mesh_compression")) return true;
        }
    }
    return false;
}

}  // namespace

void check_asset_and_extensions(const Document& document) {
    const Element root = document.root();
    check_version(root.at("asset"));
    const auto known = [](std::string_view name) {
        return std::find(kPoseExtensions.begin(), kPoseExtensions.end(), name) !=
                   kPoseExtensions.end() ||
               only_changes_looks(name);
    };
    std::vector<std::string> used;
    if (const auto names = root.get("extensionsUsed"))
        for (std::size_t i = 0; i < names->size(); ++i) {
            used.push_back(names->item(i).as_string());
            if (!known(used.back()))
                names->item(i).ignore(fmt::format(
                    "extension {} is not read; the pose is the one without it", used.back()));
        }
    const auto required = root.get("extensionsRequired");
    if (!required) return;
    if (required->size() == 0) required->warn("is empty");
    for (std::size_t i = 0; i < required->size(); ++i) {
        const Element entry = required->item(i);
        const std::string& name = entry.as_string();
        if (!known(name))
            entry.fail(fmt::format("the file requires extension {}, which is not read", name));
        if (std::find(used.begin(), used.end(), name) == used.end())
            entry.fail(
                fmt::format("extension {} is required but not listed in extensionsUsed", name));
        if (name == "KHR_draco_mesh_compression" && !any_draco_primitive(document))
            entry.fail(
                "the file requires KHR_draco_mesh_compression, but no primitive is compressed by "
                "it");
    }
}

}  // namespace skinpose::gltf
