#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skinpose {

/// Shortest decimal that reads back as the same number (std::to_chars), never locale-dependent.
void append_number(std::string& out, float value);
void append_number(std::string& out, double value);
void append_number(std::string& out, std::uint64_t value);
void append_number(std::string& out, std::int64_t value);

/// Writes JSON in the order it is told: stable keys, always valid, shortest round-trip numbers.
/// Strings that are not UTF-8 get U+FFFD for each broken byte; a number that is not finite (which
/// JSON cannot say) is written as null. Told something that is no JSON (a value without a key in an
/// object, an end without its beginning, a text that is not finished), it throws Error(Bug).
///
///     JsonWriter json;
///     json.begin_object();
///     json.key("vertices").value(std::uint64_t{24});
///     json.end_object();
///     json.text();    // {"vertices": 24} over several lines, two spaces a level
class JsonWriter {
   public:
    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_array();
    JsonWriter& end_array();
    /// Arrays of numbers and such: kept on one line until their end.
    JsonWriter& begin_inline_array();
    JsonWriter& key(std::string_view name);
    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
    JsonWriter& value(bool truth);
    JsonWriter& value(double number);
    JsonWriter& value(float number);
    template <std::integral T>
    requires(!std::same_as<T, bool>) JsonWriter& value(T number) {
        if constexpr (std::signed_integral<T>)
            return integer(static_cast<std::int64_t>(number));
        else
            return integer(static_cast<std::uint64_t>(number));
    }
    JsonWriter& null();

    /// The finished text, ending in a newline.
    [[nodiscard]] std::string text() const;

   private:
    struct Level {
        bool object = false;
        bool inline_items = false;
        bool empty = true;
    };
    JsonWriter& integer(std::uint64_t number);
    JsonWriter& integer(std::int64_t number);
    void item();
    void separate();
    void quote(std::string_view text);
    void open(char bracket, bool inline_items);
    void close(char bracket);

    std::string text_;
    std::vector<Level> levels_;
    bool after_key_ = false;
};

}  // namespace skinpose
