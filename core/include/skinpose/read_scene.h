#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "skinpose/scene.h"

namespace skinpose {

struct ReadOptions {
    /// Which scene. None: the file's default, else scene 0, else every root.
    std::optional<std::size_t> scene;
    bool all_scenes = false;           ///< the roots of every scene, in order, each once
    bool allow_outside_files = false;  ///< buffers may lie outside the asset's folder
    bool read_unused_meshes = false;   ///< also meshes that no node of the scene uses
    /// What the reader may hold beyond the mapped files; everything a small file can inflate is
    /// charged before it is allocated.
    std::uint64_t max_memory_bytes = std::uint64_t{4} << 30;
};

/// Reads a .gltf or .glb (told apart by the first four bytes). Throws Error(Input) with the JSON
/// pointer where the file is not valid or leaves the pose undefined, Error(Usage) for a scene that
/// does not exist. What is accepted and odd, or left out, is in the returned scene's findings.
Scene read_scene(const std::string& path, const ReadOptions& options = {});

/// Index of the clip that `name` means (docs: README, "Which clip"): an exact name; `NAME#K`, the
/// K-th of that name; plain digits, where no clip is so called, the index. Throws Error(Usage) that
/// lists the clips, or `NAME#0`, `NAME#1` where several have the name.
std::size_t find_clip(const Scene& scene, const std::string& name);

/// As above for an index. Throws Error(Usage) that lists the clips.
std::size_t find_clip_index(const Scene& scene, std::size_t index);

}  // namespace skinpose
