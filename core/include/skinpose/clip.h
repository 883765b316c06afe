#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "skinpose/math.h"

namespace skinpose {

/// A rotation whose squared length is off by no more than this is within float rounding of a unit
/// one.
inline constexpr double kRotationLengthTolerance = 1e-6;

enum class Interpolation { Step, Linear, CubicSpline };
enum class ChannelPath { Translation, Rotation, Scale, Weights };

/// Keys of one animated property. Values are double because normalised integers have no exact
/// float.
struct Sampler {
    Interpolation interpolation = Interpolation::Linear;
    std::vector<float> times_s;  ///< never decreasing, finite, at least one
    std::size_t components = 0;  ///< 3, 4 (rotation, x y z w), or the number of morph targets
    /// Per key `components` values; for CubicSpline in-tangent, value, out-tangent.
    std::vector<double> values;
};

/// One sampler at work on one node.
struct Channel {
    std::size_t node = 0;  ///< index into Scene::nodes
    ChannelPath path = ChannelPath::Translation;
    std::size_t sampler = 0;  ///< index into Clip::samplers
    std::string place;        ///< JSON pointer
};

struct Clip {
    std::string name;  ///< "animation-N" where the file has none
    std::vector<Sampler> samplers;
    std::vector<Channel> channels;  ///< no two with the same node and path
    double start_s = 0.0;           ///< first key of any channel; a float's value, as the next
    double duration_s = 0.0;        ///< last key of any channel, from the file's own zero
    /// Rotation channels with a key whose |length^2 - 1| > 1e-6, normalised where it is used.
    std::size_t normalized_rotation_channels = 0;
    double largest_rotation_length_error = 0.0;  ///< | |q| - 1 | of the worst such key
};

/// The sampler's value at `time_s`, exactly as glTF 2.0 appendix C gives it: STEP holds, LINEAR
/// lerps (slerps between the normalised keys when `rotation`), CUBICSPLINE is the Hermite spline of
/// the keys as stored (normalised when `rotation`, no sign flipped). Clamped to the first and last
/// key. A time that rounds to a key's float is that key (of two at one time the later, at the very
/// start the first), and the result is then the key bit for bit; only a rotation whose |length^2 -
/// 1| is beyond kRotationLengthTolerance is normalised. Key search is a bisection. `out` takes
/// `components` values. Allocates nothing.
void sample_sampler(const Sampler& sampler, double time_s, bool rotation, std::span<double> out);

/// What an engine that bakes at `rate_hz` would show: the sampler's exact value at the two points
/// k / rate_hz around `time_s` (the clip's end closes the grid), lerped (slerped) between them.
/// `scratch` takes `components` values.
void sample_resampled(const Sampler& sampler, double time_s, bool rotation, double rate_hz,
                      double clip_end_s, std::span<double> out, std::span<double> scratch);

}  // namespace skinpose
