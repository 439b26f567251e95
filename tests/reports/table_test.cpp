#include "reports/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reports/example_measurements.hpp"

namespace sparsewire {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ResultsTable, ShowsTimesWinnersAndCrossovers) {
  EXPECT_EQ(results_table(crossing_pair()),
            "simgrid  uniform  N=2^20  fp32  P=64  machine daint  topology torus\n"
            " density   ssar-ring   dense-ring\n"
            "  0.0001     10.0 us *    1.00 ms\n"
            "   0.001      100 us *    1.00 ms\n"
            "     0.1     10.0 ms      1.00 ms *\n"
            "\n"
            "P=64 N=1048576 uniform fp32 simgrid: ssar-ring -> dense-ring at density 0.01\n"
            "P=64 N=1048576 uniform fp32 simgrid: best family: sparse, dense from 0.01\n");
}

TEST(ResultsTable, ShowsTheCodecUnlessItIsTheDefault) {
  std::vector<Measurement> both = crossing_pair();
  for (Measurement m : crossing_pair()) {
    m.codec = "bitmap";
    both.push_back(m);
  }
  const std::string table = results_table(both);
  EXPECT_THAT(table, HasSubstr("simgrid  uniform  N=2^20  fp32  P=64  machine"));
  EXPECT_THAT(table, HasSubstr("simgrid  uniform  N=2^20  fp32 bitmap  P=64  machine"));
  EXPECT_THAT(table,
              HasSubstr("P=64 N=1048576 uniform fp32 bitmap simgrid: best family: sparse, dense from 0.01"));
}

TEST(ResultsTable, WrapsLongNames) {
  EXPECT_THAT(results_table({point("ssar-recursive-double", "sparse", 0.1, 1e-6)}),
              HasSubstr("                ssar-\n"
                        "           recursive-\n"
                        " density       double\n"
                        "     0.1      1.00 us *\n"));
}

TEST(ResultsTable, ComparesExactAlgorithmsOnly) {
  auto measurements = crossing_pair();
  for (const double density : {0.0001, 0.001, 0.1}) {
    measurements.push_back(measurements[0]);
    measurements.back().algorithm = "spardl", measurements.back().family = "lossy";
    measurements.back().density = density, measurements.back().time_s = 1e-9;
    measurements.back().samples_s = {1e-9};
  }
  EXPECT_EQ(results_table(measurements),
            "simgrid  uniform  N=2^20  fp32  P=64  machine daint  topology torus\n"
            " density   ssar-ring   dense-ring    spardl\n"
            "  0.0001     10.0 us *    1.00 ms   1.00 ns\n"
            "   0.001      100 us *    1.00 ms   1.00 ns\n"
            "     0.1     10.0 ms      1.00 ms * 1.00 ns\n"
            "\n"
            "P=64 N=1048576 uniform fp32 simgrid: ssar-ring -> dense-ring at density 0.01\n"
            "P=64 N=1048576 uniform fp32 simgrid: best family: sparse, dense from 0.01\n");
}

TEST(ResultsTable, CountsWhatIsMissingByReason) {
  auto measurements = crossing_pair();
  for (const char* reason : {"asks for 64 ranks, 4 are there", "asks for 64 ranks, 4 are there", ""}) {
    measurements.push_back(point("other", "sparse", 0.1, 0));
    measurements.back().status = *reason ? "skipped" : "failed";
    measurements.back().reason = reason;
  }
  const std::string text = results_table(measurements);
  EXPECT_THAT(text, HasSubstr("2 points skipped: asks for 64 ranks, 4 are there\n"));
  EXPECT_THAT(text, HasSubstr("1 point failed: no reason given\n"));
  EXPECT_THAT(text, HasSubstr("failed"));
  EXPECT_THAT(text, HasSubstr("dense from 0.01\n"));
}

TEST(ResultsTable, SaysWhichPointsAreDoubtful) {
  auto measurements = crossing_pair();
  measurements[0].ranks_agree = false;
  measurements.push_back(point("ssar-ring", "sparse", 0, 1e-6));
  const std::string text = results_table(measurements);
  EXPECT_THAT(text, HasSubstr("1 point where ranks ended with different bits\n"));
  EXPECT_THAT(text, HasSubstr("1 point left out of crossovers: density or time not positive\n"));
  EXPECT_THAT(text, HasSubstr("1.00 us *"));
}

TEST(ResultsTable, MarksEveryWinnerOfATie) {
  const std::string text = results_table({point("a", "sparse", 0.1, 1), point("b", "dense", 0.1, 1)});
  EXPECT_THAT(text, HasSubstr("1.00 s * 1.00 s *"));
  EXPECT_THAT(text, HasSubstr("sparse always"));
}

TEST(ResultsTable, TakesTheMedianOfSeveralSeeds) {
  const std::string text = results_table(
      {point("a", "sparse", 0.1, 1), point("a", "sparse", 0.1, 9), point("a", "sparse", 0.1, 2)});
  EXPECT_THAT(text, HasSubstr("2.00 s *"));
  EXPECT_THAT(text, Not(HasSubstr("9.00 s")));
  EXPECT_THAT(text, HasSubstr("no dense algorithm to compare"));
}

TEST(ResultsTable, TellsPlacesApartInCrossovers) {
  auto measurements = crossing_pair();
  for (Measurement m : crossing_pair()) {
    m.topology = "dragonfly";
    measurements.push_back(m);
  }
  const std::string text = results_table(measurements);
  EXPECT_THAT(text, HasSubstr("fp32 simgrid daint torus: best family: sparse, dense from 0.01"));
  EXPECT_THAT(text, HasSubstr("fp32 simgrid daint dragonfly: best family: sparse, dense from 0.01"));
}

TEST(ResultsTable, ShowsFailedSeriesAndNoResults) {
  Measurement failed = point("a", "sparse", 0.1, 0);
  failed.status = "failed", failed.reason = "deadlock";
  EXPECT_THAT(results_table({failed}), HasSubstr("1 point failed: deadlock"));
  EXPECT_EQ(results_table({}), "no results\n");
}

}  // namespace
}  // namespace sparsewire
