#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skinpose::gltf {

/// Why a URI is not usable, as a fact for an error line; the value otherwise.
template <typename T>
struct OrReason {
    std::optional<T> value;
    std::string reason;
};

/// True for `data:`, in any case.
bool is_data_uri(std::string_view uri);

/// Bytes of a data URI (RFC 2397): base64 (RFC 4648, standard alphabet, `=` optional) or
/// percent-encoded.
OrReason<std::vector<std::byte>> decode_data_uri(std::string_view uri);

/// %XX decoded; `+` stays. Refuses bad escapes and NUL.
OrReason<std::string> percent_decode(std::string_view text);

/// Path of a buffer that `uri` names, relative to the folder of `asset_path`: percent-decoded, no
/// scheme, no backslash. Unless `allow_outside`, also not absolute, and after `..` and symbolic
/// links are resolved it must lie below the asset's own folder.
OrReason<std::string> resolve_buffer_path(std::string_view uri, const std::string& asset_path,
                                          bool allow_outside);

}  // namespace skinpose::gltf
