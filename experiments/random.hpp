// Random numbers that are the same on every platform: the engine is fixed by the C++ standard, and the
// distributions, which are not, are written here.
#pragma once

#include <cstdint>
#include <random>

#include "algorithms/pattern/hash.hpp"

namespace sparsewire {

class Random {
 public:
  // Streams of one seed are independent of each other.
  Random(std::uint64_t seed, std::uint64_t stream) : engine_(mixed_bits(mixed_bits(seed) + stream)) {}

  std::uint64_t bits() { return engine_(); }

  // Uniform in [0, bound), bound >= 1, without bias (Lemire 2019, doi:10.1145/3230636, arXiv:1805.10941).
  std::uint64_t below(std::uint64_t bound) {
    auto product = static_cast<Wide>(bits()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = -bound % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<Wide>(bits()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Uniform in (0, 1), a multiple of 2^-53 plus 2^-54.
  double unit() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }

 private:
  __extension__ typedef unsigned __int128 Wide;

  std::mt19937_64 engine_;
};

}  // namespace sparsewire
