#include "experiments/mpi_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "algorithms/payload/half.hpp"
#include "experiments/measure.hpp"
#include "tests/experiments/example_experiment.hpp"
#include "tests/mpi/mpi_main.hpp"

namespace sparsewire {
namespace {

Experiment mpi_experiment() {
  Experiment e = test::example_experiment();
  e.backends = {"mpi"};
  e.algorithms = {"ssar-recursive-double", "dense-ring", "mpi-allreduce"};
  e.ranks = {1, test_session().size(), test_session().size() + 1};
  e.repetitions = 4;
  e.warm_ups = 2;
  return e;
}

std::vector<Cell> cells(const Experiment& experiment) {
  return cells_of(experiment, experiment.backends, "v");
}

class MpiSweep : public testing::Test {
 protected:
  std::vector<Measurement> run(const Experiment& experiment, const std::set<std::string>& finished = {}) {
    std::vector<Measurement> all;
    run_mpi(experiment, cells(experiment), finished, world_, test_session(), stop_,
            [&](const Measurement& measurement) { all.push_back(measurement); });
    return all;
  }
  bool is_first() const { return test_session().rank() == 0; }

  MpiWorld world_{test_session()};
  std::atomic<bool> stop_{false};
};

TEST_F(MpiSweep, MeasuresOnProcess0AndSkipsWhatDoesNotFit) {
  const std::vector<Measurement> all = run(mpi_experiment());
  ASSERT_EQ(all.size(), is_first() ? 18u : 0u);
  for (const Measurement& m : all) {
    const bool fits = m.ranks <= test_session().size();
    EXPECT_EQ(m.status, fits ? "ok" : "skipped") << m.algorithm << ": " << m.reason;
    EXPECT_EQ(m.samples_s.size(), fits ? 4u : 0u);
  }
}

TEST_F(MpiSweep, MeasuresLossyAlgorithms) {
  Experiment e = mpi_experiment();
  e.algorithms = {"dense-ring", "spardl", "scalecom(beta=0.5)"};
  e.ranks = {test_session().size()};
  const std::vector<Measurement> all = run(e);
  ASSERT_EQ(all.size(), is_first() ? 6u : 0u);
  for (const Measurement& m : all) {
    EXPECT_EQ(m.status, "ok") << m.algorithm << ": " << m.reason;
    EXPECT_EQ(m.relative_error.has_value(), m.family == "lossy");
  }
}

TEST_F(MpiSweep, LeavesOutWhatIsFinished) {
  const Experiment e = mpi_experiment();
  std::set<std::string> finished;
  for (const Cell& cell : cells(e))
    for (const Point& point : cell.points) finished.insert(point.key);
  EXPECT_TRUE(run(e, finished).empty());
  finished.erase(cells(e)[1].points[1].key);
  const std::vector<Measurement> one = run(e, finished);
  ASSERT_EQ(one.size(), is_first() ? 1u : 0u);
  for (const Measurement& m : one) EXPECT_EQ(m.key, cells(e)[1].points[1].key);
}

TEST_F(MpiSweep, StopsWhereProcess0IsTold) {
  stop_ = is_first();
  EXPECT_TRUE(run(mpi_experiment()).empty());
  stop_ = !is_first();
  EXPECT_EQ(run(mpi_experiment()).size(), is_first() ? 18u : 0u);
}

TEST_F(MpiSweep, EndsOnEveryProcessWhenProcess0CannotWrite) {
  const Experiment e = mpi_experiment();
  try {
    run_mpi(e, cells(e), {}, world_, test_session(), stop_,
            [](const Measurement&) { throw std::runtime_error("disk full"); });
    FAIL();
  } catch (const SharedError& error) {
    EXPECT_STREQ(error.what(), "disk full");
  }
}

TEST_F(MpiSweep, FailsOnEveryProcessWhenOneLacksTheFile) {
  const auto folder = std::filesystem::path(testing::TempDir());
  const std::string name = "mpi_run_test_" + std::to_string(test_session().rank()) + ".svm";
  Experiment e = mpi_experiment();
  e.ranks = {1};
  const bool lacks_it = test_session().rank() == test_session().size() - 1;
  std::vector<Cell> all;
  {
    std::ofstream(folder / name) << "1:1 2:2\n";
    e.workloads = {{"data", SvmlightFile{folder / name, 1}}};
    all = cells(e);
    if (lacks_it) std::filesystem::remove(folder / name);
  }
  std::vector<Measurement> measurements;
  run_mpi(e, all, {}, world_, test_session(), stop_,
          [&](const Measurement& m) { measurements.push_back(m); });
  std::filesystem::remove(folder / name);
  ASSERT_EQ(measurements.size(), is_first() ? 3u : 0u);
  for (const Measurement& m : measurements) {
    EXPECT_EQ(m.status, "failed");
    EXPECT_THAT(m.reason, testing::HasSubstr("cannot open"));
  }
}

TEST_F(MpiSweep, EveryAlgorithmStartsFromTheSameVectorEachTime) {
  // an algorithm that added into its starting vector would be off from the second repetition on
  Experiment e = mpi_experiment();
  e.densities = {1};
  e.algorithms = {"dense-ring", "dense-rabenseifner", "dense-recursive-double", "mpi-allreduce"};
  e.ranks = {test_session().size()};
  for (const Measurement& m : run(e)) EXPECT_EQ(m.status, "ok") << m.algorithm << ": " << m.reason;
}

TEST_F(MpiSweep, TheFirstThatHasATextIsHeardByAll) {
  const Rank last = test_session().size() - 1;
  EXPECT_EQ(first_said(world_, test_session(), test_session().rank() == last ? "last" : ""), "last");
  EXPECT_EQ(first_said(world_, test_session(), std::to_string(test_session().rank())), "0");
  EXPECT_EQ(first_said(world_, test_session(), ""), "");
  EXPECT_EQ(broadcast(world_, test_session(), is_first() ? "mine" : "other"), "mine");
  EXPECT_EQ(broadcast(world_, test_session(), is_first() ? "" : "other"), "");
}

TEST_F(MpiSweep, TheCatalogueEndsWithTheLibrarysAllreduce) {
  EXPECT_EQ(mpi_allreduce_named<float>(world_, "mpi-allreduce").family, Family::dense);
  EXPECT_EQ(mpi_allreduce_named<double>(world_, "sparse-ring").family, Family::sparse);
  EXPECT_THROW(mpi_allreduce_named<double>(world_, "no-such"), std::invalid_argument);
  EXPECT_EQ(mpi_allreduce_named<Half>(world_, "sparse-ring").family, Family::sparse);
  EXPECT_THROW(mpi_allreduce_named<Half>(world_, "mpi-allreduce"), std::invalid_argument);
}

}  // namespace
}  // namespace sparsewire
