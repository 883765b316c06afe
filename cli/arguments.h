#pragma once

#include <optional>
#include <string>

#include "skinpose/posed_mesh.h"

/// Option values as text to what they mean. Each throws Error(Usage) that shows what is expected.
namespace skinpose::cli {

/// A time: seconds, or a share of the clip's duration such as "50%".
struct TimeArgument {
    double value = 0.0;
    bool percent = false;

    [[nodiscard]] double seconds(const Clip& clip) const;
};
TimeArgument parse_time(const std::string& text, const std::string& option);

/// "CLIP:T:MIX", split from the right; an empty CLIP is the rest pose.
struct BlendArgument {
    std::string clip;
    TimeArgument time;
    double mix = 0.0;
};
BlendArgument parse_blend(const std::string& text);

/// "all", or a whole number from `least`.
std::optional<std::size_t> parse_count_or_all(const std::string& text, const std::string& option,
                                              std::size_t least);

/// "TX,TY,TZ", "TX,TY,TZ,SCALE", or the 16 numbers of an affine matrix, row by row.
Mat4 parse_placement(const std::string& text);

}  // namespace skinpose::cli
