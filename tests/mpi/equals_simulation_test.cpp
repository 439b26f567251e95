// simgrid/simgrid#157: what is computed in one process by simulated ranks is what real processes compute.
#include <gtest/gtest.h>

#include <random>

#include "sim/loggp_world.hpp"
#include "tests/mpi/mpi_main.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire::test {
namespace {

TEST(EqualsSimulation, D55ResultsAndCountersAreThoseOfSimulatedRanks) {
  MpiWorld mpi(test_session());
  LogGPWorld simulated(cluster_machine());
  std::mt19937_64 random(11);
  for (const Rank ranks : kRankCounts) {
    if (ranks > test_session().size()) continue;
    Vectors<double> inputs;  // sums of these depend on their order in the last bits
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::vector<std::pair<std::int64_t, double>> pairs;
      for (int i = 0; i < 60; ++i)
        pairs.emplace_back(static_cast<std::int64_t>(random() % 300),
                           1.0 / static_cast<double>(1 + random() % 1000));
      inputs.push_back(sparse_vector<double>(300, pairs));
    }
    for (const auto& algorithm : allreduce_variants<Stream<double>>()) {
      const RunResult real = run_allreduce(mpi, algorithm, inputs),
                      expected = run_allreduce(simulated, algorithm, inputs);
      for (std::size_t rank = 0; rank < real.size(); ++rank) {
        EXPECT_EQ(real[rank].output, expected[rank].output)
            << algorithm.name << " P=" << ranks << " rank " << rank;
        EXPECT_EQ(real[rank].counters, expected[rank].counters) << algorithm.name << " P=" << ranks;
      }
    }
  }
}

}  // namespace
}  // namespace sparsewire::test
