// Programs with several allreduces in flight.
#pragma once

#include <numeric>
#include <random>

#include "algorithms/nonblocking/nonblocking.hpp"
#include "tests/support/allreduce.hpp"

namespace sparsewire::test {

// One allreduce: which, and the vector of each rank.
struct Task {
  Allreduce<Stream<float>> algorithm;
  Vectors<float> inputs;

  Stream<float> input_of(Rank rank) const { return stream_of(inputs[static_cast<std::size_t>(rank)]); }
};

// Tasks with different algorithms and sizes, whose sums are exact.
inline std::vector<Task> random_tasks(std::size_t count, Rank ranks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto catalogue = allreduce_variants<Stream<float>>();
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < count; ++i) {
    Task& task = tasks.emplace_back(Task{catalogue[(seed + i) % catalogue.size()], {}});
    const std::uint64_t dimension = 1 + random() % 3000;
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::vector<std::pair<std::int64_t, float>> pairs;
      for (std::uint64_t k = random() % 200; k > 0; --k)
        pairs.emplace_back(static_cast<std::int64_t>(random() % dimension),
                           static_cast<float>(random() % 7) - 3);
      task.inputs.push_back(sparse_vector<float>(dimension, pairs));
    }
  }
  return tasks;
}

inline void append(Output& output, const Stream<float>& result) {
  const Output bytes = pack(result).flatten();
  output.insert(output.end(), bytes.begin(), bytes.end());
}

// The results of all tasks, one after another.
inline Program one_by_one(const std::vector<Task>& tasks) {
  return [=](Transport& transport) {
    Output output;
    for (const Task& task : tasks)
      append(output, task.algorithm.run(transport, task.input_of(transport.rank())));
    return output;
  };
}

// The same with all in flight at once. Each rank computes, tests and waits in an order of its own.
inline Program all_at_once(const std::vector<Task>& tasks, std::uint64_t seed) {
  return [=](Transport& transport) {
    std::mt19937_64 random(seed * 1000 + static_cast<std::uint64_t>(transport.rank()));
    NonBlocking nonblocking(transport);
    std::vector<Started<Stream<float>>> started;
    const auto compute_and_test = [&] {
      for (std::uint64_t steps = random() % 6; steps > 0; --steps) {
        transport.compute(Work::of(WorkKind::merge, random() % 997));
        started[random() % started.size()].test();
      }
    };
    for (const Task& task : tasks) {
      started.push_back(nonblocking.start(task.algorithm, task.input_of(transport.rank())));
      compute_and_test();
    }
    std::vector<std::size_t> order(tasks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Stream<float>> results(tasks.size());
    for (const std::size_t i : order) {
      compute_and_test();
      results[i] = started[i].wait();
    }
    Output output;
    for (const Stream<float>& result : results) append(output, result);
    return output;
  };
}

}  // namespace sparsewire::test
