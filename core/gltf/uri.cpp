#include "gltf/uri.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>

namespace skinpose::gltf {

namespace {

namespace fs = std::filesystem;

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

constexpr std::array<signed char, 256> base64_values() {
    std::array<signed char, 256> values{};
    for (auto& v : values) v = -1;
    signed char next = 0;
    for (char c = 'A'; c <= 'Z'; ++c) values[static_cast<unsigned char>(c)] = next++;
    for (char c = 'a'; c <= 'z'; ++c) values[static_cast<unsigned char>(c)] = next++;
    for (char c = '0'; c <= '9'; ++c) values[static_cast<unsigned char>(c)] = next++;
    values[static_cast<unsigned char>('+')] = next++;
    values[static_cast<unsigned char>('/')] = next;
    return values;
}

OrReason<std::vector<std::byte>> decode_base64(std::string_view text) {
    static constexpr auto kValues = base64_values();
    for (int i = 0;
         i < 2 && !text.empty() && text.back() == '=' && text.size() % 4 == (i == 0 ? 0u : 3u); ++i)
        text.remove_suffix(1);
    if (text.size() % 4 == 1) return {std::nullopt, "the base64 text is cut"};
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const int value = kValues[static_cast<unsigned char>(c)];
        if (value < 0)
            return {std::nullopt, "the base64 text holds a character that is not base64"};
        bits = (bits << 6) | static_cast<std::uint32_t>(value);
        if (++count % 4 == 0)
            for (int shift = 16; shift >= 0; shift -= 8)
                bytes.push_back(static_cast<std::byte>((bits >> shift) & 0xff));
    }
    if (count % 4 >= 2)
        bytes.push_back(static_cast<std::byte>((bits >> (count % 4 == 2 ? 4 : 10)) & 0xff));
    if (count % 4 == 3) bytes.push_back(static_cast<std::byte>((bits >> 2) & 0xff));
    return {std::move(bytes), {}};
}

/// "scheme:" at the front, RFC 3986 section 3.1; a drive letter looks the same.
bool has_scheme(std::string_view uri) {
    const std::size_t colon = uri.find(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    return std::all_of(
        uri.begin(), uri.begin() + static_cast<std::ptrdiff_t>(colon),
        [](unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.'; });
}

/// `text` starts with `lower`, which is in lower case.
bool starts_with_any_case(std::string_view text, std::string_view lower) {
    return text.size() >= lower.size() &&
           std::equal(lower.begin(), lower.end(), text.begin(), [](char a, char b) {
               return a == std::tolower(static_cast<unsigned char>(b));
           });
}

bool lies_below(const fs::path& path, const fs::path& folder) {
    const fs::path relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != ".." && relative != ".";
}

}  // namespace

bool is_data_uri(std::string_view uri) { return starts_with_any_case(uri, "data:"); }

OrReason<std::vector<std::byte>> decode_data_uri(std::string_view uri) {
    const std::size_t comma = uri.find(',');
    if (comma == std::string_view::npos) return {std::nullopt, "the data URI has no comma"};
    constexpr std::string_view kBase64 = ";base64";  // in any case, as the scheme
    const std::string_view head = uri.substr(0, comma), body = uri.substr(comma + 1);
    if (head.size() >= kBase64.size() &&
        starts_with_any_case(head.substr(head.size() - kBase64.size()), kBase64)) {
        if (body.find('%') == std::string_view::npos) return decode_base64(body);
        const auto text = percent_decode(body);
        if (!text.value) return {std::nullopt, text.reason};
        return decode_base64(*text.value);
    }
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (body[i] != '%') {
            bytes.push_back(static_cast<std::byte>(body[i]));
            continue;
        }
        const int high = i + 2 < body.size() ? hex_digit(body[i + 1]) : -1;
        const int low = i + 2 < body.size() ? hex_digit(body[i + 2]) : -1;
        if (high < 0 || low < 0) return {std::nullopt, "the data URI has a broken percent escape"};
        bytes.push_back(static_cast<std::byte>(high * 16 + low));
        i += 2;
    }
    return {std::move(bytes), {}};
}

OrReason<std::string> percent_decode(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0) return {std::nullopt, "the URI has a broken percent escape"};
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    if (out.find('\0') != std::string::npos) return {std::nullopt, "the URI has a NUL in it"};
    return {std::move(out), {}};
}

OrReason<std::string> resolve_buffer_path(std::string_view uri, const std::string& asset_path,
                                          bool allow_outside) {
    if (uri.empty()) return {std::nullopt, "the URI is empty"};
    if (has_scheme(uri))
        return {std::nullopt, "the URI has a scheme; only relative files and data: are read"};
    const auto decoded = percent_decode(uri);
    if (!decoded.value) return decoded;
    if (decoded.value->find('\\') != std::string::npos)
        return {std::nullopt, "the URI has a backslash"};
    const fs::path relative(*decoded.value);
    constexpr const char* kOutside =
        "the file lies outside the asset's folder: --allow-outside-files reads it";
    if (relative.is_absolute() && !allow_outside)
        return {std::nullopt, "the path is absolute: --allow-outside-files reads it"};
    fs::path folder = fs::path(asset_path).parent_path();
    if (folder.empty()) folder = ".";
    const fs::path path = folder / relative;
    if (allow_outside) return {path.string(), {}};
    if (!lies_below(path.lexically_normal(), folder.lexically_normal()))
        return {std::nullopt, kOutside};
    std::error_code error;
    const fs::path real_folder = fs::canonical(folder, error);
    if (error) return {std::nullopt, "the asset's folder cannot be resolved: " + error.message()};
    const fs::path real = fs::canonical(path, error);
    if (error) return {std::nullopt, "the file cannot be opened (" + error.message() + ")"};
    if (!lies_below(real, real_folder)) return {std::nullopt, kOutside};
    return {real.string(), {}};
}

}  // namespace skinpose::gltf
