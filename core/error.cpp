#include "skinpose/error.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "utf8.h"

namespace skinpose {
namespace {

// Longer than any path that the system takes, and than any list of clips worth reading.
constexpr std::size_t kFileLimit = 4096;
constexpr std::size_t kPartLimit = 16384;

void append_part(std::string& line, const std::string& part, std::size_t limit) {
    if (part.empty()) return;
    if (!line.empty()) line += ": ";
    line += printable(part, limit);
}

}  // namespace

Error::Error(ErrorCode code, std::string file, std::string place, std::string fact,
             std::string advice)
    : code_(code), file_(std::move(file)), place_(std::move(place)), fact_(std::move(fact)) {
    append_part(line_, file_, kFileLimit);
    append_part(line_, place_, kPartLimit);
    append_part(line_, fact_, kPartLimit);
    append_part(line_, advice, kPartLimit);
}

std::string printable(const std::string& text, std::size_t limit) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = decode_utf8(text, at);
        std::string piece;
        if (step.broken || step.code_point < 0x20 || step.code_point == 0x7F)
            piece = fmt::format("\\x{:02x}", static_cast<std::uint32_t>(step.code_point));
        else if (is_control_or_format(step.code_point))
            piece = fmt::format("\\u{{{:04x}}}", static_cast<std::uint32_t>(step.code_point));
        else
            piece = text.substr(at, step.size_bytes);
        if (out.size() + piece.size() > limit) return out + "...";
        out += piece;
        at += step.size_bytes;
    }
    return out;
}

}  // namespace skinpose
