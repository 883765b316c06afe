#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "skinpose/write_mesh.h"
#include "utf8.h"

namespace skinpose {
namespace {

constexpr std::size_t kLongestComponent = 100;

/// `text` with an underscore for each code point (or broken byte) that `forbidden` says yes to.
template <typename Forbidden>
std::string replaced(const std::string& text, const Forbidden& forbidden) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = decode_utf8(text, at);
        if (step.broken || forbidden(step.code_point))
            out += '_';
        else
            out.append(text, at, step.size_bytes);
        at += step.size_bytes;
    }
    return out;
}

bool breaks_token(char32_t c) {
    return is_control_or_format(c) || is_blank(c) || c == '#' || c == '\\';
}

bool breaks_component(char32_t c) {
    constexpr std::u32string_view kReserved = U"/:*?\"<>|";
    return breaks_token(c) || kReserved.find(c) != std::u32string_view::npos;
}

/// Windows takes these for devices in any case and with any ending: `con.obj` is the console.
bool is_dos_device(const std::string& name) {
    std::string stem = name.substr(0, name.find('.'));
    for (char& c : stem)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    constexpr std::array<std::string_view, 7> kDevices = {"CON",    "PRN",     "AUX",   "NUL",
                                                          "CONIN$", "CONOUT$", "CLOCK$"};
    if (std::find(kDevices.begin(), kDevices.end(), stem) != kDevices.end()) return true;
    if (!stem.starts_with("COM") && !stem.starts_with("LPT")) return false;
    const std::string port = stem.substr(3);
    constexpr std::array<std::string_view, 3> kSuperscripts = {"\u00B9", "\u00B2", "\u00B3"};
    return (port.size() == 1 && port[0] >= '0' && port[0] <= '9') ||
           std::find(kSuperscripts.begin(), kSuperscripts.end(), port) != kSuperscripts.end();
}

void cut_at_code_point(std::string& text, std::size_t limit) {
    if (text.size() <= limit) return;
    std::size_t end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
    text.resize(end);
}

}  // namespace

std::string safe_token(const std::string& name, const std::string& fallback) {
    return name.empty() ? fallback : replaced(name, breaks_token);
}

std::string safe_file_component(const std::string& name, const std::string& fallback) {
    if (name.empty()) return fallback;
    std::string out = replaced(name, breaks_component);
    for (std::size_t i = 0; i < out.size() && (out[i] == '.' || out[i] == '-'); ++i) out[i] = '_';
    if (is_dos_device(out)) out.insert(out.begin(), '_');
    cut_at_code_point(out, kLongestComponent);
    // Windows drops dots from the end of a name.
    for (std::size_t i = out.size(); i > 0 && out[i - 1] == '.'; --i) out[i - 1] = '_';
    return out;
}

}  // namespace skinpose
