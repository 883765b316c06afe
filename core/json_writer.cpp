#include "skinpose/json_writer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "skinpose/error.h"
#include "utf8.h"

namespace skinpose {
namespace {

template <typename Number>
void append_shortest(std::string& out, Number value) {
    std::array<char, 64> digits;  // the longest is -1.7976931348623157e+308
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
}

template <typename Real>
void append_json_real(std::string& out, Real value) {
    if (!std::isfinite(value))
        out += "null";
    else if (value == 0 && std::signbit(value))
        out += "-0.0";  // "-0" is an integer to most parsers, and loses its sign
    else
        append_shortest(out, value);
}

void require(bool holds, const char* rule) {
    if (!holds) throw Error(ErrorCode::Bug, {}, {}, fmt::format("JSON written wrongly: {}", rule));
}

void append_escaped(std::string& out, char32_t c) {
    const auto unit = [&](char32_t value) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(value));
    };
    if (c > 0xFFFF) {
        unit(0xD800 + ((c - 0x10000) >> 10));
        unit(0xDC00 + ((c - 0x10000) & 0x3FF));
    } else {
        unit(c);
    }
}

}  // namespace

void append_number(std::string& out, float value) { append_shortest(out, value); }
void append_number(std::string& out, double value) { append_shortest(out, value); }
void append_number(std::string& out, std::uint64_t value) { append_shortest(out, value); }
void append_number(std::string& out, std::int64_t value) { append_shortest(out, value); }

JsonWriter& JsonWriter::begin_object() {
    open('{', false);
    return *this;
}

JsonWriter& JsonWriter::end_object() {
    close('}');
    return *this;
}

JsonWriter& JsonWriter::begin_array() {
    open('[', false);
    return *this;
}

JsonWriter& JsonWriter::end_array() {
    close(']');
    return *this;
}

JsonWriter& JsonWriter::begin_inline_array() {
    open('[', true);
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    require(!levels_.empty() && levels_.back().object, "a key outside an object");
    require(!after_key_, "a key where a value belongs");
    separate();
    quote(name);
    text_ += ": ";
    after_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    item();
    quote(text);
    return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
    item();
    text_ += truth ? "true" : "false";
    return *this;
}

JsonWriter& JsonWriter::value(double number) {
    item();
    append_json_real(text_, number);
    return *this;
}

JsonWriter& JsonWriter::value(float number) {
    item();
    append_json_real(text_, number);
    return *this;
}

JsonWriter& JsonWriter::null() {
    item();
    text_ += "null";
    return *this;
}

JsonWriter& JsonWriter::integer(std::uint64_t number) {
    item();
    append_shortest(text_, number);
    return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
    item();
    append_shortest(text_, number);
    return *this;
}

std::string JsonWriter::text() const {
    require(levels_.empty() && !text_.empty(), "text asked for before its end");
    return text_ + "\n";
}

/// Before every value: the comma and the line break, or nothing after a key.
void JsonWriter::item() {
    if (levels_.empty()) {
        require(text_.empty(), "a second value at the top");
    } else if (levels_.back().object) {
        require(after_key_, "a value without a key");
    } else {
        separate();
    }
    after_key_ = false;
}

void JsonWriter::separate() {
    Level& level = levels_.back();
    if (!level.empty) text_ += ',';
    if (!level.inline_items)
        text_.append("\n").append(2 * levels_.size(), ' ');
    else if (!level.empty)
        text_ += ' ';
    level.empty = false;
}

void JsonWriter::open(char bracket, bool inline_items) {
    item();
    // What lies within a line stays on it.
    const bool on_one_line = inline_items || (!levels_.empty() && levels_.back().inline_items);
    levels_.push_back({bracket == '{', on_one_line, true});
    text_ += bracket;
}

void JsonWriter::close(char bracket) {
    require(!levels_.empty() && levels_.back().object == (bracket == '}') && !after_key_,
            "an end that does not fit its beginning");
    const Level level = levels_.back();
    levels_.pop_back();
    if (!level.empty && !level.inline_items) text_.append("\n").append(2 * levels_.size(), ' ');
    text_ += bracket;
}

void JsonWriter::quote(std::string_view text) {
    text_ += '"';
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = decode_utf8(text, at);
        const char32_t c = step.code_point;
        if (step.broken)
            text_ += "\uFFFD";
        else if (c == '"' || c == '\\')
            text_.append("\\").append(1, static_cast<char>(c));
        else if (c == '\n')
            text_ += "\\n";
        else if (c == '\t')
            text_ += "\\t";
        else if (is_control_or_format(c))
            append_escaped(text_, c);
        else
            text_.append(text, at, step.size_bytes);
        at += step.size_bytes;
    }
    text_ += '"';
}

}  // namespace skinpose
