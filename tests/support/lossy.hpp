// Runs iterations of a lossy allreduce and checks what it promises.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "algorithms/lossy/table.hpp"
#include "algorithms/transport/world.hpp"

namespace sparsewire::test {

// gradients[iteration][rank]
template <class T>
using Gradients = std::vector<std::vector<std::vector<T>>>;

// What one rank has of one method.
template <class T>
struct LossyOutput {
  std::vector<Stream<T>> sums;  // by iteration
  std::vector<T> unsent;
};

// By rank.
template <class T>
using LossyRun = std::vector<LossyOutput<T>>;

inline void append_bytes(Output& output, const void* data, std::uint64_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  const auto* count = reinterpret_cast<const std::byte*>(&size);
  output.insert(output.end(), count, count + sizeof size);
  output.insert(output.end(), bytes, bytes + size);
}

inline std::vector<std::byte> next_bytes(const std::byte*& at) {
  std::uint64_t size = 0;
  std::memcpy(&size, at, sizeof size);
  const std::byte* first = at + sizeof size;
  at = first + size;
  return {first, at};
}

// One rank's iterations of one method, behind what is in `output`.
template <class T>
void iterate(Transport& transport, const LossyAllreduce<T>& method, const Gradients<T>& gradients,
             const LossySetup& setup, Output& output) {
  LossyState<T> state = method.start(setup);
  for (const auto& of_ranks : gradients) {
    const auto& gradient = of_ranks[static_cast<std::size_t>(transport.rank())];
    const auto sum = pack(state.step(transport, gradient)).flatten();
    append_bytes(output, sum.data(), sum.size());
  }
  const Residual<T> unsent = state.unsent();
  append_bytes(output, unsent.data(), unsent.size() * sizeof(T));
}

template <class T>
LossyOutput<T> next_output(const std::byte*& at, std::size_t iterations) {
  LossyOutput<T> output;
  for (std::size_t i = 0; i < iterations; ++i)
    output.sums.push_back(Stream<T>::unpack(Message(next_bytes(at))));
  const std::vector<std::byte> unsent = next_bytes(at);
  output.unsent.resize(unsent.size() / sizeof(T));
  if (!unsent.empty()) std::memcpy(output.unsent.data(), unsent.data(), unsent.size());
  return output;
}

// The outputs of several methods, run one after another on ranks that start once.
template <class T>
std::vector<LossyRun<T>> run_lossy(World& world, const std::vector<LossyAllreduce<T>>& methods,
                                   const Gradients<T>& gradients, std::uint64_t count) {
  const auto ranks = static_cast<Rank>(gradients.front().size());
  const LossySetup setup{gradients.front().front().size(), count};
  const RunResult result = world.run(ranks, [&](Transport& transport) {
    Output output;
    for (const auto& method : methods) iterate(transport, method, gradients, setup, output);
    return output;
  });
  std::vector<LossyRun<T>> runs(methods.size());
  for (const RankResult& rank : result) {
    const std::byte* at = rank.output.data();
    for (LossyRun<T>& run : runs) run.push_back(next_output<T>(at, gradients.size()));
  }
  return runs;
}

template <class T>
LossyRun<T> run_lossy(World& world, const LossyAllreduce<T>& method, const Gradients<T>& gradients,
                      std::uint64_t count) {
  return run_lossy<T>(world, std::vector<LossyAllreduce<T>>{method}, gradients, count).front();
}

// Every rank has the same bits in every iteration.
template <class T>
void expect_same_sums(const LossyRun<T>& run) {
  for (std::size_t rank = 1; rank < run.size(); ++rank)
    for (std::size_t i = 0; i < run[0].sums.size(); ++i)
      EXPECT_EQ(pack(run[rank].sums[i]).flatten(), pack(run[0].sums[i]).flatten())
          << "rank " << rank << ", iteration " << i;
}

// At each index the gradients less the sums and the unsent: zero where a method conserves.
template <class T>
std::vector<T> lost(const LossyRun<T>& run, const Gradients<T>& gradients) {
  std::vector<T> balance(gradients.front().front().size());
  for (const auto& of_ranks : gradients)
    for (const auto& gradient : of_ranks)
      for (std::size_t i = 0; i < balance.size(); ++i) balance[i] += gradient[i];
  for (const LossyOutput<T>& rank : run)
    for (std::size_t i = 0; i < balance.size(); ++i) balance[i] -= rank.unsent[i];
  for (const Stream<T>& sum : run[0].sums) {
    const SparseVector<T> elements = sparse_vector_of(sum);
    for (std::size_t i = 0; i < elements.indices.size(); ++i)
      balance[elements.indices[i]] -= elements.values[i];
  }
  return balance;
}

// `value(random)` at each index with probability `density`.
template <class T, class Value>
Gradients<T> random_gradients(std::size_t iterations, Rank ranks, std::uint64_t dimension, double density,
                              std::mt19937_64& random, const Value& value) {
  std::bernoulli_distribution is_there(density);
  Gradients<T> gradients(iterations);
  for (auto& of_ranks : gradients)
    for (Rank rank = 0; rank < ranks; ++rank) {
      auto& gradient = of_ranks.emplace_back(dimension);
      for (T& element : gradient) element = is_there(random) ? value(random) : T{0};
    }
  return gradients;
}

// `count` elements a rank that are not zero, at random indices; nearly all of distinct values from 1 to 2.
inline Gradients<float> spread_gradients(std::size_t iterations, Rank ranks, std::uint64_t dimension,
                                         std::uint64_t count) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> order(dimension);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  Gradients<float> gradients(iterations);
  for (auto& of_ranks : gradients)
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::vector<float>& gradient = of_ranks.emplace_back(dimension);
      std::shuffle(order.begin(), order.end(), random);
      for (std::uint64_t i = 0; i < count; ++i)
        gradient[order[i]] = 1.0f + static_cast<float>(random() % 1000000) / 1000000;
    }
  return gradients;
}

// Small integers, zero among them: all sums are exact.
template <class T>
T small_integer(std::mt19937_64& random) {
  return static_cast<T>(static_cast<int>(random() % 41) - 20);
}

}  // namespace sparsewire::test
