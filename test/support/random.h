#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace skinpose::test {

/// Numbers that a seed makes the same everywhere (the distributions of <random> are not). The seed
/// is SKINPOSE_TEST_SEED where that is set, and is printed, so that any run can be had again.
class Random {
   public:
    explicit Random(std::uint64_t seed) : seed_(asked(seed)), engine_(seed_) {
        std::printf("seed %llu (SKINPOSE_TEST_SEED)\n", static_cast<unsigned long long>(seed_));
    }

    [[nodiscard]] std::uint64_t seed() const { return seed_; }

    double uniform(double low, double high) {
        return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
    }
    std::size_t below(std::size_t limit) {
        return static_cast<std::size_t>(uniform(0, static_cast<double>(limit)));
    }

   private:
    static std::uint64_t asked(std::uint64_t fallback) {
        const char* text = std::getenv("SKINPOSE_TEST_SEED");
        return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
    }

    std::uint64_t seed_;
    std::mt19937_64 engine_;
};

}  // namespace skinpose::test
