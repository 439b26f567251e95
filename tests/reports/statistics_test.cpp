#include "reports/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace sparsewire {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

using Interval = std::array<double, 2>;

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(median(std::vector{7.0}), 7.0);
  EXPECT_EQ(median(std::vector{9.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median(std::vector{4.0, 1.0, 100.0, 3.0}), 3.5);
}

TEST(Median, DoesNotOverflowBetweenLargeValues) {
  const double big = std::numeric_limits<double>::max();
  EXPECT_EQ(median(std::vector{big, big}), big);
}

TEST(Statistics, RefusesNoSamplesAndNaN) {
  const std::vector<double> none, bad{1.0, std::nan(""), 2.0};
  EXPECT_THROW(median(none), std::invalid_argument);
  EXPECT_THROW(median(bad), std::invalid_argument);
  EXPECT_THROW(median_confidence(none), std::invalid_argument);
  EXPECT_THROW(median_confidence(bad), std::invalid_argument);
}

TEST(MedianConfidence, NeedsSixSamples) {
  for (int n = 1; n <= 5; ++n) EXPECT_FALSE(median_confidence(one_to(n))) << n;
  EXPECT_EQ(median_confidence(one_to(6)), (Interval{1, 6}));
}

// Tables of Le Boudec's book and of binomial confidence intervals in general.
TEST(MedianConfidence, HasTheRanksOfTheTables) {
  EXPECT_EQ(median_confidence(one_to(8)), (Interval{1, 8}));
  EXPECT_EQ(median_confidence(one_to(9)), (Interval{2, 8}));
  EXPECT_EQ(median_confidence(one_to(10)), (Interval{2, 9}));
  EXPECT_EQ(median_confidence(one_to(20)), (Interval{6, 15}));
  EXPECT_EQ(median_confidence(one_to(30)), (Interval{10, 21}));
  EXPECT_EQ(median_confidence(one_to(100)), (Interval{40, 61}));
}

TEST(MedianConfidence, FollowsTheNormalApproximationWhenLarge) {
  constexpr int kSamples = 100000;
  const Interval interval = median_confidence(one_to(kSamples)).value();
  EXPECT_NEAR(interval[0], kSamples / 2.0 - 0.98 * std::sqrt(kSamples), 2);
  EXPECT_EQ(interval[0] + interval[1], kSamples + 1);
}

// The definition by exact integers: the ranks cover 95 %, and one rank further in they do not.
RC_GTEST_PROP(MedianConfidence, CoversJustEnough, ()) {
  const int n = *rc::gen::inRange(6, 60);
  const auto rank = static_cast<int>(median_confidence(one_to(n)).value()[0]);
  std::vector<long double> binomial(n + 1, 1);
  for (int k = 1; k <= n; ++k) binomial[k] = binomial[k - 1] * (n - k + 1) / k;
  const auto coverage = [&](int j) {
    return std::accumulate(binomial.begin() + j, binomial.end() - j, 0.0L) / std::pow(2.0L, n);
  };
  RC_ASSERT(coverage(rank) >= 0.95L);
  RC_ASSERT(rank + 1 > n / 2 || coverage(rank + 1) < 0.95L);
}

RC_GTEST_PROP(MedianConfidence, HoldsTheMedianInAnyOrder, ()) {
  const auto whole =
      *rc::gen::resize(300, rc::gen::suchThat<std::vector<int>>([](const auto& v) { return !v.empty(); }));
  std::vector<double> samples(whole.begin(), whole.end());
  const double middle = median(samples);
  const auto interval = median_confidence(samples);
  RC_ASSERT(interval.has_value() == (samples.size() >= 6));
  if (interval) RC_ASSERT((*interval)[0] <= middle && middle <= (*interval)[1]);
  std::ranges::reverse(samples);
  RC_ASSERT(median(samples) == middle);
  RC_ASSERT(median_confidence(samples) == interval);
}

TEST(RelativeError, IsThatOfTheEuclideanNorm) {
  const std::vector<double> expected = {3, 4}, zeros = {0, 0};
  EXPECT_EQ(relative_error(expected, expected), 0);
  EXPECT_DOUBLE_EQ(relative_error(std::vector<double>{3, 3}, expected), 0.2);
  EXPECT_EQ(relative_error(expected, zeros), 5);
  EXPECT_EQ(relative_error({}, {}), 0);
}

}  // namespace
}  // namespace sparsewire
