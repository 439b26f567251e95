// Hashes that are the same on all ranks and platforms.
#pragma once

#include <cstdint>

namespace sparsewire {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195): a bijection.
constexpr std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The `number`-th hash of `value` under `seed`.
constexpr std::uint64_t hash_of(std::uint64_t seed, std::uint64_t number, std::uint64_t value) {
  return mixed_bits(mixed_bits(mixed_bits(seed) + number) + value);
}

}  // namespace sparsewire
