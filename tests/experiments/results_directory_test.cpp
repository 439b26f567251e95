#include "experiments/results_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/results_io.hpp"
#include "tests/reports/example_measurements.hpp"

namespace sparsewire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
namespace fs = std::filesystem;

class ResultsDirectory : public testing::Test {
 protected:
  void append(const std::vector<Measurement>& measurements) const {
    ResultsWriter writer(paths_.points);
    for (const Measurement& measurement : measurements) writer.append(measurement);
  }
  std::vector<double> current_times() const {
    std::vector<double> times;
    for (const Measurement& m : current_measurements(paths_)) times.push_back(m.time_s);
    return times;
  }

  TemporaryDirectory folder_;
  ResultsPaths paths_ = results_paths(folder_.path());
};

Measurement with(Measurement measurement, const std::string& key, Seconds time,
                 const std::string& status = "ok") {
  measurement.key = key;
  measurement.time_s = time;
  measurement.status = status;
  return measurement;
}

Measurement sample(double density = 0.1) {
  return point("sparse-ring", "sparse", density, 1);
}

TEST_F(ResultsDirectory, IsEmptyAtFirst) {
  EXPECT_THAT(current_measurements(paths_), IsEmpty());
  EXPECT_THROW(write_table(paths_), std::invalid_argument);
  append({});
  EXPECT_THAT(current_measurements(paths_), IsEmpty());
}

TEST_F(ResultsDirectory, TakesTheLastOfSeveralMeasurementsOfAPoint) {
  append({with(sample(), "a", 1, "failed"), with(sample(0.2), "b", 5), with(sample(), "a", 2)});
  EXPECT_THAT(current_times(), ElementsAre(2, 5));
  append({with(sample(), "other version", 3)});
  EXPECT_THAT(current_times(), ElementsAre(3, 5));
}

TEST_F(ResultsDirectory, TellsPointsApartByAllThatChartsTellApart) {
  const std::vector<void (*)(Measurement&)> changes = {
      [](Measurement& m) { m.experiment += "x"; },  [](Measurement& m) { m.backend = "loggp"; },
      [](Measurement& m) { m.algorithm += "x"; },   [](Measurement& m) { m.workload += "x"; },
      [](Measurement& m) { m.machine += "x"; },     [](Measurement& m) { m.topology += "x"; },
      [](Measurement& m) { m.precision = "fp64"; }, [](Measurement& m) { m.ranks += 1; },
      [](Measurement& m) { m.dimension += 1; },     [](Measurement& m) { m.density *= 2; },
      [](Measurement& m) { m.seed += 1; },
  };
  std::vector<Measurement> all = {with(sample(), "original", 1)};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    all.push_back(with(sample(), std::to_string(i), 1));
    changes[i](all.back());
  }
  append(all);
  EXPECT_EQ(current_measurements(paths_).size(), all.size());
}

TEST_F(ResultsDirectory, TellsPointsOfAFileThatHasTooFewRowsApartByTheReason) {
  Measurement a = with(sample(), "a", 0, "skipped"), b = with(sample(), "b", 0, "skipped");
  for (Measurement* m : {&a, &b}) m->dimension = 0, m->density = 0;
  a.reason = "8 rows needed, the file has 5", b.reason = "16 rows needed, the file has 5";
  append({a, b});
  EXPECT_EQ(current_measurements(paths_).size(), 2u);
  a.key = "a of another version";
  append({a});
  EXPECT_EQ(current_measurements(paths_).size(), 2u);
}

TEST_F(ResultsDirectory, TakesAPointOfAFileOnceItHasEnoughRows) {
  Measurement before = with(sample(), "a", 0, "skipped");
  before.dimension = 0, before.density = 0;
  before.reason = "out of memory";
  append({before, with(sample(), "a", 4)});
  EXPECT_THAT(current_times(), ElementsAre(4));
}

TEST_F(ResultsDirectory, CountsOnlyWhatIsOkAsFinished) {
  append({with(sample(0.1), "a", 1), with(sample(0.2), "b", 1, "failed"),
          with(sample(0.3), "c", 1, "skipped"), with(sample(0.4), "d", 1, "failed"),
          with(sample(0.4), "d", 1)});
  EXPECT_THAT(finished_keys(current_measurements(paths_)), ElementsAre("a", "d"));
}

TEST_F(ResultsDirectory, ComputesAPointAgainWhoseOldKeyWasOvertaken) {
  append({with(sample(), "old version", 1), with(sample(), "new version", 2)});
  EXPECT_THAT(finished_keys(current_measurements(paths_)), ElementsAre("new version"));
}

TEST_F(ResultsDirectory, ForgetsALineThatWasCutOff) {
  append({with(sample(0.1), "a", 1), with(sample(0.2), "b", 1)});
  std::string text = text_of(paths_.points);
  write_text(paths_.points, text.substr(0, text.size() - 20));
  EXPECT_THAT(finished_keys(current_measurements(paths_)), ElementsAre("a"));
  append({with(sample(0.2), "b", 1)});
  EXPECT_THAT(finished_keys(current_measurements(paths_)), ElementsAre("a", "b"));
}

TEST_F(ResultsDirectory, NamesTheLineThatIsNoMeasurement) {
  append({with(sample(0.1), "a", 1)});
  write_text(paths_.points, text_of(paths_.points) + "nonsense\n");
  try {
    current_measurements(paths_);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("points.jsonl:2"));
  }
}

TEST_F(ResultsDirectory, HasTableAndPlots) {
  std::vector<Measurement> measurements = crossing_pair();
  for (std::size_t i = 0; i < measurements.size(); ++i) measurements[i].key = std::to_string(i);
  append(measurements);
  const std::string table = write_table(paths_);
  EXPECT_THAT(table, HasSubstr("points.jsonl"));
  EXPECT_THAT(table, HasSubstr("->"));  // the crossover
  EXPECT_TRUE(fs::exists(paths_.csv));
  EXPECT_FALSE(fs::exists(paths_.plots));
  const std::string plots = write_plots(paths_);
  const std::string first = plots.substr(plots.find("plot:    ") + 9);
  EXPECT_TRUE(fs::exists(first.substr(0, first.find('\n')))) << plots;
  EXPECT_THAT(plots, HasSubstr("time_simgrid_"));
}

TEST_F(ResultsDirectory, HasNoPlotsWhereEverythingWasSkipped) {
  append({with(sample(), "a", 0, "skipped")});
  EXPECT_THAT(write_table(paths_), HasSubstr("skipped"));
  EXPECT_EQ(write_plots(paths_), "");
}

}  // namespace
}  // namespace sparsewire
