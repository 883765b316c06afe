#include "skinpose/mesh_measure.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace skinpose {
namespace {

/// Neumaier 1974: a running sum with the rounding of every addition kept aside.
class CompensatedSum {
   public:
    void add(double x) {
        const double sum = sum_ + x;
        lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
        sum_ = sum;
    }
    [[nodiscard]] double value() const { return sum_ + lost_; }

   private:
    double sum_ = 0.0, lost_ = 0.0;
};

Vec3 position(const TriMesh& mesh, std::size_t v) {
    if (!mesh.exact_positions.empty()) return mesh.exact_positions[v];
    const Vec3f& p = mesh.positions[v];
    return Vec3(p[0], p[1], p[2]);
}

Vec3 difference(const Vec3& a, const Vec3& b) {
    return Vec3(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Gives vertices at the same position the same number. Numbers follow the order of asking, so they
/// do not depend on where the table happens to put things.
class PlaceTable {
   public:
    explicit PlaceTable(std::size_t most) : slots_(std::bit_ceil(2 * most + 2), kFree) {}

    std::uint32_t place_of(const Vec3& p) {
        // Adding +0 turns -0 into +0, so that comparing bits is comparing numbers.
        const Key key{std::bit_cast<std::uint64_t>(p[0] + 0.0),
                      std::bit_cast<std::uint64_t>(p[1] + 0.0),
                      std::bit_cast<std::uint64_t>(p[2] + 0.0)};
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = static_cast<std::size_t>(mix(key)) & mask;
        while (slots_[slot] != kFree && keys_[slots_[slot]] != key) slot = (slot + 1) & mask;
        if (slots_[slot] == kFree) {
            slots_[slot] = static_cast<std::uint32_t>(keys_.size());
            keys_.push_back(key);
        }
        return slots_[slot];
    }
    [[nodiscard]] std::size_t size() const { return keys_.size(); }

   private:
    using Key = std::array<std::uint64_t, 3>;
    static constexpr std::uint32_t kFree = 0xFFFFFFFFU;

    static std::uint64_t mix(const Key& key) {
        std::uint64_t h = 0;
        for (const std::uint64_t word : key) {
            h = (h ^ word) * 0x9E3779B97F4A7C15U;
            h ^= h >> 32;
        }
        return h;
    }

    std::vector<std::uint32_t> slots_;
    std::vector<Key> keys_;
};

/// The triangles again, their corners places instead of vertices.
struct Places {
    std::vector<Triangle> triangles;
    std::size_t count = 0;
};

Places weld(const TriMesh& mesh) {
    constexpr std::uint32_t kUnknown = 0xFFFFFFFFU;
    std::vector<std::uint32_t> place(mesh.positions.size(), kUnknown);
    PlaceTable table(mesh.positions.size());
    Places out;
    out.triangles.reserve(mesh.triangles.size());
    for (const Triangle& t : mesh.triangles) {
        for (const std::uint32_t v : t)
            if (place[v] == kUnknown) place[v] = table.place_of(position(mesh, v));
        out.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
    }
    out.count = table.size();
    return out;
}

bool is_degenerate(const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

/// Calls visit(low, high, reversed) for the three edges of every triangle that is not degenerate.
template <typename Visit>
void for_each_edge(const std::vector<Triangle>& triangles, const Visit& visit) {
    for (const Triangle& t : triangles) {
        if (is_degenerate(t)) continue;
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t a = t[i], b = t[(i + 1) % 3];
            visit(std::min(a, b), std::max(a, b), a > b);
        }
    }
}

/// Every edge is there exactly once in each direction. Edges are laid out by their lower end
/// (a counting sort), then each end's few are sorted: an edge and its reverse are then neighbours.
bool is_closed(const Places& places) {
    std::vector<std::size_t> first(places.count + 1, 0);
    for_each_edge(places.triangles,
                  [&](std::uint32_t low, std::uint32_t, bool) { ++first[low + std::size_t{1}]; });
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    if (first.back() == 0) return false;

    std::vector<std::uint64_t> edges(first.back());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for_each_edge(places.triangles, [&](std::uint32_t low, std::uint32_t high, bool reversed) {
        edges[next[low]++] = std::uint64_t{high} << 1 | std::uint64_t{reversed};
    });
    for (std::size_t place = 0; place < places.count; ++place) {
        const std::size_t begin = first[place], end = first[place + 1];
        if ((end - begin) % 2 != 0) return false;
        std::sort(edges.begin() + static_cast<std::ptrdiff_t>(begin),
                  edges.begin() + static_cast<std::ptrdiff_t>(end));
        for (std::size_t i = begin; i < end; i += 2) {
            const bool both_ways = edges[i] % 2 == 0 && edges[i + 1] == edges[i] + 1;
            if (!both_ways) return false;
        }
    }
    return true;
}

void measure_bounds(const TriMesh& mesh, MeshMeasure& out) {
    if (mesh.positions.empty()) return;
    out.bounds_min = out.bounds_max = position(mesh, 0);
    for (std::size_t v = 1; v < mesh.positions.size(); ++v) {
        const Vec3 p = position(mesh, v);
        for (int i = 0; i < 3; ++i) {
            if (p[i] < out.bounds_min[i]) out.bounds_min[i] = p[i];
            if (p[i] > out.bounds_max[i]) out.bounds_max[i] = p[i];
        }
    }
}

}  // namespace

MeshMeasure measure_mesh(const TriMesh& mesh) {
    MeshMeasure out;
    measure_bounds(mesh, out);
    Vec3 centre;
    for (int i = 0; i < 3; ++i) centre[i] = out.bounds_min[i] * 0.5 + out.bounds_max[i] * 0.5;

    CompensatedSum twice_area, six_volumes;
    for (const Triangle& t : mesh.triangles) {
        const Vec3 a = position(mesh, t[0]), b = position(mesh, t[1]), c = position(mesh, t[2]);
        const Vec3 normal = cross3(difference(b, a), difference(c, a));
        twice_area.add(length3(normal));
        // a . ((b - a) x (c - a)) is a . (b x c), with smaller numbers in the product.
        six_volumes.add(dot3(difference(a, centre), normal));
    }
    out.area = twice_area.value() / 2.0;
    out.signed_volume = six_volumes.value() / 6.0;

    const Places places = weld(mesh);
    out.closed = is_closed(places);
    out.logical_vertices = places.count;
    return out;
}

}  // namespace skinpose
