#include "experiments/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/experiments/example_experiment.hpp"
#include "tests/reports/example_measurements.hpp"

namespace sparsewire {
namespace {

using test::example_experiment;
using testing::ElementsAre;
using testing::Not;

using Keys = std::vector<std::string>;

std::vector<Cell> cells(const Experiment& experiment, const std::string& version = "v1") {
  return cells_of(experiment, experiment.backends, version);
}

Keys keys_of(const std::vector<Cell>& cells) {
  Keys keys;
  for (const Cell& cell : cells)
    for (const Point& point : cell.points) keys.push_back(point.key);
  return keys;
}

Keys keys_on(const std::string& backend, const Experiment& experiment) {
  return keys_of(cells_of(experiment, {backend}, "v1"));
}

// How many keys of a are keys of b.
std::size_t shared_keys(const Keys& a, const Keys& b) {
  const std::set<std::string> of_b(b.begin(), b.end());
  return static_cast<std::size_t>(
      std::count_if(a.begin(), a.end(), [&](const auto& key) { return of_b.contains(key); }));
}

TEST(Sweep, GoesThroughTheAxesInTheOrderOfTheHeader) {
  Experiment e = example_experiment();
  e.workloads.push_back({"hot", PowerLaw{1.5}});
  e.precisions = {"fp32", "fp64"};
  e.dimensions = {100, 200};
  const std::vector<Cell> all = cells(e);
  ASSERT_EQ(all.size(), 2u * 2 * 2 * 2 * 2);
  std::vector<std::string> seen;
  for (const Cell& cell : all)
    seen.push_back(cell.workload.label + " " + cell.precision + " " + std::to_string(cell.dimension) + " " +
                   std::to_string(cell.ranks) + " " + std::to_string(cell.density));
  EXPECT_EQ(seen[0], "uniform fp32 100 2 0.050000");
  EXPECT_EQ(seen[1], "uniform fp32 100 2 0.500000");
  EXPECT_EQ(seen[2], "uniform fp32 100 4 0.050000");
  EXPECT_EQ(seen[4], "uniform fp32 200 2 0.050000");
  EXPECT_EQ(seen[8], "uniform fp64 100 2 0.050000");
  EXPECT_EQ(seen[16], "hot fp32 100 2 0.050000");
  EXPECT_EQ(seen[31], "hot fp64 200 4 0.500000");
  for (const Cell& cell : all) {
    std::vector<std::string> points;
    for (const Point& point : cell.points) points.push_back(point.backend + " " + point.algorithm);
    EXPECT_THAT(points, ElementsAre("loggp ssar-recursive-double", "loggp dense-ring",
                                    "simgrid ssar-recursive-double", "simgrid dense-ring"));
  }
}

TEST(Sweep, HasAPointForEachCodec) {
  Experiment e = example_experiment();
  e.codecs = {"pairs", "bitmap"};
  const Cell cell = cells_of(e, {"loggp"}, "v1")[0];
  ASSERT_EQ(cell.points.size(), 4u);
  EXPECT_EQ(cell.points[1].codec, "pairs");
  EXPECT_EQ(cell.points[2].codec, "bitmap");
  EXPECT_THAT(describe(cell, cell.points[1]), testing::EndsWith("fp32"));
  EXPECT_THAT(describe(cell, cell.points[2]), testing::EndsWith("fp32 bitmap"));
}

TEST(Sweep, OfAFileHasACellForEachNumberOfRanksAndBatch) {
  const TemporaryDirectory folder;
  write_text(folder.path() / "data.svm", "1:1 2:2\n3:1\n");
  Experiment e = example_experiment();
  e.workloads = {{"data", SvmlightFile{folder.path() / "data.svm", 1}},
                 {"data", SvmlightFile{folder.path() / "data.svm", 2}}};
  e.dimensions = {100, 200, 300};
  const std::vector<Cell> all = cells(e);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].dimension, 0u);
  EXPECT_EQ(all[0].density, 0);
  const Keys keys = keys_of(all);
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), 16u);
}

TEST(Sweep, HasTheLibrarysAllreduceOverMpiOnly) {
  Experiment e = example_experiment();
  e.algorithms = {"dense-ring", "mpi-allreduce"};
  const auto points = [&](const std::vector<std::string>& backends) {
    std::vector<std::string> names;
    const std::vector<Cell> all = cells_of(e, backends, "v1");
    for (const Point& point : all[0].points) names.push_back(point.backend + " " + point.algorithm);
    return names;
  };
  EXPECT_THAT(points({"loggp", "simgrid"}), ElementsAre("loggp dense-ring", "simgrid dense-ring"));
  EXPECT_THAT(points({"mpi"}), ElementsAre("mpi dense-ring", "mpi mpi-allreduce"));
  e.algorithms = {"mpi-allreduce"};
  EXPECT_TRUE(cells_of(e, {"loggp"}, "v1")[0].points.empty());
}

TEST(SweepKeys, AreUniqueAndTheSameEachTime) {
  Experiment e = example_experiment();
  e.workloads = {{"uniform", Uniform{}}, {"a", Overlap{0.5}}, {"b", PowerLaw{0.5}}, {"c", Clustered{5}}};
  e.precisions = {"fp32", "fp64"};
  const Keys keys = keys_of(cells(e));
  EXPECT_EQ(keys.size(), 4u * 2 * 2 * 2 * 4);
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), keys.size());
  EXPECT_EQ(keys_of(cells(e)), keys);
  for (const std::string& key : keys) EXPECT_THAT(key, testing::MatchesRegex("[0-9a-f]{32}"));
}

TEST(SweepKeys, DoNotChangeWithWhatDecidesNoResult) {
  const Experiment before = example_experiment();
  Experiment after = before;
  after.description = "other words";
  after.file = "elsewhere.json";
  after.repetitions += 1;
  after.warm_ups += 1;
  EXPECT_EQ(keys_of(cells(after)), keys_of(cells(before)));
  after.densities.push_back(0.7);  // more points, and the old ones again
  EXPECT_EQ(shared_keys(keys_of(cells(before)), keys_of(cells(after))), 16u);
}

TEST(SweepKeys, ChangeWithTheProgram) {
  const Experiment e = example_experiment();
  EXPECT_EQ(shared_keys(keys_of(cells(e, "v1")), keys_of(cells(e, "v2"))), 0u);
}

class KeyChange : public testing::Test {
 protected:
  std::size_t shared_on(const std::string& backend) const {
    return shared_keys(keys_on(backend, before_), keys_on(backend, after_));
  }
  const Experiment before_ = example_experiment();
  Experiment after_ = before_;
};

TEST_F(KeyChange, WithTheSeed) {
  after_.seed = 2;
  EXPECT_EQ(shared_on("loggp"), 0u);
}

TEST_F(KeyChange, WithEachParameterOfTheMachine) {
  const std::vector<void (*)(Machine&)> changes = {
      [](Machine& m) { m.name += "2"; },
      [](Machine& m) { m.network.L *= 2; },
      [](Machine& m) { m.network.o *= 2; },
      [](Machine& m) { m.network.g *= 2; },
      [](Machine& m) { m.network.G = std::nextafter(m.network.G, 1); },
      [](Machine& m) { m.network.S += 1; },
      [](Machine& m) { m.network.serial_receiver = !m.network.serial_receiver; },
      [](Machine& m) { m.compute[WorkKind::scan] *= 2; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    after_ = before_;
    changes[i](after_.machine);
    EXPECT_EQ(shared_on("loggp"), 0u) << i;
  }
}

// Results of older versions, which knew no codecs, keep their keys.
TEST_F(KeyChange, WithTheCodecUnlessItIsTheDefault) {
  after_.codecs = {"pairs", "bitmap", "auto"};
  const Keys keys = keys_on("loggp", after_);
  EXPECT_EQ(keys.size(), 24u);
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), 24u);
  EXPECT_EQ(shared_on("loggp"), 8u);
  after_.codecs = {"bitmap"};
  EXPECT_EQ(shared_on("loggp"), 0u);
}

TEST_F(KeyChange, WithTheTopologyInSimGridOnly) {
  for (const Topology& topology : {Topology{"star", StarSpec{{}, Sharing::unshared}},
                                   Topology{"star", StarSpec{{1e9, {}}, Sharing::shared}},
                                   Topology{"torus", TorusSpec{{2, 2}, {}, Sharing::shared}}}) {
    after_.topology = topology;
    EXPECT_EQ(shared_on("simgrid"), 0u) << topology.name;
    EXPECT_EQ(shared_on("loggp"), 8u) << topology.name;
    EXPECT_EQ(shared_on("mpi"), 8u) << topology.name;
  }
}

TEST_F(KeyChange, WithTheRepetitionsOverMpiOnly) {
  for (unsigned Experiment::*count : {&Experiment::repetitions, &Experiment::warm_ups}) {
    after_ = before_;
    after_.*count += 1;
    EXPECT_EQ(shared_on("mpi"), 0u);
    EXPECT_EQ(shared_on("loggp"), 8u);
    EXPECT_EQ(shared_on("simgrid"), 8u);
  }
}

TEST_F(KeyChange, WithTheWorkloadsParameters) {
  const auto keys = [](auto kind) {
    Experiment e = example_experiment();
    e.workloads = {{"same label", kind}};
    return keys_on("loggp", e);
  };
  EXPECT_EQ(shared_keys(keys(Overlap{0.25}), keys(Overlap{0.5})), 0u);
  EXPECT_EQ(shared_keys(keys(PowerLaw{1}), keys(PowerLaw{1.5})), 0u);
  EXPECT_EQ(shared_keys(keys(Clustered{1}), keys(Clustered{2})), 0u);
  EXPECT_EQ(shared_keys(keys(Overlap{1}), keys(PowerLaw{1})), 0u);
}

TEST_F(KeyChange, WithTheContentsOfAFileAndNotWithItsPlace) {
  const TemporaryDirectory folder;
  const auto keys_of_file = [&](const std::string& name) {
    Experiment e = example_experiment();
    e.workloads = {{"data", SvmlightFile{folder.path() / name, 1}}};
    return keys_on("loggp", e);
  };
  write_text(folder.path() / "a.svm", "1:1\n2:1\n");
  write_text(folder.path() / "b.svm", "1:1\n2:1\n");
  const Keys before = keys_of_file("a.svm");
  EXPECT_EQ(keys_of_file("b.svm"), before);
  write_text(folder.path() / "a.svm", "1:1\n2:2\n");
  EXPECT_EQ(shared_keys(keys_of_file("a.svm"), before), 0u);
}

TEST(SweepKeys, NeedTheFile) {
  Experiment e = example_experiment();
  e.workloads = {{"data", SvmlightFile{"/nowhere/data.svm", 1}}};
  EXPECT_THROW(cells(e), std::runtime_error);
}

TEST(Sweep, DescribesPoints) {
  Experiment e = example_experiment();
  const std::vector<Cell> all = cells(e);
  EXPECT_EQ(describe(all[3], all[3].points[2]),
            "ssar-recursive-double on simgrid: uniform, P=4, N=100, density 0.5, fp32");
  Cell of_file = all[3];
  of_file.workload = {"data", SvmlightFile{"data.svm", 8}};
  EXPECT_EQ(describe(of_file, all[3].points[1]), "dense-ring on loggp: data, batch 8, P=4, fp32");
}

}  // namespace
}  // namespace sparsewire
