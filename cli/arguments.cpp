#include "arguments.h"

#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "skinpose/error.h"

namespace skinpose::cli {

namespace {

[[noreturn]] void fail(const std::string& option, const std::string& text,
                       const std::string& wanted) {
    throw Error(ErrorCode::Usage, "", "",
                fmt::format("{} \"{}\" is not {}", option, printable(text, 80), wanted));
}

/// The whole of `text` as a finite number; never by locale.
std::optional<double> parse_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::vector<double> parse_list(const std::string& text) {
    std::vector<double> numbers;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const auto number = parse_number(std::string_view(text).substr(at, comma - at));
        if (!number) return {};
        numbers.push_back(*number);
        at = comma + 1;
    }
    return numbers;
}

}  // namespace

double TimeArgument::seconds(const Clip& clip) const {
    return percent ? clip.duration_s * value / 100.0 : value;
}

TimeArgument parse_time(const std::string& text, const std::string& option) {
    const bool percent = text.ends_with('%');
    const auto number =
        parse_number(std::string_view(text).substr(0, text.size() - (percent ? 1 : 0)));
    if (!number) fail(option, text, "a time such as 0.5 (seconds) or 50%");
    return {*number, percent};
}

BlendArgument parse_blend(const std::string& text) {
    constexpr const char* kWanted = "CLIP:T:MIX, such as walk:0.5:0.25";
    const std::size_t second = text.rfind(':');
    if (second == std::string::npos || second == 0) fail("--blend", text, kWanted);
    const std::size_t first = text.rfind(':', second - 1);
    if (first == std::string::npos) fail("--blend", text, kWanted);
    const auto mix = parse_number(std::string_view(text).substr(second + 1));
    if (!mix) fail("--blend", text, kWanted);
    return {text.substr(0, first),
            parse_time(text.substr(first + 1, second - first - 1), "--blend"), *mix};
}

std::optional<std::size_t> parse_count_or_all(const std::string& text, const std::string& option,
                                              std::size_t least) {
    if (text == "all") return std::nullopt;
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least)
        fail(option, text, fmt::format("a whole number from {}, or all", least));
    return value;
}

Mat4 parse_placement(const std::string& text) {
    const std::vector<double> n = parse_list(text);
    Mat4 m = Mat4::Identity();
    if (n.size() == 3 || n.size() == 4) {
        for (int i = 0; i < 3; ++i) {
            m(i, 3) = n[static_cast<std::size_t>(i)];
            if (n.size() == 4) m(i, i) = n[3];
        }
        return m;
    }
    if (n.size() != 16)
        fail("--place", text, "TX,TY,TZ or TX,TY,TZ,SCALE or 16 numbers row by row");
    for (int i = 0; i < 16; ++i) m(i / 4, i % 4) = n[static_cast<std::size_t>(i)];
    if (m(3, 0) != 0.0 || m(3, 1) != 0.0 || m(3, 2) != 0.0 || m(3, 3) != 1.0)
        fail("--place", text, "an affine matrix row by row: its last four numbers must be 0,0,0,1");
    return m;
}

}  // namespace skinpose::cli
