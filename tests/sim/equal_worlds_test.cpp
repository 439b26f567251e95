// Where nothing is shared, SimGrid and the LogGP engine give the same times.
#include <gtest/gtest.h>

#include <random>

#include "sim/loggp_world.hpp"
#include "sim/simgrid_world.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/nonblocking.hpp"
#include "tests/support/patterns.hpp"

namespace sparsewire::test {
namespace {

void expect_equal_times(const RunResult& engine, const RunResult& simgrid, const std::string& what) {
  ASSERT_EQ(engine.size(), simgrid.size());
  for (std::size_t rank = 0; rank < engine.size(); ++rank) {
    EXPECT_NEAR(engine[rank].finish, simgrid[rank].finish, 1e-9 * engine[rank].finish)
        << what << " rank " << rank;
    EXPECT_EQ(engine[rank].counters, simgrid[rank].counters) << what << " rank " << rank;
    EXPECT_EQ(engine[rank].output, simgrid[rank].output) << what << " rank " << rank;
  }
}

Machine unserialised(Machine machine) {
  machine.network.serial_receiver = false;
  return machine;
}

Vectors<float> random_vectors(Rank ranks, std::uint64_t dimension, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Vectors<float> inputs;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<std::pair<std::int64_t, float>> pairs;
    for (int i = 0; i < 20 + 3 * rank; ++i)
      pairs.emplace_back(static_cast<std::int64_t>(random() % dimension), static_cast<float>(random() % 5));
    inputs.push_back(sparse_vector<float>(dimension, pairs));
  }
  return inputs;
}

class EqualWorlds : public ::testing::TestWithParam<std::uint64_t> {  // the rendezvous threshold, bytes
 protected:
  void expect_equal_on(Machine machine) {
    machine.network.S = GetParam();
    LogGPWorld engine(machine);
    SimGridWorld simgrid(machine, {"star", StarSpec{.link = {}, .sharing = Sharing::unshared}});
    for (const Rank ranks : kRankCounts) {
      const Vectors<float> inputs = random_vectors(ranks, 1000, static_cast<std::uint64_t>(ranks));
      for (const auto& algorithm : allreduce_variants<Stream<float>>())
        expect_equal_times(run_allreduce(engine, algorithm, inputs),
                           run_allreduce(simgrid, algorithm, inputs),
                           std::string(algorithm.name) + " P=" + std::to_string(ranks));
    }
  }
};

TEST_P(EqualWorlds, OnACluster) {
  expect_equal_on(unserialised(cluster_machine()));
}
TEST_P(EqualWorlds, OnTheMachineOfLogGOPSim) {
  expect_equal_on(unserialised(loggopsim_machine()));
}

TEST_P(EqualWorlds, OnPatterns) {
  Machine machine = unserialised(loggopsim_machine());
  machine.network.S = GetParam();
  LogGPWorld engine(machine);
  SimGridWorld simgrid(machine, {"star", StarSpec{.link = {}, .sharing = Sharing::unshared}});
  for (const std::size_t bytes : {0u, 1u, 1000u, 100000u}) {
    const std::string size = std::to_string(bytes) + " bytes";
    expect_equal_times(engine.run(2, flood(10, bytes)), simgrid.run(2, flood(10, bytes)), "flood " + size);
    expect_equal_times(engine.run(9, incast(bytes)), simgrid.run(9, incast(bytes)), "incast " + size);
    expect_equal_times(engine.run(13, dissemination(bytes)), simgrid.run(13, dissemination(bytes)),
                       "dissemination " + size);
    expect_equal_times(engine.run(8, binomial_reduce(bytes)), simgrid.run(8, binomial_reduce(bytes)),
                       "binomial " + size);
    expect_equal_times(engine.run(7, linear_all_to_all(bytes)), simgrid.run(7, linear_all_to_all(bytes)),
                       "all-to-all " + size);
  }
}

TEST_P(EqualWorlds, WithCollectivesInFlight) {
  for (Machine machine : {unserialised(cluster_machine()), unserialised(loggopsim_machine())}) {
    machine.network.S = GetParam();
    machine.compute[WorkKind::merge] = 7e-9;
    LogGPWorld engine(machine);
    SimGridWorld simgrid(machine, {"star", StarSpec{.link = {}, .sharing = Sharing::unshared}});
    for (const Rank ranks : {2, 3, 4, 8, 9, 16})
      for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
        const Program program = all_at_once(random_tasks(1 + seed % 4, ranks, seed), seed);
        expect_equal_times(engine.run(ranks, program), simgrid.run(ranks, program),
                           machine.name + " P=" + std::to_string(ranks) + " seed " + std::to_string(seed));
      }
  }
}

// Equal vectors and no work between the tests: dates of looks and of arrivals often coincide.
TEST_P(EqualWorlds, WithLoopsOfTests) {
  for (const Seconds overhead : {0.0, 0.6e-6, 1.0e-6}) {
    Machine machine = unserialised(cluster_machine());
    machine.network.S = GetParam();
    machine.network.o = overhead;
    machine.network.L = 2e-6;
    LogGPWorld engine(machine);
    SimGridWorld simgrid(machine, {"star", StarSpec{.link = {}, .sharing = Sharing::unshared}});
    // without overhead a look takes 1 ns: there are thousands of them
    for (const Rank ranks : overhead > 0 ? std::vector<Rank>{2, 5, 8} : std::vector<Rank>{3})
      for (const auto& algorithm : allreduce_catalogue<Stream<float>>()) {
        const Program program = [&](Transport& transport) -> Output {
          const Stream<float> mine = stream_of(sparse_vector<float>(2000, {{1, 1.0f}, {700, 2.0f}}));
          NonBlocking nonblocking(transport);
          auto first = nonblocking.start(algorithm, mine), second = nonblocking.start(algorithm, mine);
          while (!first.test() || !second.test()) continue;
          return {};
        };
        expect_equal_times(engine.run(ranks, program), simgrid.run(ranks, program),
                           std::string(algorithm.name) + " P=" + std::to_string(ranks));
      }
  }
}

// Whether no two ranks send to the same one at the same time, where all ranks are in step.
bool keeps_flows_apart(const AlgorithmSpec& algorithm) {
  if (algorithm.name == "kylix") return algorithm.text("degrees") == "2";
  if (algorithm.name == "omnireduce" || algorithm.name == "two-level") return false;
  return !algorithm.parameters.contains("order") || algorithm.text("order") == "rotated";
}

// Equal supports keep all ranks in step, so that flows on shared links never meet: SimGrid's flows, one a
// message, must then take what the engine's serial receiver takes.
TEST_P(EqualWorlds, OnSharedLinksWhereFlowsDoNotMeet) {
  Machine machine = cluster_machine();
  machine.network.S = GetParam();
  LogGPWorld engine(machine);
  SimGridWorld simgrid(machine, {"star", StarSpec{.link = {}, .sharing = Sharing::shared}});
  for (const Rank ranks : {2, 4, 8, 16, 32})
    for (const std::uint64_t stride : {2u, 16u}) {
      std::vector<std::pair<std::int64_t, float>> pairs;
      for (std::uint64_t i = 0; i < 4096; i += stride) pairs.emplace_back(static_cast<std::int64_t>(i), 1.0f);
      const Vectors<float> inputs(static_cast<std::size_t>(ranks), sparse_vector<float>(4096, pairs));
      for (const auto& algorithm : allreduce_variants<Stream<float>>())
        if (keeps_flows_apart(algorithm.spec))
          expect_equal_times(run_allreduce(engine, algorithm, inputs),
                             run_allreduce(simgrid, algorithm, inputs),
                             std::string(algorithm.name) + " P=" + std::to_string(ranks));
    }
}

INSTANTIATE_TEST_SUITE_P(Thresholds, EqualWorlds, ::testing::Values(0, 64, 2000));

}  // namespace
}  // namespace sparsewire::test
