// Boundaries that follow the supports.
#include <cstring>
#include <random>
#include <set>

#include "algorithms/phase/balanced_cuts.hpp"
#include "sim/loggp_world.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire::test {
namespace {

using ::testing::ElementsAre;

TEST(Quantiles, CutASupportIntoEqualCounts) {
  EXPECT_THAT(quantiles({1, 3, 8, 9, 20, 21}, 3), ElementsAre(8, 20));
  EXPECT_THAT(quantiles({1, 3, 8, 9, 20}, 2), ElementsAre(9));  // the first parts are the longer ones
  EXPECT_THAT(quantiles({5}, 4), ElementsAre(6, 6, 6));
}

using Cuts = std::vector<std::uint64_t>;

// The cuts that all ranks find.
Cuts cuts_of(const std::vector<std::vector<Index>>& supports, std::uint64_t dimension) {
  LogGPWorld world(cluster_machine());
  const RunResult result = world.run(static_cast<Rank>(supports.size()), [&](Transport& transport) {
    const Cuts cuts =
        balanced_cuts(transport, supports[static_cast<std::size_t>(transport.rank())], dimension);
    const auto* bytes = reinterpret_cast<const std::byte*>(cuts.data());
    return Output(bytes, bytes + cuts.size() * sizeof cuts[0]);
  });
  expect_agreement(result);
  Cuts cuts(result[0].output.size() / sizeof(std::uint64_t));
  std::memcpy(cuts.data(), result[0].output.data(), result[0].output.size());
  return cuts;
}

TEST(BalancedCuts, AreAveragesOfQuantiles) {
  EXPECT_THAT(cuts_of({{0, 10}, {0, 20}}, 100), ElementsAre(0, 15, 100));
  EXPECT_THAT(cuts_of({{7}}, 100), ElementsAre(0, 100));
}
TEST(BalancedCuts, LeaveOutRanksWithoutElements) {
  EXPECT_THAT(cuts_of({{0, 10}, {}}, 100), ElementsAre(0, 10, 100));
  EXPECT_THAT(cuts_of({{}, {}, {}}, 90), ElementsAre(0, 30, 60, 90));
}
TEST(BalancedCuts, MayBeEqual) {
  EXPECT_THAT(cuts_of({{50}, {50}, {50}, {50}}, 100), ElementsAre(0, 51, 51, 51, 100));
}
TEST(BalancedCuts, NeverDecrease) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<std::vector<Index>> supports(1 + random() % 9);
    for (auto& support : supports) {
      std::set<Index> indices;
      for (std::uint64_t i = random() % 20; i > 0; --i) indices.insert(static_cast<Index>(random() % 1000));
      support.assign(indices.begin(), indices.end());
    }
    const Cuts cuts = cuts_of(supports, 1000);
    EXPECT_EQ(cuts.size(), supports.size() + 1);
    EXPECT_TRUE(std::is_sorted(cuts.begin(), cuts.end()));
    EXPECT_EQ(cuts.front(), 0u);
    EXPECT_EQ(cuts.back(), 1000u);
  }
}

// All elements lie in one of P equal ranges, with supports that are alike: 8 of 10 elements in common.
Vectors<float> crowded_vectors(Rank ranks, std::uint64_t dimension, std::uint64_t count) {
  std::mt19937_64 random(3);
  Vectors<float> inputs;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<std::pair<std::int64_t, float>> pairs;
    for (std::uint64_t i = 0; i < count; ++i)
      pairs.emplace_back(i * 10 + (i % 5 == 0 ? random() % 10 : 0), 1.0f);
    inputs.push_back(sparse_vector<float>(dimension, pairs));
  }
  return inputs;
}

// Elements that each rank takes in and adds: what the owners' loads are in the split.
std::vector<std::uint64_t> merged_elements(const RunResult& result) {
  std::vector<std::uint64_t> loads;
  for (const RankResult& rank : result) loads.push_back(rank.counters.work[WorkKind::merge]);
  return loads;
}

TEST(BalancedSplit, SharesWhatCrowdsIntoOneRange) {
  constexpr Rank kRanks = 8;
  constexpr std::uint64_t kCount = 800;
  const Vectors<float> inputs = crowded_vectors(kRanks, kRanks * 16000, kCount);
  LogGPWorld world(cluster_machine());
  const auto run = [&](const char* name) {
    return expect_sum(world, allreduce_named<Stream<float>>(name), inputs);
  };
  const RunResult equal = run("ssar-split-allgather"), balanced = run("balanced-split-allgather");
  const auto heaviest = [](const std::vector<std::uint64_t>& loads) {
    return *std::max_element(loads.begin(), loads.end());
  };
  // one owner merges everything; and shared out, an eighth of it each
  EXPECT_EQ(std::ranges::count(merged_elements(equal), 0u), kRanks - 1);
  EXPECT_LT(heaviest(merged_elements(balanced)),
            1.2 / kRanks * static_cast<double>(heaviest(merged_elements(equal))));
  const auto most_bytes = [](const RunResult& result) {
    std::uint64_t most = 0;
    for (const RankResult& rank : result) most = std::max(most, rank.counters.wire_bytes);
    return most;
  };
  EXPECT_LT(most_bytes(balanced), most_bytes(equal) / 2);
}

}  // namespace
}  // namespace sparsewire::test
