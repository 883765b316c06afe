#pragma once

#include <cstddef>
#include <string_view>

namespace skinpose {

/// One step through UTF-8 text. `broken`: the byte begins no code point (RFC 3629: no overlong
/// form, no surrogate, nothing beyond U+10FFFF); it then stands alone, its value is the byte.
struct Utf8Step {
    char32_t code_point = 0;
    std::size_t size_bytes = 1;
    bool broken = false;
};

/// Decodes the code point at `at`, which is less than the text's size.
inline Utf8Step decode_utf8(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const char32_t first = byte(at);
    if (first < 0x80) return {first, 1, false};
    const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() - at < size) return {first, 1, true};
    char32_t value = first & (size == 2 ? 0x1FU : size == 3 ? 0x0FU : 0x07U);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80) return {first, 1, true};
        value = (value << 6) | (byte(at + i) & 0x3FU);
    }
    const bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
    if (overlong || (value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF)
        return {first, 1, true};
    return {value, size, false};
}

/// C0, DEL and C1 controls; line and paragraph separators; marks that are not seen or that turn the
/// reading direction; noncharacters. None of them belongs in a name that is shown.
inline bool is_control_or_format(char32_t c) {
    const auto within = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
    return c < 0x20 || within(0x7F, 0x9F) || c == 0xAD || c == 0x61C || c == 0x180E ||
           within(0x200B, 0x200F) || within(0x2028, 0x202E) || within(0x2060, 0x206F) ||
           within(0xFDD0, 0xFDEF) || c == 0xFEFF || within(0xFFF9, 0xFFFB) ||
           within(0xE0000, 0xE007F) || (c & 0xFFFE) == 0xFFFE;
}

/// Every blank that some reader splits words at (category Zs, and the ASCII ones).
inline bool is_blank(char32_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}

}  // namespace skinpose
