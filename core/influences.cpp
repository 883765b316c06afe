#include "skinpose/influences.h"

#include <algorithm>
#include <cmath>

namespace skinpose {

namespace {

struct Slot {
    std::uint16_t joint;
    double weight;
};

double slot_weight(const InfluenceSet& set, std::size_t i) {
    if (set.integer_one == 0) return static_cast<double>(set.weights[i]);
    return static_cast<double>(set.integers[i]) / static_cast<double>(set.integer_one);
}

/// Sum of a vertex's weights over all sets; normalised integers as integers, divided once a type.
double sum_of_weights(std::span<const InfluenceSet> sets, std::size_t vertex) {
    std::uint64_t bytes = 0, shorts = 0;
    double sum = 0.0;
    for (const InfluenceSet& set : sets)
        for (std::size_t i = 4 * vertex; i < 4 * vertex + 4; ++i) {
            if (set.integer_one == 255)
                bytes += set.integers[i];
            else if (set.integer_one == 65535)
                shorts += set.integers[i];
            else
                sum += static_cast<double>(set.weights[i]);
        }
    return sum + static_cast<double>(bytes) / 255.0 + static_cast<double>(shorts) / 65535.0;
}

/// Adds up repeated joints in `slots` (order of first to last slot kept within a joint), then sorts
/// heaviest first. Returns how many slots were added to another.
std::size_t merge_slots(std::vector<Slot>& slots) {
    std::stable_sort(slots.begin(), slots.end(),
                     [](const Slot& a, const Slot& b) { return a.joint < b.joint; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (kept > 0 && slots[kept - 1].joint == slots[i].joint)
            slots[kept - 1].weight += slots[i].weight;
        else
            slots[kept++] = slots[i];
    }
    const std::size_t merged = slots.size() - kept;
    slots.resize(kept);
    std::stable_sort(slots.begin(), slots.end(),
                     [](const Slot& a, const Slot& b) { return a.weight > b.weight; });
    return merged;
}

std::size_t weighted_slots(const InfluenceTable& table, std::size_t vertex) {
    std::size_t n = 0;
    while (n < table.width && table.weights[vertex * table.width + n] > 0.0f) ++n;
    return n;
}

}  // namespace

VertexInfluences merge_influences(std::size_t vertex_count, std::span<const InfluenceSet> sets) {
    VertexInfluences out;
    out.sets = sets.size();
    out.weight_sums.resize(vertex_count);
    out.all.vertex_count = vertex_count;
    std::vector<Slot> slots;
    std::vector<Slot> merged;                     // all vertices' slots, one after the other
    std::vector<std::size_t> ends(vertex_count);  // where each vertex's end in `merged`
    bool exact_as_float = true;
    for (std::size_t v = 0; v < vertex_count; ++v) {
        slots.clear();
        for (const InfluenceSet& set : sets)
            for (std::size_t i = 4 * v; i < 4 * v + 4; ++i)
                if (const double w = slot_weight(set, i); w > 0.0)
                    slots.push_back({set.joints[i], w});
        out.weight_sums[v] = sum_of_weights(sets, v);
        out.duplicate_joints += merge_slots(slots);
        out.all.width = std::max(out.all.width, slots.size());
        for (const Slot& s : slots)
            exact_as_float &= static_cast<double>(static_cast<float>(s.weight)) == s.weight;
        merged.insert(merged.end(), slots.begin(), slots.end());
        ends[v] = merged.size();
    }
    const std::size_t width = out.all.width;
    out.all.joints.assign(vertex_count * width, 0);
    out.all.weights.assign(vertex_count * width, 0.0f);
    if (!exact_as_float) out.exact_weights.assign(vertex_count * width, 0.0);
    for (std::size_t v = 0, first = 0; v < vertex_count; first = ends[v++])
        for (std::size_t k = 0; k < ends[v] - first; ++k) {
            const Slot& s = merged[first + k];
            out.all.joints[v * width + k] = s.joint;
            out.all.weights[v * width + k] = static_cast<float>(s.weight);
            if (!exact_as_float) out.exact_weights[v * width + k] = s.weight;
        }
    return out;
}

InfluenceTable cap_influences(const VertexInfluences& influences, const InfluenceOptions& options,
                              InfluenceReport& report) {
    const InfluenceTable& all = influences.all;
    const auto weight = [&](std::size_t slot) {
        return influences.exact_weights.empty() ? static_cast<double>(all.weights[slot])
                                                : influences.exact_weights[slot];
    };
    InfluenceTable out;
    out.vertex_count = all.vertex_count;
    out.width = std::min(all.width, options.max_influences);
    out.joints.assign(out.vertex_count * out.width, 0);
    out.weights.assign(out.vertex_count * out.width, 0.0f);
    report = {};
    for (std::size_t v = 0; v < all.vertex_count; ++v) {
        const std::size_t first = v * all.width, used = weighted_slots(all, v);
        if (used == 0) {
            ++report.unweighted_vertices;
            continue;
        }
        const std::size_t kept = std::min(used, out.width);
        const bool capped = kept < used;
        double sum = influences.weight_sums[v];
        if (sum != 1.0) report.off_sum_vertices.push_back(static_cast<std::uint32_t>(v));
        report.worst_weight_sum_error =
            std::max(report.worst_weight_sum_error, std::fabs(sum - 1.0));
        if (capped) {
            report.capped_vertices.push_back(static_cast<std::uint32_t>(v));
            report.discarded_influences += used - kept;
            report.largest_discarded_weight =
                std::max(report.largest_discarded_weight, weight(first + kept));
            sum = 0.0;
            for (std::size_t k = 0; k < kept; ++k) sum += weight(first + k);
        }
        const bool rescale = (capped || options.renormalize) && sum != 1.0;
        for (std::size_t k = 0; k < kept; ++k) {
            out.joints[v * out.width + k] = all.joints[first + k];
            out.weights[v * out.width + k] =
                rescale ? static_cast<float>(weight(first + k) / sum) : all.weights[first + k];
        }
    }
    return out;
}

}  // namespace skinpose
