// One allreduce of vectors that the user gives.
#pragma once

#include <filesystem>
#include <string>

#include "algorithms/catalogue.hpp"
#include "algorithms/payload/coded.hpp"
#include "algorithms/transport/world.hpp"
#include "experiments/svmlight.hpp"

namespace sparsewire {

// One vector a rank; equal indices of one are combined by the operator. Throws InvalidVector naming rank and
// index, if one is not in [0, dimension).
template <class T, class Op = Plus>
std::vector<SparseVector<T>> rank_vectors(const SvmlightData& data);

// "0:1 3:2.5\n": the elements of a vector.
template <class T>
std::string svmlight_line(const SparseVector<T>& vector);

// What came of it, as text: the result as one SVMlight line; then, as comments, whether all ranks agree bit
// for bit, and each rank's time, messages and bytes.
struct Reduction {
  std::string text;
  bool ranks_agree = false;
};

// Reduces `vectors`, one a rank, by `algorithm` in `world`. Throws as World::run.
template <class T, class Op>
Reduction reduce(World& world, const Allreduce<Stream<T, Op>>& algorithm,
                 const std::vector<SparseVector<T>>& vectors);

// The same of sums that are sent as `coding` says, its seed mixed with the rank.
template <class T>
Reduction reduce(World& world, const Allreduce<Coded<T>>& algorithm,
                 const std::vector<SparseVector<T>>& vectors, const Coding& coding = {});

}  // namespace sparsewire
