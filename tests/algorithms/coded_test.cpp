// Every algorithm of the catalogue with every codec, on every world.
#include <random>

#include "algorithms/coded_catalogue.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/worlds.hpp"

namespace sparsewire::test {
namespace {

// Fewer than for the plain streams: the product is large.
constexpr Rank kFewRankCounts[] = {1, 3, 4, 9};

template <class T>
Vectors<T> random_vectors(Rank ranks, std::uint64_t dimension, std::uint64_t count) {
  std::mt19937_64 random(dimension + count);
  Vectors<T> vectors;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::map<std::int64_t, T> elements;
    while (elements.size() < count)  // zeros and sums that cancel included
      elements[static_cast<std::int64_t>(random() % dimension)] =
          static_cast<T>(static_cast<int>(random() % 7) - 3);
    vectors.push_back(sparse_vector<T>(dimension, {elements.begin(), elements.end()}));
  }
  return vectors;
}

template <class T>
void expect_coded_sum(World& world, const Allreduce<Coded<T>>& algorithm, Codec codec,
                      const Vectors<T>& inputs) {
  SCOPED_TRACE(std::string(algorithm.name) + " in " + std::string(name_of(codec)) +
               ", P=" + std::to_string(inputs.size()) + ", N=" + std::to_string(inputs.front().dimension));
  const RunResult result = world.run(static_cast<Rank>(inputs.size()), [&](Transport& transport) {
    const Coded<T> mine(stream_of(inputs[static_cast<std::size_t>(transport.rank())]), codec);
    return algorithm.run(transport, mine).stream().packed().flatten();
  });
  expect_agreement(result);
  EXPECT_EQ(result_of<T>(result[0]), serial_sum(inputs));
}

class CodedAllreduces : public ::testing::TestWithParam<WorldUnderTest> {
 protected:
  template <class T>
  void expect_sums(std::uint64_t dimension, std::uint64_t count) {
    const std::unique_ptr<World> world = GetParam().make();
    for (const Rank ranks : kFewRankCounts) {
      if (ranks > GetParam().most_ranks) continue;
      const Vectors<T> inputs = random_vectors<T>(ranks, dimension, count);
      for (const auto& algorithm : allreduce_variants<Coded<T>>())
        for (const std::string_view codec : kCodecNames)
          expect_coded_sum(*world, algorithm, *codec_named(codec), inputs);
    }
  }
};

TEST_P(CodedAllreduces, SumSparseVectors) {
  expect_sums<float>(3000, 20);
}
TEST_P(CodedAllreduces, SumVectorsThatFillIn) {
  expect_sums<double>(90, 20);
}
TEST_P(CodedAllreduces, SumVectorsShorterThanTheWorld) {
  expect_sums<float>(2, 1);
}

// Pairs are the plain stream, to the byte and to the second.
TEST_P(CodedAllreduces, CostNothingMoreInPairs) {
  const std::unique_ptr<World> world = GetParam().make();
  if (GetParam().most_ranks < 4) GTEST_SKIP() << "needs 4 ranks";
  const auto inputs = random_vectors<float>(4, 400, 60);
  const auto coded = allreduce_catalogue<Coded<float>>();
  const auto plain = allreduce_catalogue<Stream<float>>();
  for (std::size_t i = 0; i < coded.size(); ++i) {
    const RunResult expected = run_allreduce(*world, plain[i], inputs);
    const RunResult found = world->run(4, [&](Transport& transport) {
      const Coded<float> mine(stream_of(inputs[static_cast<std::size_t>(transport.rank())]), Codec::pairs);
      return coded[i].run(transport, mine).stream().packed().flatten();
    });
    for (std::size_t rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(found[rank].counters, expected[rank].counters) << coded[i].name;
      EXPECT_EQ(found[rank].output, expected[rank].output) << coded[i].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, CodedAllreduces, ::testing::ValuesIn(worlds()),
                         [](const auto& world) { return test_name(world.param.name); });

}  // namespace
}  // namespace sparsewire::test
