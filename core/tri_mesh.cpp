#include "skinpose/tri_mesh.h"

#include <algorithm>

namespace skinpose {
namespace {

/// FNV-1a (Fowler, Noll, Vo), fed least significant byte first whatever the machine.
class Fnv1a {
   public:
    void add(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) {
            hash_ ^= (value >> (8 * i)) & 0xFFU;
            hash_ *= 0x00000100000001B3U;
        }
    }
    [[nodiscard]] std::uint64_t hash() const { return hash_; }

   private:
    std::uint64_t hash_ = 0xCBF29CE484222325U;
};

}  // namespace

std::uint64_t topology_hash(const TriMesh& mesh) {
    Fnv1a hash;
    hash.add(mesh.positions.size(), 8);
    for (const Triangle& t : mesh.triangles) {
        // A mirrored rigid part swaps the last two in some poses and not in others.
        hash.add(t[0], 4);
        hash.add(std::min(t[1], t[2]), 4);
        hash.add(std::max(t[1], t[2]), 4);
    }
    return hash.hash();
}

}  // namespace skinpose
