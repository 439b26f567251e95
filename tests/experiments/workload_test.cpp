#include "experiments/workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <fstream>
#include <numeric>
#include <set>

#include "experiments/random.hpp"

namespace sparsewire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const Workload kUniform{"uniform", Uniform{}};

void require_exact(const std::vector<SparseVector<float>>& vectors, Rank ranks, std::uint64_t dimension,
                   std::uint64_t count) {
  RC_ASSERT(std::ssize(vectors) == ranks);
  for (const auto& vector : vectors) {
    require_valid(vector);
    RC_ASSERT(vector.dimension == dimension);
    RC_ASSERT(vector.count() == count);
    for (const float value : vector.values) {
      RC_ASSERT(value == std::trunc(value));
      RC_ASSERT(std::abs(value) >= 1 && std::abs(value) <= 8);
    }
  }
}

struct Point {
  Rank ranks;
  std::uint64_t dimension;
  double density;
  std::uint64_t seed;
};

Point any_point() {
  return {*rc::gen::inRange<Rank>(1, 8), *rc::gen::inRange<std::uint64_t>(1, 3000),
          *rc::gen::element(0.0, 1e-9, 0.001, 0.03, 0.3, 0.5, 0.77, 1.0),
          *rc::gen::arbitrary<std::uint64_t>()};
}

void require_exact_and_reproducible(const Workload& workload) {
  const Point p = any_point();
  const auto vectors = generate<float>(workload, p.ranks, p.dimension, p.density, p.seed);
  require_exact(vectors, p.ranks, p.dimension, nonzeros(p.dimension, p.density));
  RC_ASSERT((generate<float>(workload, p.ranks, p.dimension, p.density, p.seed) == vectors));
  const auto doubles = generate<double>(workload, p.ranks, p.dimension, p.density, p.seed);
  for (std::size_t rank = 0; rank < vectors.size(); ++rank) {
    RC_ASSERT(doubles[rank].indices == vectors[rank].indices);
    RC_ASSERT(std::ranges::equal(doubles[rank].values, vectors[rank].values));
  }
}

RC_GTEST_PROP(Workload, UniformIsExactAndReproducible, ()) {
  require_exact_and_reproducible(kUniform);
}

RC_GTEST_PROP(Workload, PowerLawIsExactAndReproducible, ()) {
  require_exact_and_reproducible({"", PowerLaw{*rc::gen::element(0.1, 1.0, 1.5, 3.0, 16.0, 200.0)}});
}

RC_GTEST_PROP(Workload, ClusteredIsExactAndReproducible, ()) {
  require_exact_and_reproducible({"", Clustered{*rc::gen::inRange(1u, 4000u)}});
}

RC_GTEST_PROP(Workload, EqualRanksAreExactAndReproducible, ()) {
  require_exact_and_reproducible({"", Overlap{1.0}});
}

std::set<Index> common_indices(const std::vector<SparseVector<float>>& vectors) {
  std::set<Index> common(vectors[0].indices.begin(), vectors[0].indices.end());
  for (const auto& vector : vectors) {
    std::set<Index> both;
    for (const Index index : vector.indices)
      if (common.contains(index)) both.insert(index);
    common = both;
  }
  return common;
}

RC_GTEST_PROP(Workload, OverlapFractionIsExact, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(2, 9);
  const double fraction = *rc::gen::element(0.0, 0.1, 0.25, 0.5, 0.9, 1.0);
  const auto dimension = *rc::gen::inRange<std::uint64_t>(100, 3000);
  const double density = *rc::gen::element(0.01, 0.05, 0.1);
  const auto count = nonzeros(dimension, density);
  const auto shared = static_cast<std::uint64_t>(std::llround(fraction * static_cast<double>(count)));
  const auto vectors = generate<float>({"", Overlap{fraction}}, ranks, dimension, density, 7);
  require_exact(vectors, ranks, dimension, count);
  RC_ASSERT(common_indices(vectors).size() == shared);
  RC_ASSERT(union_table(vectors).back() == static_cast<double>(shared + ranks * (count - shared)));
}

RC_GTEST_PROP(Workload, UnionTableCountsLikeASet, ()) {
  const Point p = any_point();
  const auto vectors = generate<double>(kUniform, p.ranks, p.dimension, p.density, p.seed);
  std::set<Index> seen;
  std::vector<double> expected;
  for (const auto& vector : vectors) {
    seen.insert(vector.indices.begin(), vector.indices.end());
    expected.push_back(static_cast<double>(seen.size()));
  }
  RC_ASSERT(union_table(vectors) == expected);
}

// How many elements of consecutive indices each maximal run has.
std::vector<std::size_t> run_lengths(const std::vector<Index>& indices) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (i == 0 || indices[i] != indices[i - 1] + 1) lengths.push_back(0);
    ++lengths.back();
  }
  return lengths;
}

TEST(Workload, ClusteredHasRunsOfTheLength) {
  const auto vectors = generate<float>({"", Clustered{16}}, 3, 1 << 20, 1000.0 / (1 << 20), 5);
  for (const auto& vector : vectors) {
    ASSERT_EQ(vector.count(), 1000u);
    std::size_t uneven = 0;
    for (const std::size_t length : run_lengths(vector.indices)) uneven += length % 16 != 0 ? 1 : 0;
    EXPECT_EQ(uneven, 1u);  // 1000 = 62 * 16 + 8; runs that touch make multiples
  }
  EXPECT_NE(vectors[0].indices, vectors[1].indices);
}

TEST(Workload, SeedsAndRanksGiveDifferentVectors) {
  const auto one = generate<float>(kUniform, 2, 10000, 0.01, 1);
  const auto two = generate<float>(kUniform, 2, 10000, 0.01, 2);
  EXPECT_NE(one[0], one[1]);
  EXPECT_NE(one[0], two[0]);
  EXPECT_NE(one[1], two[0]);
}

TEST(Workload, IsTheSameOnEveryPlatform) {
  const auto vectors = generate<float>(kUniform, 2, 1000, 0.005, 1);
  EXPECT_THAT(vectors[0].indices, ElementsAre(254, 327, 391, 439, 742));
  EXPECT_THAT(vectors[1].values, ElementsAre(-4, -7, -5, 1, 8));
}

TEST(Workload, UniformHitsEveryIndexEquallyOften) {
  std::vector<double> hits(20);
  constexpr int kRanks = 20000;
  for (const auto& vector : generate<float>(kUniform, kRanks, 20, 0.25, 3))
    for (const Index index : vector.indices) ++hits[index];
  const double expected = kRanks * 0.25, sigma = std::sqrt(kRanks * 0.25 * 0.75);
  for (const double count : hits) EXPECT_NEAR(count, expected, 5 * sigma);
}

// Chance of each index to be among two draws without replacement with weights 1, 1/2, 1/3 and so on.
std::vector<double> chances_in_two_draws(std::size_t dimension) {
  std::vector<double> weights(dimension), chances(dimension);
  for (std::size_t i = 0; i < dimension; ++i) weights[i] = 1.0 / static_cast<double>(i + 1);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < dimension; ++i) {
    chances[i] = weights[i] / total;
    for (std::size_t first = 0; first < dimension; ++first)
      if (first != i) chances[i] += weights[first] / total * weights[i] / (total - weights[first]);
  }
  return chances;
}

// The short vector is filled by smallest keys, the long one by repeated draws.
TEST(Workload, PowerLawHasTheExactChancesByEitherMethod) {
  constexpr int kRanks = 40000;
  for (const std::size_t dimension : {4u, 40u}) {
    const auto chances = chances_in_two_draws(dimension);
    std::vector<double> hits(dimension);
    for (const auto& vector :
         generate<float>({"", PowerLaw{1}}, kRanks, dimension, 2.0 / static_cast<double>(dimension), 3))
      for (const Index index : vector.indices) ++hits[index];
    for (std::size_t i = 0; i < dimension; ++i)
      EXPECT_NEAR(hits[i] / kRanks, chances[i], 5 * std::sqrt(chances[i] * (1 - chances[i]) / kRanks)) << i;
  }
}

TEST(Workload, PowerLawRanksOverlapMoreThanUniformOnes) {
  const auto uniform = union_table(generate<float>(kUniform, 16, 1 << 16, 0.01, 1));
  const auto skewed = union_table(generate<float>({"", PowerLaw{1}}, 16, 1 << 16, 0.01, 1));
  EXPECT_LT(skewed.back(), 0.7 * uniform.back());
}

TEST(Workload, SparseVectorsOfTheGreatestDimensionAreQuick) {
  const auto vectors = generate<float>(kUniform, 2, kMaxDimension, 1e-7, 1);
  EXPECT_EQ(vectors[0].count(), 429u);
  EXPECT_GT(vectors[0].indices.back(), Index{1} << 31);
  require_valid(vectors[0]);
}

TEST(Workload, RefusesImpossibleShapes) {
  EXPECT_THROW(generate<float>(kUniform, 0, 10, 0.5, 1), std::invalid_argument);
  EXPECT_THROW(generate<float>(kUniform, 1, 0, 0.5, 1), std::invalid_argument);
  EXPECT_THROW(generate<float>(kUniform, 1, kMaxDimension + 1, 0.0, 1), InvalidVector);
  for (const double density : {-0.1, 1.1, std::nan("")})
    EXPECT_THROW(generate<float>(kUniform, 1, 10, density, 1), std::invalid_argument);
  EXPECT_THROW(generate<float>({"", PowerLaw{1}}, 1, kMaxPowerLawDimension + 1, 1e-6, 1),
               std::invalid_argument);
  EXPECT_THAT(
      [] {
        generate<float>({"", Overlap{0.5}}, 4, 100, 0.5, 1);
      },
      ThrowsMessage<std::invalid_argument>("overlap 0.5 of 4 ranks with 50 non-zeros each needs 125 distinct "
                                           "indices, but the dimension is 100"));
}

TEST(Nonzeros, IsRoundedAndAtLeastOneUnlessTheDensityIsZero) {
  EXPECT_EQ(nonzeros(1000, 0), 0u);
  EXPECT_EQ(nonzeros(1000, 1e-9), 1u);
  EXPECT_EQ(nonzeros(1000, 0.0105), 11u);
  EXPECT_EQ(nonzeros(1000, 1), 1000u);
  EXPECT_EQ(nonzeros(kMaxDimension, 1), kMaxDimension);
}

TEST(SumRows, AddsTheRowsOfEachRank) {
  const SvmlightData data{10, {{{1, 1.0}}, {{1, 2.0}, {0, 0.5}}, {}, {{9, 4.0}, {9, 1.0}}, {{5, 1.0}}}};
  const auto vectors = sum_rows<float>(data, 2, 2);
  ASSERT_EQ(vectors.size(), 2u);
  EXPECT_EQ(vectors[0], (SparseVector<float>{10, {0, 1}, {0.5f, 3.0f}}));
  EXPECT_EQ(vectors[1], (SparseVector<float>{10, {9}, {5.0f}}));
}

TEST(SumRows, NamesRowsNeededAndPresent) {
  EXPECT_THAT(
      [] {
        sum_rows<double>({10, {{}, {}, {}}}, 2, 2);
      },
      ThrowsMessage<NotEnoughData>("2 ranks with 2 rows each need 4 rows of data, but the file has 3"));
}

TEST(UnionTable, RefusesDifferentDimensions) {
  EXPECT_THROW(union_table<float>({{10, {}, {}}, {11, {}, {}}}), std::invalid_argument);
  EXPECT_TRUE(union_table<float>({}).empty());
}

TEST(Workload, ReadsDataFiles) {
  const auto path = std::filesystem::path(testing::TempDir()) / "workload_test.svm";
  std::ofstream(path) << "# N=7\n1:1\n2:1\n";
  const auto vectors = generate<double>({"", SvmlightFile{path, 1}}, 2, 0, 0, 1);
  ASSERT_EQ(vectors.size(), 2u);
  EXPECT_EQ(vectors[1], (SparseVector<double>{7, {2}, {1.0}}));
  EXPECT_THROW(generate<double>({"", SvmlightFile{path, 2}}, 2, 0, 0, 1), NotEnoughData);
}

TEST(Workload, TextOverlapsLessThanTheUniformFormulaSays) {
  const auto path = std::filesystem::path(SPARSEWIRE_SOURCE_DIR) / "../shared/data/sparse/rcv1_small_VW.svm";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto table = union_table(generate<float>({"", SvmlightFile{path, 8}}, 64, 0, 0, 1));
  EXPECT_NEAR(table[3] / 47237, 0.031, 0.003);
  EXPECT_NEAR(table[15] / 47237, 0.072, 0.005);
  EXPECT_NEAR(table[63] / 47237, 0.149, 0.005);
}

TEST(Random, BelowCoversItsRangeWithoutBias) {
  Random random(1, 2);
  std::vector<int> hits(6);
  for (int i = 0; i < 60000; ++i) ++hits[random.below(6)];
  for (const int count : hits) EXPECT_NEAR(count, 10000, 500);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
  const std::uint64_t large = (std::uint64_t{1} << 63) + 1;
  for (int i = 0; i < 100; ++i) EXPECT_LT(random.below(large), large);
}

}  // namespace
}  // namespace sparsewire
