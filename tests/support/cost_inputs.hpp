// Inputs and machines with which closed forms are held against the engine.
#pragma once

#include <set>
#include <vector>

#include "algorithms/payload/sparse_vector.hpp"
#include "model/closed_forms.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/random_vectors.hpp"

namespace sparsewire::test {

// Every rank has `count` indices, evenly spread over the vector; `shift` times its rank further on.
inline Vectors<float> spread_vectors(Rank ranks, std::uint64_t dimension, std::uint64_t count,
                                     std::uint64_t shift) {
  Vectors<float> inputs;
  for (Rank rank = 0; rank < ranks; ++rank) {
    SparseVector<float> vector{dimension, {}, {}};
    for (std::uint64_t i = 0; i < count; ++i)
      vector.indices.push_back(
          static_cast<Index>(i * (dimension / count) + shift * static_cast<std::uint64_t>(rank)));
    vector.values.assign(count, 1.0f);
    inputs.push_back(std::move(vector));
  }
  return inputs;
}

inline CostInput cost_input(const Vectors<float>& inputs) {
  CostInput input{static_cast<Rank>(inputs.size()), inputs.front().dimension, 4, {}};
  std::set<Index> seen;
  for (const SparseVector<float>& vector : inputs) {
    seen.insert(vector.indices.begin(), vector.indices.end());
    input.union_sizes.push_back(static_cast<double>(seen.size()));
  }
  return input;
}

inline std::vector<Machine> machines() {
  Machine parallel_receiver = cluster_machine(), rendezvous = cluster_machine();
  parallel_receiver.network.serial_receiver = false;
  rendezvous.network.S = 256;
  return {cluster_machine(), parallel_receiver, rendezvous, loggopsim_machine()};
}

}  // namespace sparsewire::test
