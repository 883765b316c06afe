#pragma once

#include <vector>

#include "skinpose/json_writer.h"
#include "skinpose/scene.h"

namespace skinpose {

/// `key`: [{place, fact}, ...], as the report and `info --json` both have it.
inline void write_findings(JsonWriter& json, const char* key,
                           const std::vector<Finding>& findings) {
    json.key(key).begin_array();
    for (const Finding& f : findings) {
        json.begin_object();
        json.key("place").value(f.place);
        json.key("fact").value(f.fact);
        json.end_object();
    }
    json.end_array();
}

}  // namespace skinpose
