// Every algorithm of the catalogue with every codec, on every world.
#include <random>

#include "algorithms/coded_catalogue.hpp"
#include "algorithms/half_catalogue.hpp"
#include "model/coded_bytes.hpp"
#include "model/wire_format.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/worlds.hpp"

namespace sparsewire::test {
namespace {

const std::vector<std::string_view> kAllCodecs(kCodecNames.begin(), kCodecNames.end());

// Fewer than for the plain streams: the product is large.
constexpr Rank kFewRankCounts[] = {1, 3, 8};

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
    const Coded<T> mine(stream_of(inputs[static_cast<std::size_t>(transport.rank())]), {codec, {}});
    return algorithm.run(transport, mine).stream().packed().flatten();
  });
  expect_agreement(result);
  EXPECT_EQ(result_of<T>(result[0]), serial_sum(inputs));
}

class CodedAllreduces : public ::testing::TestWithParam<WorldUnderTest> {
 protected:
  template <class T>
  void expect_sums(std::uint64_t dimension, std::uint64_t count,
                   const std::vector<std::string_view>& codecs = kAllCodecs) {
    const std::unique_ptr<World> world = GetParam().make();
    for (const Rank ranks : kFewRankCounts) {
      if (ranks > GetParam().most_ranks) continue;
      const Vectors<T> inputs = random_vectors<T>(ranks, dimension, count);
      for (const auto& algorithm : allreduce_catalogue<Coded<T>>())
        for (const std::string_view codec : codecs)
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

TEST_P(CodedAllreduces, SumHalves) {
  expect_sums<Half>(300, 40, {"pairs", "auto"});
  expect_sums<Half>(40, 20, {"pairs"});
}
TEST_P(CodedAllreduces, SumBfloat16s) {
  expect_sums<Bfloat16>(300, 40, {"pairs", "auto"});
  expect_sums<Bfloat16>(40, 20, {"pairs"});
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
      const Coded<float> mine(stream_of(inputs[static_cast<std::size_t>(transport.rank())]), Coding{});
      return coded[i].run(transport, mine).stream().packed().flatten();
    });
    for (std::size_t rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(found[rank].counters, expected[rank].counters) << coded[i].name;
      EXPECT_EQ(found[rank].output, expected[rank].output) << coded[i].name;
    }
  }
}

std::vector<std::byte> rounded_sum(Transport& transport, const Allreduce<Coded<float>>& algorithm,
                                   const Vectors<float>& inputs, std::uint64_t bits) {
  const auto rank = static_cast<std::size_t>(transport.rank());
  const Coded<float> mine(stream_of(inputs[rank]), {Codec::pairs, {bits, 16, rank}});
  return densified(algorithm.run(transport, mine)).value.stream().packed().flatten();
}

// All ranks get the same bits, which are off by less than a level of the largest value.
TEST_P(CodedAllreduces, RoundDensePartsOfResultsOnce) {
  const std::unique_ptr<World> world = GetParam().make();
  for (const Rank ranks : kFewRankCounts) {
    if (ranks > GetParam().most_ranks) continue;
    const auto inputs = random_vectors<float>(ranks, 200, 150);
    const Stream<float> exact = densified(stream_of(serial_sum(inputs))).value;
    float largest = 0;
    for (const float value : exact.values()) largest = std::max(largest, std::abs(value));
    for (const auto& algorithm : allreduce_catalogue<Coded<float>>())
      for (const std::uint64_t bits : {2u, 4u, 8u}) {
        SCOPED_TRACE(std::string(algorithm.name) + ", P=" + std::to_string(ranks));
        const RunResult result = world->run(
            ranks, [&](Transport& transport) { return rounded_sum(transport, algorithm, inputs, bits); });
        expect_agreement(result);
        const auto found = Stream<float>::unpack(Message(result[0].output));
        const float level = largest / static_cast<float>((1 << (bits - 1)) - 1);
        for (std::size_t i = 0; i < 200; ++i)
          EXPECT_NEAR(found.values()[i], exact.values()[i], level * 1.0001f) << i;
      }
  }
}

// The gather of dsar-split-allgather: (P-1)/P N (bits/8 + 4/bucket) bytes a rank, and the headers of P-1
// blocks.
TEST_P(CodedAllreduces, GatherRoundedPartsInTheBytesTheyAreToTake) {
  constexpr Rank kRanks = 4;
  constexpr std::uint64_t kLength = 4096, kBucket = 128;
  if (GetParam().most_ranks < kRanks) GTEST_SKIP() << "needs 4 ranks";
  const std::unique_ptr<World> world = GetParam().make();
  const auto inputs = random_vectors<float>(kRanks, kLength, 50);
  const auto algorithm = allreduce_named<Coded<float>>("dsar-split-allgather");
  const auto bytes = [&](std::uint64_t bits) {
    const RunResult result = world->run(kRanks, [&](Transport& transport) -> Output {
      const auto rank = static_cast<std::size_t>(transport.rank());
      algorithm.run(transport, Coded<float>(stream_of(inputs[rank]), {Codec::pairs, {bits, kBucket, rank}}));
      return {};
    });
    std::uint64_t total = 0;
    for (const RankResult& rank : result) total += rank.counters.wire_bytes;
    return total;
  };
  const std::uint64_t exact_gather = kRanks * (kRanks - 1) * dense_stream_bytes(kLength / kRanks, 4);
  for (const std::uint64_t bits : {2u, 4u, 8u}) {
    const std::uint64_t values = (kRanks - 1) * kLength * bits / 8 + (kRanks - 1) * kLength * 4 / kBucket;
    const std::uint64_t headers = kRanks * (kRanks - 1) * kStreamHeaderBytes;
    EXPECT_EQ(bytes(bits), bytes(0) - exact_gather + values + headers) << bits;
    EXPECT_EQ(quantised_bytes(kLength / kRanks, {bits, kBucket, 0}) * kRanks * (kRanks - 1),
              values + headers);
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, CodedAllreduces, ::testing::ValuesIn(worlds()),
                         [](const auto& world) { return test_name(world.param.name); });

}  // namespace
}  // namespace sparsewire::test
