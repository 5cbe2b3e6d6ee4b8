// The numbers that random contents are made of.
//
// They are those of SplitMix64, whose state only counts: the n-th number is a function of the seed and n, so that
// pieces of a tensor are filled side by side and hold what one pass from start to end would have left.
#pragma once
#include <cstdint>

namespace tilewright::run {

// The n-th number of a seed, from 0.
struct Random {
  std::uint64_t seed;
  std::uint64_t operator[](std::uint64_t n) const {
    std::uint64_t z = seed + (n + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
};

}  // namespace tilewright::run
