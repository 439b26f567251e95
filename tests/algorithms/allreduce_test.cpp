// Every algorithm of the catalogue, on every world, for every awkward number of ranks, against a serial sum.
#include "tests/support/allreduce.hpp"

#include <random>

#include "tests/support/contributions.hpp"
#include "tests/support/worlds.hpp"

namespace sparsewire::test {
namespace {

// `count` distinct indices with small non-zero integers, so that sums are exact in any order.
template <class T>
SparseVector<T> random_vector(std::uint64_t dimension, std::uint64_t count, std::mt19937_64& random) {
  std::map<std::int64_t, T> elements;
  while (elements.size() < count)
    elements[static_cast<std::int64_t>(random() % dimension)] =
        static_cast<T>(static_cast<int>(random() % 9) + 1);
  return sparse_vector<T>(dimension, {elements.begin(), elements.end()});
}

struct Shape {
  std::uint64_t dimension, count;
};

class Allreduces : public ::testing::TestWithParam<WorldUnderTest> {
 protected:
  std::unique_ptr<World> world_ = GetParam().make();

  template <class T>
  void expect_random_sums(const Shape& shape) {
    std::mt19937_64 random(shape.dimension * 1000 + shape.count);
    for (const Rank ranks : kRankCounts) {
      if (ranks > GetParam().most_ranks) continue;
      Vectors<T> inputs;
      for (Rank rank = 0; rank < ranks; ++rank)
        inputs.push_back(random_vector<T>(shape.dimension, shape.count, random));
      for (const auto& algorithm : allreduce_variants<Stream<T>>()) expect_sum(*world_, algorithm, inputs);
    }
  }
};

TEST_P(Allreduces, SumSparseVectorsThatStaySparse) {
  expect_random_sums<float>({5000, 20});
}
TEST_P(Allreduces, SumSparseVectorsThatFillIn) {
  expect_random_sums<float>({100, 20});
}
TEST_P(Allreduces, SumDenseVectors) {
  expect_random_sums<float>({64, 64});
}
TEST_P(Allreduces, SumVectorsOfOddLength) {
  expect_random_sums<double>({37, 11});
}
TEST_P(Allreduces, SumVectorsShorterThanTheWorld) {
  expect_random_sums<double>({3, 1});
}

TEST_P(Allreduces, CountEachRankExactlyOnce) {
  for (const Rank ranks : kRankCounts) {
    if (ranks > GetParam().most_ranks) continue;
    for (const std::uint64_t dimension : {1, 5, 40}) {
      for (const auto& algorithm : allreduce_variants<Contributions>()) {
        SCOPED_TRACE(std::string(algorithm.name) + ", P=" + std::to_string(ranks));
        const RunResult result = world_->run(ranks, [&](Transport& transport) {
          return pack(algorithm.run(transport, Contributions::of(transport.rank(), ranks, dimension)))
              .flatten();
        });
        expect_agreement(result);
        const Contributions total = Contributions::unpack(Message(result[0].output));
        EXPECT_EQ(total.begin(), 0u);
        EXPECT_EQ(total.end(), dimension);
        EXPECT_THAT(total.counts(), ::testing::Each(1u));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, Allreduces, ::testing::ValuesIn(worlds()),
                         [](const auto& world) { return test_name(world.param.name); });

}  // namespace
}  // namespace sparsewire::test
