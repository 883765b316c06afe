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

bool out_of_order(const Slot& a, const Slot& b) {
    return a.weight < b.weight || (a.weight == b.weight && a.joint > b.joint);
}

/// Most vertices come as they should: heaviest first, no joint twice.
bool is_merged(const std::vector<Slot>& slots) {
    for (std::size_t i = 1; i < slots.size(); ++i) {
        if (out_of_order(slots[i - 1], slots[i])) return false;
        for (std::size_t k = 0; k < i; ++k)
            if (slots[k].joint == slots[i].joint) return false;
    }
    return true;
}

/// Adds up repeated joints in `slots` (from first to last within a joint), then sorts heaviest
/// first. Returns how many slots were added to another.
std::size_t merge_slots(std::vector<Slot>& slots) {
    constexpr std::size_t kFew = 8;  // the check above is quadratic
    if (slots.size() <= kFew && is_merged(slots)) return 0;
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

/// Rows of `wide` values cut to `width`, in place.
template <typename T>
void narrow_rows(std::vector<T>& values, std::size_t rows, std::size_t wide, std::size_t width) {
    for (std::size_t row = 1; row < rows && width < wide; ++row)
        for (std::size_t k = 0; k < width; ++k) values[row * width + k] = values[row * wide + k];
    values.resize(rows * width);
}

std::size_t weighted_slots(const InfluenceTable& table, std::size_t vertex) {
    std::size_t n = 0;
    while (n < table.width && table.weights[vertex * table.width + n] > 0.0f) ++n;
    return n;
}

}  // namespace

VertexInfluences merge_influences(std::size_t vertex_count, std::span<const InfluenceSet> sets) {
    VertexInfluences out;
    const std::size_t wide = 4 * sets.size();
    out.sets = sets.size();
    out.weight_sums.resize(vertex_count);
    out.all.vertex_count = vertex_count;
    out.all.joints.resize(vertex_count * wide);
    out.all.weights.resize(vertex_count * wide);
    const bool integers = std::any_of(sets.begin(), sets.end(),
                                      [](const InfluenceSet& s) { return s.integer_one != 0; });
    if (integers) out.exact_weights.resize(vertex_count * wide);
    std::vector<Slot> slots;
    for (std::size_t v = 0; v < vertex_count; ++v) {
        slots.clear();
        for (const InfluenceSet& set : sets)
            for (std::size_t i = 4 * v; i < 4 * v + 4; ++i)
                if (const double w = slot_weight(set, i); w > 0.0)
                    slots.push_back({set.joints[i], w});
        out.weight_sums[v] = sum_of_weights(sets, v);
        out.duplicate_joints += merge_slots(slots);
        out.all.width = std::max(out.all.width, slots.size());
        for (std::size_t k = 0; k < slots.size(); ++k) {
            out.all.joints[v * wide + k] = slots[k].joint;
            out.all.weights[v * wide + k] = static_cast<float>(slots[k].weight);
            if (integers) out.exact_weights[v * wide + k] = slots[k].weight;
        }
    }
    narrow_rows(out.all.joints, vertex_count, wide, out.all.width);
    narrow_rows(out.all.weights, vertex_count, wide, out.all.width);
    if (integers) narrow_rows(out.exact_weights, vertex_count, wide, out.all.width);
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
