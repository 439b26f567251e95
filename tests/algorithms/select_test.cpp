// Selection of about k elements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "algorithms/lossy/select/selector.hpp"
#include "sim/loggp_world.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Values = std::vector<float>;

constexpr std::size_t kLength = 100000;

template <class Distribution>
Values drawn(Distribution distribution, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Values values(kLength);
  for (float& value : values) value = static_cast<float>(distribution(random)) * (random() % 2 == 0 ? 1 : -1);
  return values;
}
Values gaussian(std::uint64_t seed) {
  return drawn(std::normal_distribution<double>(0, 0.3), seed);
}
// Magnitudes of a Laplace distribution are exponential.
Values laplace(std::uint64_t seed) {
  return drawn(std::exponential_distribution<double>(5), seed);
}

double found_over_wanted(const Values& values, const Threshold& threshold, std::uint64_t count) {
  const auto found = at_least<float>(values, static_cast<float>(threshold.value)).size();
  return static_cast<double>(found) / static_cast<double>(count);
}

Selection selected(const Values& values, std::uint64_t count, const std::string& selector) {
  LogGPWorld world(cluster_machine());
  Selection selection;
  world.run(1, [&](Transport& transport) -> Output {
    selection = select<float>(transport, values, count, selector);
    return {};
  });
  return selection;
}

TEST(TopK, TakesTheLargestMagnitudesAndTheLowestOfEqualIndices) {
  const Values values{1, -5, 3, 0, 3, -3, 2};
  EXPECT_THAT(top_k<float>(values, 0), IsEmpty());
  EXPECT_THAT(top_k<float>(values, 1), ElementsAre(1));
  EXPECT_THAT(top_k<float>(values, 2), ElementsAre(1, 2));
  EXPECT_THAT(top_k<float>(values, 3), ElementsAre(1, 2, 4));
  EXPECT_THAT(top_k<float>(values, 5), ElementsAre(1, 2, 4, 5, 6));
}

TEST(TopK, LeavesZerosAndTakesWhatIsNotANumberFirst) {
  EXPECT_THAT(top_k<float>(Values{0, -0.0f, 2, 0}, 3), ElementsAre(2));
  EXPECT_THAT(top_k<float>(Values{0, -0.0f, 2, 0}, 9), ElementsAre(2));
  EXPECT_THAT(top_k<float>(Values{}, 3), IsEmpty());
  EXPECT_THAT(top_k<float>(Values{1, -NAN, -HUGE_VALF, 4}, 1), ElementsAre(1));
  EXPECT_THAT(top_k<float>(Values{1, -NAN, -HUGE_VALF, 4}, 2), ElementsAre(1, 2));
}

// The reference: sort all by magnitude, then index.
TEST(TopK, EqualsASortOfEverything) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    Values values(1 + random() % 60);
    for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 9) - 4);
    Selection order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return std::abs(values[a]) > std::abs(values[b]); });
    std::erase_if(order, [&](Index i) { return values[i] == 0; });
    order.resize(std::min<std::size_t>(order.size(), random() % 70));
    const std::uint64_t count = order.size();
    std::sort(order.begin(), order.end());
    EXPECT_EQ(top_k<float>(values, count), order) << seed;
  }
}

TEST(Estimators, AreWithinAQuarterOnTheDistributionThatTheyAssume) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const std::uint64_t count : {100u, 1000u, 10000u}) {
      EXPECT_NEAR(found_over_wanted(gaussian(seed), gaussian_threshold<float>(gaussian(seed), count), count),
                  1, 0.25);
      for (const unsigned stages : {1u, 3u})
        EXPECT_NEAR(found_over_wanted(laplace(seed),
                                      exponential_threshold<float>(laplace(seed), count, stages), count),
                    1, 0.25)
            << count << " in " << stages;
      EXPECT_NEAR(found_over_wanted(laplace(seed), pareto_threshold<float>(laplace(seed), count), count), 1,
                  0.35)
          << count;
    }
}

// Where the assumption fails one fit misses; stages follow the tail.
TEST(Estimators, MissOnOtherDistributionsAndStagesMissLess) {
  const Values values = gaussian(1);
  const std::uint64_t count = 100;
  const double plain = found_over_wanted(values, exponential_threshold<float>(values, count, 1), count);
  const double staged = found_over_wanted(values, exponential_threshold<float>(values, count, 3), count);
  EXPECT_LT(plain, 0.1);
  EXPECT_GT(staged, 3 * plain);
}

TEST(Selectors, AreBetweenHalfAndTwiceTheCountOnAnyDistribution) {
  for (const char* selector : {"exact", "gaussian", "exponential", "pareto", "chunks"})
    for (const Values& values : {gaussian(7), laplace(7), Values(kLength, 2.0f)})
      for (const std::uint64_t count : {1u, 100u, 5000u}) {
        const Selection selection = selected(values, count, selector);
        EXPECT_GE(2 * selection.size(), count) << selector;
        EXPECT_LE(selection.size(), 2 * count) << selector;
        EXPECT_TRUE(std::is_sorted(selection.begin(), selection.end()));
      }
}

TEST(Selectors, TakeAllWhereFewerThanTheCountAreNotZero) {
  Values values(1000);
  values[3] = 1, values[700] = -2;
  for (const char* selector : {"exact", "gaussian", "exponential", "pareto"}) {
    EXPECT_THAT(selected(values, 10, selector), ElementsAre(3, 700)) << selector;
    EXPECT_THAT(selected(Values(1000), 10, selector), IsEmpty()) << selector;
    EXPECT_THAT(selected(values, 0, selector), IsEmpty()) << selector;
  }
  EXPECT_THAT(selected(values, 10, "chunks"), ElementsAre(3, 700));
  EXPECT_THAT(selected({}, 10, "chunks"), IsEmpty());
}

TEST(Selectors, TakeWhatIsNotANumberAndFitTheOthers) {
  for (const char* selector : {"exact", "gaussian", "exponential", "pareto"}) {
    Values values = laplace(1);
    values[17] = NAN, values[18] = HUGE_VALF;
    const Selection selection = selected(values, 100, selector);
    EXPECT_THAT(selection, ::testing::IsSupersetOf({Index{17}, Index{18}})) << selector;
    EXPECT_LE(selection.size(), 200u) << selector;
  }
}

TEST(Selectors, RefuseAnUnknownName) {
  EXPECT_THROW(selected({1}, 1, "best"), std::exception);
}

TEST(Chunks, GiveTheirLargestElement) {
  EXPECT_THAT(largest_of_chunks<float>(Values{1, 4, 2, 0, 0, -3, 3}, 3), ElementsAre(1, 5));
  EXPECT_THAT(largest_of_chunks<float>(Values{1, 4, 2, 0, 0, -3, 3}, 2), ElementsAre(1, 5));
  EXPECT_THAT(largest_of_chunks<float>(Values{1, 4}, 5), ElementsAre(0, 1));
}

}  // namespace
}  // namespace sparsewire::test
