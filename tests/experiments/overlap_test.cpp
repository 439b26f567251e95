#include "experiments/overlap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "experiments/simulated_run.hpp"
#include "experiments/workload.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire {
namespace {

using testing::HasSubstr;

const OverlapPlan kPlan = {{1, 8, 64}, 1, 1};

std::vector<SparseVector<float>> vectors(Rank ranks) {
  return generate<float>({"uniform", Uniform{}}, ranks, 100000, 0.02, 1);
}

TEST(OverlapRow, IsTheHiddenPartOfTheShorter) {
  EXPECT_DOUBLE_EQ((OverlapRow{1, 2, 4, 4}.overlap()), 1);
  EXPECT_DOUBLE_EQ((OverlapRow{1, 2, 4, 6}.overlap()), 0);
  EXPECT_DOUBLE_EQ((OverlapRow{1, 4, 2, 5}.overlap()), 0.5);
  EXPECT_DOUBLE_EQ((OverlapRow{1, 2, 2, 5}.overlap()), -0.5);
  EXPECT_DOUBLE_EQ((OverlapRow{1, 0, 2, 2}.overlap()), 0);
}

TEST(Overlap, GrowsWithTheTestsAndIsNeverFasterThanEither) {
  const Machine machine = test::cluster_machine();
  const auto world = simulated_world("loggp", machine, {});
  for (const auto& algorithm : allreduce_catalogue<Stream<float>>()) {
    const auto rows = measure_overlap(*world, algorithm, vectors(8), simulated_compute(machine), kPlan);
    ASSERT_EQ(rows.size(), 3u);
    for (const OverlapRow& row : rows) {
      EXPECT_EQ(row.collective, rows[0].collective);
      EXPECT_NEAR(row.computation, row.collective, 1e-3 * row.collective);
      EXPECT_GE(row.together, std::max(row.collective, row.computation)) << algorithm.name;
    }
    EXPECT_GE(rows[0].overlap(), -0.001) << algorithm.name;  // one o for the first look
    EXPECT_GT(rows[2].overlap(), rows[0].overlap()) << algorithm.name;
  }
}

// Latency is hidden in whole by enough work, and local work never is.
TEST(Overlap, IsThePartThatIsNotTheCollectivesOwnWork) {
  Machine machine = test::cluster_machine();
  machine.network = {.L = 1e-3, .o = 1e-9, .g = 0, .G = 0, .S = 0, .serial_receiver = false};
  machine.compute = {};
  machine.compute[WorkKind::fill] = 1e-9;
  const auto algorithm = allreduce_named<Stream<float>>("ssar-recursive-double");
  const auto idle = simulated_world("loggp", machine, {});
  const OverlapPlan plan = {{1000}, 1.2, 1};
  EXPECT_GT(measure_overlap(*idle, algorithm, vectors(8), simulated_compute(machine), plan)[0].overlap(),
            0.99);
  machine.network.L = 0;
  machine.compute[WorkKind::merge] = 1e-6;
  const auto busy = simulated_world("loggp", machine, {});
  EXPECT_LT(measure_overlap(*busy, algorithm, vectors(8), simulated_compute(machine), plan)[0].overlap(),
            0.01);
}

TEST(Overlap, IsTheSameInBothSimulatorsWhereNothingIsShared) {
  Machine machine = test::cluster_machine();
  machine.network.serial_receiver = false;
  const Topology star{"star", StarSpec{.link = {}, .sharing = Sharing::unshared}};
  const auto engine = simulated_world("loggp", machine, star),
             simgrid = simulated_world("simgrid", machine, star);
  for (const auto& algorithm : allreduce_catalogue<Stream<float>>()) {
    const auto expected = measure_overlap(*engine, algorithm, vectors(9), simulated_compute(machine), kPlan);
    const auto found = measure_overlap(*simgrid, algorithm, vectors(9), simulated_compute(machine), kPlan);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(found[i].together, expected[i].together, 1e-9 * expected[i].together) << algorithm.name;
      EXPECT_NEAR(found[i].collective, expected[i].collective, 1e-9 * expected[i].collective);
    }
  }
}

TEST(Overlap, RefusesAMachineOnWhichWorkIsFree) {
  try {
    simulated_compute(test::loggopsim_machine());
    ADD_FAILURE() << "no error";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("machine loggopsim: no work costs any time"));
  }
}

TEST(Overlap, NoticesOtherBits) {
  const Machine machine = test::cluster_machine();
  const auto world = simulated_world("loggp", machine, {});
  const Compute late = [](Transport& transport, Seconds) { transport.compute(Work::of(WorkKind::fill, 1)); };
  const auto one = generate<float>({"uniform", Uniform{}}, 1, 100, 0.1, 1);
  int runs = 0;
  const Allreduce<Stream<float>> counting{
      "counting",
      Family::sparse,
      "",
      [&](Transport&, Stream<float> mine) { return ++runs % 2 == 1 ? mine : Stream<float>(); },
      {}};
  EXPECT_THROW(measure_overlap(*world, counting, one, late, {{2}, 1, 1}), std::runtime_error);
}

TEST(Overlap, RealWorkTakesAboutItsTime) {
  const Compute compute = real_compute();
  const auto world = simulated_world("loggp", test::cluster_machine(), {});
  world->run(1, [&](Transport& transport) -> Output {
    const auto start = std::chrono::steady_clock::now();
    compute(transport, 0.02);
    EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(2));
    return {};
  });
}

}  // namespace
}  // namespace sparsewire
