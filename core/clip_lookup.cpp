#include <algorithm>

#include <fmt/format.h>

#include "skinpose/error.h"
#include "skinpose/read_scene.h"

namespace skinpose {

namespace {

constexpr const char* kAdvice = "choose one with --clip NAME or --clip-index K";

/// The clips as `--clip` takes them, for an error line.
std::string list_clips(const Scene& scene) {
    constexpr std::size_t kMost = 20;
    if (scene.clips.empty()) return "the file has no clips";
    std::string text = "the clips are ";
    for (std::size_t i = 0; i < scene.clips.size() && i < kMost; ++i)
        text += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", printable(scene.clips[i].name, 60));
    if (scene.clips.size() > kMost) text += fmt::format(" and {} more", scene.clips.size() - kMost);
    return text;
}

[[noreturn]] void fail(const Scene& scene, const std::string& fact) {
    throw Error(ErrorCode::Usage, scene.file, "", fact, scene.clips.empty() ? "" : kAdvice);
}

std::vector<std::size_t> clips_named(const Scene& scene, const std::string& name) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < scene.clips.size(); ++i)
        if (scene.clips[i].name == name) found.push_back(i);
    return found;
}

/// Plain digits as a number; kNone for anything else, or for one too large to be an index.
std::size_t digits_value(const std::string& text) {
    const bool digits =
        !text.empty() && text.size() <= 9 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    return digits ? static_cast<std::size_t>(std::stoul(text)) : kNone;
}

std::string alternatives(const std::string& name, std::size_t count) {
    std::string text;
    for (std::size_t k = 0; k < count && k < 20; ++k)
        text += fmt::format("{}\"{}#{}\"", k == 0 ? "" : ", ", printable(name, 60), k);
    return text;
}

}  // namespace

std::size_t find_clip(const Scene& scene, const std::string& name) {
    const std::vector<std::size_t> exact = clips_named(scene, name);
    if (exact.size() == 1) return exact[0];
    if (exact.size() > 1)
        throw Error(ErrorCode::Usage, scene.file, "",
                    fmt::format("{} clips are called \"{}\"", exact.size(), printable(name, 60)),
                    "choose " + alternatives(name, exact.size()));
    if (const std::size_t hash = name.rfind('#'); hash != std::string::npos) {
        const std::vector<std::size_t> same = clips_named(scene, name.substr(0, hash));
        const std::size_t k = digits_value(name.substr(hash + 1));
        if (k < same.size()) return same[k];
        if (!same.empty() && k != kNone)
            fail(scene, fmt::format("there is no \"{}\", {} clips have that name; {}",
                                    printable(name, 60), same.size(), list_clips(scene)));
    }
    if (const std::size_t index = digits_value(name); index < scene.clips.size()) return index;
    fail(scene,
         fmt::format("no clip is called \"{}\"; {}", printable(name, 60), list_clips(scene)));
}

std::size_t find_clip_index(const Scene& scene, std::size_t index) {
    if (index < scene.clips.size()) return index;
    fail(scene, fmt::format("there is no clip {}, the file has {}; {}", index, scene.clips.size(),
                            list_clips(scene)));
}

}  // namespace skinpose
