#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gltf/budget.h"

namespace skinpose::gltf {

/// A parsed JSON value. Objects keep the order of the file and have no key twice.
struct Json {
    struct Number {
        double value = 0.0;
        std::uint64_t integer = 0;
        bool whole = false;  ///< `integer` is the value exactly: no sign, no fraction, below 2^64
    };
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;

    std::variant<std::nullptr_t, bool, Number, std::string, Array, Object> value = nullptr;

    template <typename T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&value);
    }
    /// The member `key`, or null where this is no object or has none.
    [[nodiscard]] const Json* find(std::string_view key) const;
    /// "an object", "a number", ... for messages.
    [[nodiscard]] const char* type_name() const;
};

/// Arrays and objects inside one another deeper than this are refused.
inline constexpr std::size_t kMaxJsonDepth = 512;

/// Parses one JSON text of a file called `file`. Throws Error(Input) with the JSON pointer of the
/// fault, for anything but RFC 8259 (comments, NaN, trailing commas, bytes that are not UTF-8), for
/// a key twice in an object, for a number beyond double, for too much depth. Values are charged.
Json parse_json(std::string_view text, const std::string& file, Budget& budget);

/// `key` as one reference token of a JSON pointer (RFC 6901).
std::string pointer_token(std::string_view key);

}  // namespace skinpose::gltf
