#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace skinpose {

/// The joints and weights of every vertex of one primitive, flat: vertex v owns the slots
/// [v * width, (v + 1) * width), heaviest first, on equal weights the lower joint first, unused
/// slots at the end with joint 0 and weight 0. No joint twice in a vertex.
struct InfluenceTable {
    std::size_t vertex_count = 0;
    std::size_t width = 0;              ///< slots per vertex; 0 where nothing is weighted
    std::vector<std::uint16_t> joints;  ///< index into the skin's joints
    std::vector<float> weights;         ///< >= 0, finite
};

/// Everything a primitive says about its influences: all sets merged, nothing capped or rescaled.
struct VertexInfluences {
    InfluenceTable all;
    /// The weights of `all` before rounding to float; filled only where a set has normalised
    /// integers, which have no exact float.
    std::vector<double> exact_weights;
    /// Per vertex, the sum over all sets before merging. Normalised integers are summed as integers
    /// and divided once, so 255/255 is exactly 1.
    std::vector<double> weight_sums;
    std::size_t sets = 0;  ///< JOINTS_n/WEIGHTS_n pairs in the file
    /// weighted slots added to an earlier slot of the same joint
    std::size_t duplicate_joints = 0;
    /// Slots of weight 0 whose joint index the skin does not have (a common exporter habit).
    std::size_t unused_out_of_range_joints = 0;
};

/// One raw set, as `merge_influences` takes it: four slots per vertex.
struct InfluenceSet {
    std::vector<std::uint16_t> joints;
    std::vector<float> weights;           ///< normalised integers already divided
    std::vector<std::uint16_t> integers;  ///< the integers themselves; empty for float weights
    std::uint16_t integer_one = 0;        ///< 255 or 65535 for normalised integers, else 0
};

/// Merges all sets of a primitive: the same joint twice in a vertex is added up (and counted), then
/// slots go heaviest first, ties to the lower joint.
/// Preconditions: every set has 4 * vertex_count slots; weights are finite and not negative.
VertexInfluences merge_influences(std::size_t vertex_count, std::span<const InfluenceSet> sets);

inline constexpr std::size_t kAllInfluences = std::numeric_limits<std::size_t>::max();

struct InfluenceOptions {
    std::size_t max_influences = 4;  ///< kAllInfluences keeps every one
    bool renormalize = true;         ///< kept weights are rescaled to sum to 1
};

/// What `cap_influences` had to drop or rescale. Counted over all vertices of the primitive.
struct InfluenceReport {
    std::size_t discarded_influences = 0;         ///< loss: weighted influences beyond the cap
    double largest_discarded_weight = 0.0;        ///< loss: as the file has it, before rescaling
    double worst_weight_sum_error = 0.0;          ///< |sum - 1|, all sets, weighted vertices only
    std::size_t unweighted_vertices = 0;          ///< vertices whose weights sum to 0
    std::vector<std::uint32_t> capped_vertices;   ///< where the cap bit, ascending
    std::vector<std::uint32_t> off_sum_vertices;  ///< weighted vertices whose sum is not exactly 1
};

/// Keeps the `max_influences` heaviest of each vertex. Where the cap bit, the kept weights are
/// rescaled to sum to 1 whatever `renormalize` says; elsewhere only if it is set. Rescaling happens
/// here, once, in double, rounded once to float, so that every backend reads the same floats; a
/// vertex whose weights already sum to exactly 1 is left bit for bit. Nothing is dropped uncounted.
InfluenceTable cap_influences(const VertexInfluences& influences, const InfluenceOptions& options,
                              InfluenceReport& report);

}  // namespace skinpose
