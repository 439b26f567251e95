// Random supports for tests.
#pragma once

#include <random>
#include <set>

#include "tests/support/allreduce.hpp"

namespace sparsewire::test {

// Every rank has the value 1 at `count` indices, uniformly random in [0, range).
inline Vectors<float> random_vectors(Rank ranks, std::uint64_t count, std::uint64_t dimension,
                                     std::uint64_t range) {
  std::mt19937_64 random(7);
  Vectors<float> inputs;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::set<Index> indices;
    while (indices.size() < count) indices.insert(static_cast<Index>(random() % range));
    inputs.push_back({dimension, {indices.begin(), indices.end()}, std::vector<float>(count, 1.0f)});
  }
  return inputs;
}
inline Vectors<float> random_vectors(Rank ranks, std::uint64_t count, std::uint64_t dimension) {
  return random_vectors(ranks, count, dimension, dimension);
}

}  // namespace sparsewire::test
