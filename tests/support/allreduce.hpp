// Runs one allreduce on given vectors and checks it against a serial sum.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "algorithms/catalogue.hpp"
#include "algorithms/payload/stream.hpp"
#include "algorithms/transport/world.hpp"

namespace sparsewire::test {

// The numbers of ranks that every algorithm is tried with.
inline constexpr Rank kRankCounts[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 32};

template <class T>
using Vectors = std::vector<SparseVector<T>>;

template <class T, class Op>
RunResult run_allreduce(World& world, const Allreduce<Stream<T, Op>>& algorithm, const Vectors<T>& inputs) {
  return world.run(static_cast<Rank>(inputs.size()), [&](Transport& transport) {
    return pack(algorithm.run(transport, stream_of<Op>(inputs[static_cast<std::size_t>(transport.rank())])))
        .flatten();
  });
}

template <class T, class Op = Plus>
SparseVector<T> result_of(const RankResult& rank) {
  return sparse_vector_of(Stream<T, Op>::unpack(Message(rank.output)));
}

// The sum in rank order, without elements that are zero.
template <class T>
SparseVector<T> serial_sum(const Vectors<T>& inputs) {
  std::map<Index, T> total;
  for (const SparseVector<T>& input : inputs)
    for (std::size_t i = 0; i < input.indices.size(); ++i) total[input.indices[i]] += input.values[i];
  SparseVector<T> vector{inputs.front().dimension, {}, {}};
  for (const auto& [index, value] : total) {
    vector.indices.push_back(index);
    vector.values.push_back(value);
  }
  return without_zeros(vector);
}

// Every rank ends with the same bits.
inline void expect_agreement(const RunResult& result) {
  for (std::size_t rank = 1; rank < result.size(); ++rank)
    EXPECT_EQ(result[rank].output, result[0].output) << "rank " << rank << " differs from rank 0";
}

// Inputs must be such that their sum is exact, as with small integers.
template <class T>
RunResult expect_sum(World& world, const Allreduce<Stream<T>>& algorithm, const Vectors<T>& inputs) {
  SCOPED_TRACE(std::string(algorithm.name) + ", P=" + std::to_string(inputs.size()) +
               ", N=" + std::to_string(inputs.front().dimension));
  RunResult result = run_allreduce(world, algorithm, inputs);
  EXPECT_EQ(result.size(), inputs.size());
  expect_agreement(result);
  const SparseVector<T> expected = serial_sum(inputs), found = result_of<T>(result[0]);
  EXPECT_EQ(found.dimension, expected.dimension);
  EXPECT_EQ(found.indices, expected.indices);
  EXPECT_EQ(found.values, expected.values);
  return result;
}

}  // namespace sparsewire::test
