// What the algorithms put on the wire, held against published and derived volumes.
#include <cmath>
#include <random>

#include "sim/loggp_world.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire::test {
namespace {

// Each index with probability `density`, by geometric gaps.
SparseVector<float> uniform_vector(std::uint64_t dimension, double density, std::mt19937_64& random) {
  SparseVector<float> vector{dimension, {}, {}};
  std::geometric_distribution<std::uint64_t> gap(density);
  for (std::uint64_t index = gap(random); index < dimension; index += 1 + gap(random))
    vector.indices.push_back(static_cast<Index>(index));
  vector.values.assign(vector.indices.size(), 1.0f);
  return vector;
}

Vectors<float> uniform_vectors(Rank ranks, std::uint64_t dimension, double density) {
  std::mt19937_64 random(static_cast<std::uint64_t>(ranks));
  Vectors<float> inputs;
  for (Rank rank = 0; rank < ranks; ++rank) inputs.push_back(uniform_vector(dimension, density, random));
  return inputs;
}

// Mean over the ranks; what is sent is received.
double bytes_a_rank(const std::string& algorithm, const Vectors<float>& inputs) {
  LogGPWorld world(cluster_machine());
  double bytes = 0;
  for (const RankResult& rank : run_allreduce(world, allreduce_named<Stream<float>>(algorithm), inputs))
    bytes += static_cast<double>(rank.counters.wire_bytes);
  return bytes / static_cast<double>(inputs.size());
}

// Bytes a rank receives over those of the dense optimum, 2(P-1)/P N values, for uniform supports and messages
// that cost the smaller of sparse and dense: derived from the protocols, to three digits.
struct Volumes {
  double density;
  Rank ranks;
  std::uint64_t dimension;
  double recursive_double, split, ring, allgather;
};

class ReferenceVolumes : public ::testing::TestWithParam<Volumes> {};

TEST_P(ReferenceVolumes, AreThoseOnTheWire) {
  const Volumes& row = GetParam();
  const Vectors<float> inputs = uniform_vectors(row.ranks, row.dimension, row.density);
  const double optimum =
      2 * (row.ranks - 1.0) / row.ranks * static_cast<double>(row.dimension) * sizeof(float);
  const auto expect_volume = [&](const std::string& algorithm, double expected) {
    EXPECT_NEAR(bytes_a_rank(algorithm, inputs) / optimum, expected, 0.0006 + 0.04 * expected) << algorithm;
  };
  expect_volume("ssar-recursive-double", row.recursive_double);
  // the split with a sparse gather while pairs are smaller, and with a dense one beyond
  expect_volume(row.split < 0.5 ? "ssar-split-allgather" : "dsar-split-allgather", row.split);
  expect_volume("sparse-ring", row.ring);
  expect_volume("sparse-allgather", row.allgather);
}

constexpr std::uint64_t kShort = 1 << 18, kLong = 1 << 20;
INSTANTIATE_TEST_SUITE_P(UniformSupports, ReferenceVolumes,
                         ::testing::Values(Volumes{0.001, 8, kShort, 0.008, 0.009, 0.012, 0.008},
                                           Volumes{0.001, 64, kLong, 0.063, 0.063, 0.093, 0.064},
                                           Volumes{0.00781, 8, kShort, 0.062, 0.069, 0.092, 0.062},
                                           Volumes{0.00781, 32, kShort, 0.241, 0.230, 0.338, 0.250},
                                           Volumes{0.00781, 64, kLong, 0.462, 0.402, 0.609, 0.500},
                                           Volumes{0.01, 16, kShort, 0.156, 0.159, 0.225, 0.160},
                                           Volumes{0.01, 64, kLong, 0.579, 0.484, 0.737, 0.640},
                                           Volumes{0.05, 8, kShort, 0.381, 0.387, 0.518, 0.400},
                                           Volumes{0.05, 32, kShort, 1.21, 0.550, 0.911, 1.60},
                                           Volumes{0.10, 4, kShort, 0.387, 0.444, 0.531, 0.400},
                                           Volumes{0.10, 16, kShort, 1.21, 0.600, 0.919, 1.60},
                                           Volumes{0.20, 8, kShort, 1.21, 0.700, 0.935, 1.60}),
                         [](const auto& row) {
                           return "d" + std::to_string(std::lround(row.param.density * 1e5)) + "P" +
                                  std::to_string(row.param.ranks);
                         });

// Table 1 of Ok-Topk (Li, Hoefler 2022, doi:10.1145/3503221.3508399), its lossless rows: words a rank sends,
// and messages on the longest path. A pair is two words.
class WordsOnTheWire : public ::testing::Test {
 protected:
  static constexpr Rank kRanks = 16;
  static constexpr double kElements = 1 << 18, kCount = 1 << 12, kOthers = (kRanks - 1.0) / kRanks;

  // Every rank has kCount elements, evenly spread; all the same, or none in common.
  static Vectors<float> inputs(bool equal) {
    Vectors<float> vectors;
    for (Index rank = 0; rank < kRanks; ++rank) {
      SparseVector<float> vector{1 << 18, {}, {}};
      for (Index i = 0; i < 1 << 12; ++i) vector.indices.push_back(i * 64 + (equal ? 0 : rank));
      vector.values.assign(1 << 12, 1.0f);
      vectors.push_back(std::move(vector));
    }
    return vectors;
  }
  static double words(const std::string& algorithm, const Vectors<float>& vectors) {
    return bytes_a_rank(algorithm, vectors) / sizeof(float);
  }
};

TEST_F(WordsOnTheWire, Dense) {
  const double expected = 2 * kElements * kOthers;
  EXPECT_NEAR(words("dense-rabenseifner", inputs(true)), expected, 0.01 * expected);
  EXPECT_NEAR(words("dense-ring", inputs(true)), expected, 0.01 * expected);
}
TEST_F(WordsOnTheWire, TopkA) {
  const double expected = 2 * kCount * (kRanks - 1);
  EXPECT_NEAR(words("sparse-allgather", inputs(true)), expected, 0.01 * expected);
  EXPECT_NEAR(words("sparse-allgather", inputs(false)), expected, 0.01 * expected);
}
// From 4k(P-1)/P, where supports are equal, to (2k+n)(P-1)/P, where the sum is dense.
TEST_F(WordsOnTheWire, TopkDsa) {
  const double least = 4 * kCount * kOthers, most = (2 * kCount + kElements) * kOthers;
  EXPECT_NEAR(words("ssar-split-allgather", inputs(true)), least, 0.03 * least);
  EXPECT_NEAR(words("dsar-split-allgather", inputs(true)), most, 0.03 * most);
  const double disjoint = words("ssar-split-allgather", inputs(false));
  EXPECT_GT(disjoint, least);
  EXPECT_LT(disjoint, most);
}
// The same for those that share out the work otherwise: the words of a butterfly of one layer are those of
// the split, and balance costs P numbers.
TEST_F(WordsOnTheWire, OfOtherSplits) {
  const double least = 4 * kCount * kOthers;
  EXPECT_NEAR(words("kylix(degrees=16)", inputs(true)), least, 0.03 * least);
  EXPECT_NEAR(words("balanced-split-allgather", inputs(true)), least + 4 * 2 * kRanks, 0.03 * least);
}

}  // namespace
}  // namespace sparsewire::test
