// Owners by hash, and what is pulled from them.
#include "algorithms/allreduce/zen.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <set>

#include "sim/loggp_world.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/random_vectors.hpp"

namespace sparsewire::test {
namespace {

TEST(HashDeal, GivesEachIndexOnePlace) {
  for (const Rank owners : {1, 2, 3, 7, 16})
    for (const std::uint64_t dimension : {0, 1, 2, 5, 16, 37, 200})
      for (const std::uint64_t seed : {0, 1, 99}) {
        const HashDeal deal(dimension, owners, seed);
        EXPECT_EQ(deal.begin_of(0), 0u);
        EXPECT_EQ(deal.begin_of(owners), dimension);
        std::set<std::uint64_t> places;
        for (std::uint64_t index = 0; index < dimension; ++index) {
          const Rank owner = deal.owner_of(index);
          const std::uint64_t n = deal.number_of(index), place = deal.begin_of(owner) + n;
          ASSERT_LT(place, deal.begin_of(owner + 1));
          ASSERT_EQ(deal.index_of(owner, n), index);
          places.insert(place);
        }
        EXPECT_EQ(places.size(), dimension);
        for (Rank owner = 0; owner < owners; ++owner) {
          const std::uint64_t share = deal.begin_of(owner + 1) - deal.begin_of(owner);
          EXPECT_TRUE(share == dimension / static_cast<std::uint64_t>(owners) ||
                      share == dimension / static_cast<std::uint64_t>(owners) + 1);
        }
      }
}

// A universal family: over the seeds, two indices have the same owner with probability 1/P at most.
TEST(HashDeal, IsUniversal) {
  constexpr Rank kOwners = 8;
  constexpr int kSeeds = 4000;
  for (const auto& [a, b] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 1}, {0, 8}, {3, 11}, {5, 800}, {16, 4096}, {1, 65}}) {
    int collisions = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const HashDeal deal(1 << 20, kOwners, seed);
      if (deal.owner_of(a) == deal.owner_of(b)) ++collisions;
    }
    EXPECT_LT(collisions, 1.2 * kSeeds / kOwners) << a << ' ' << b;
  }
}

// Runs, strides (that of P included), and powers of two: no owner has more than its share and some.
TEST(HashDeal, BalancesSkewedIndices) {
  constexpr Rank kOwners = 16;
  constexpr std::uint64_t kCount = 16000;
  const HashDeal deal(1 << 26, kOwners, 1);
  for (const std::uint64_t stride : {1, 2, 16, 64, 1000, 4096}) {
    std::vector<std::uint64_t> loads(kOwners);
    for (std::uint64_t i = 0; i < kCount; ++i) ++loads[static_cast<std::size_t>(deal.owner_of(i * stride))];
    EXPECT_LT(*std::max_element(loads.begin(), loads.end()), 1.15 * kCount / kOwners) << stride;
  }
}

RC_GTEST_PROP(StreamDeal, IsUndone, ()) {
  const auto dimension = *rc::gen::inRange<std::uint64_t>(0, 80);
  const auto owners = *rc::gen::inRange<Rank>(1, 9);
  const bool dense = *rc::gen::arbitrary<bool>();
  SparseVector<float> vector{dimension, {}, {}};
  for (std::uint64_t i = 0; i < dimension; ++i) {
    if (!*rc::gen::arbitrary<bool>()) continue;
    vector.indices.push_back(static_cast<Index>(i));
    vector.values.push_back(static_cast<float>(i + 1));
  }
  Stream<float> stream = Stream<float>::sparse(0, dimension, vector.indices, vector.values);
  if (dense) stream = densified(stream).value;
  const HashDeal deal(dimension, owners, *rc::gen::inRange<std::uint64_t>(0, 100));
  const std::vector<Stream<float>> shares = dealt(stream, deal).value;
  for (Rank owner = 0; owner < owners; ++owner) {
    RC_ASSERT(shares[static_cast<std::size_t>(owner)].begin() == deal.begin_of(owner));
    RC_ASSERT(shares[static_cast<std::size_t>(owner)].end() == deal.begin_of(owner + 1));
  }
  RC_ASSERT(sparse_vector_of(undealt(shares, deal).value) == vector);
}

std::uint64_t union_size(const Vectors<float>& inputs) {
  std::set<Index> all;
  for (const SparseVector<float>& input : inputs) all.insert(input.indices.begin(), input.indices.end());
  return all.size();
}

RunResult run(const std::string& algorithm, const Vectors<float>& inputs) {
  LogGPWorld world(cluster_machine());
  return expect_sum(world, allreduce_named<Stream<float>>(algorithm), inputs);
}

// Push: (P-1)/P k pairs. Pull: (P-1)/P (K v + N/8) bytes, whatever the skew; sent by each rank.
TEST(Zen, PullsValuesAndABitmap) {
  constexpr Rank kRanks = 16;
  constexpr std::uint64_t kDimension = 1 << 20, kCount = 8000;
  for (const std::uint64_t range : {kDimension, kDimension / 8}) {
    const Vectors<float> inputs = random_vectors(kRanks, kCount, kDimension, range);
    const double others = (kRanks - 1.0) / kRanks;
    const double push = others * kCount * 8;
    const double pull = others * (static_cast<double>(union_size(inputs)) * 4 + kDimension / 8.0);
    for (const RankResult& rank : run("zen", inputs))
      EXPECT_NEAR(static_cast<double>(rank.counters.wire_bytes) / (push + pull), 1, 0.05) << range;
  }
}

// With K below N/32 the indices of pairs are smaller than the bitmap: pairs are pulled.
TEST(Zen, PullsPairsWhereTheyAreSmaller) {
  constexpr Rank kRanks = 16;
  constexpr std::uint64_t kDimension = 1 << 20, kCount = 400;
  const Vectors<float> inputs = random_vectors(kRanks, kCount, kDimension);
  const double pairs = 15.0 / 16 * 8 * static_cast<double>(kCount + union_size(inputs));
  EXPECT_LT(union_size(inputs), kDimension / 32);
  for (const RankResult& rank : run("zen", inputs))
    EXPECT_NEAR(static_cast<double>(rank.counters.wire_bytes) / pairs, 1, 0.15);
}

// Where all elements crowd into one owner's range, the split by ranges makes that owner send everything
// log2 P times; owners by hash share it.
TEST(Zen, IsBalancedWhateverTheSkew) {
  constexpr std::uint64_t kDimension = 1 << 20;
  const Vectors<float> inputs = random_vectors(16, 4000, kDimension, kDimension / 16);
  const auto most_and_least = [](const RunResult& result) {
    std::vector<std::uint64_t> bytes;
    for (const RankResult& rank : result) bytes.push_back(rank.counters.wire_bytes);
    const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
    return std::pair(*most, static_cast<double>(*most) / static_cast<double>(*least));
  };
  const auto [most, spread] = most_and_least(run("zen", inputs));
  const auto [most_by_range, spread_by_range] = most_and_least(run("ssar-split-allgather", inputs));
  EXPECT_LT(spread, 1.1);
  EXPECT_GT(spread_by_range, 4);
  EXPECT_LT(most, most_by_range / 2);
}

}  // namespace
}  // namespace sparsewire::test
