// Inputs that broke other people's sparse collectives, on every algorithm and every world. Each test names
// the public report it comes from.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/support/allreduce.hpp"
#include "tests/support/worlds.hpp"

namespace sparsewire::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

template <class T>
using Pairs = std::vector<std::pair<std::int64_t, T>>;

class Cases : public ::testing::TestWithParam<WorldUnderTest> {
 protected:
  std::unique_ptr<World> world_ = GetParam().make();
  bool holds(Rank ranks) const { return ranks <= GetParam().most_ranks; }

  template <class T>
  std::vector<RunResult> expect_sums(const Vectors<T>& inputs) {
    std::vector<RunResult> results;
    for (const auto& algorithm : allreduce_variants<Stream<T>>())
      results.push_back(expect_sum(*world_, algorithm, inputs));
    return results;
  }
};

#define REQUIRE_RANKS(n) \
  if (!holds(n)) GTEST_SKIP() << "needs " << (n) << " ranks, the world has " << GetParam().most_ranks

Vectors<float> vectors(std::uint64_t dimension, const std::vector<Pairs<float>>& ranks) {
  Vectors<float> inputs;
  for (const Pairs<float>& pairs : ranks) inputs.push_back(sparse_vector<float>(dimension, pairs));
  return inputs;
}

// pytorch/pytorch#87497: one rank's gradient is empty.
TEST_P(Cases, D01OneRankIsEmpty) {
  REQUIRE_RANKS(4);
  expect_sums(vectors(16, {{{0, 1}}, {{1, 1}}, {}, {{3, 1}}}));
}

// sands-lab/grace#16: nobody has an element.
TEST_P(Cases, D02AllRanksAreEmpty) {
  for (const Rank ranks : {1, 2, 3, 8}) {
    if (!holds(ranks)) continue;
    for (const RunResult& result :
         expect_sums(Vectors<float>(static_cast<std::size_t>(ranks), {16, {}, {}}))) {
      EXPECT_EQ(result_of<float>(result[0]).count(), 0u);
      EXPECT_TRUE(std::isfinite(finish_time(result)));
      EXPECT_GE(finish_time(result), 0);
    }
  }
}

// pytorch/pytorch#22226: buffers padded to the largest rank.
TEST_P(Cases, D06SmallRanksDoNotPayForTheLargest) {
  REQUIRE_RANKS(4);
  Vectors<float> inputs = vectors(1000000, {{{0, 1}}, {{1, 1}}, {{2, 1}}, {}});
  for (Index i = 0; i < 100000; ++i) inputs[3].indices.push_back(i * 10);
  inputs[3].values.assign(100000, 1.0f);
  for (const auto& algorithm : allreduce_variants<Stream<float>>()) {
    if (algorithm.family == Family::dense) continue;
    const RunResult result = expect_sum(*world_, algorithm, inputs);
    if (algorithm.name != "ssar-split-allgather") continue;
    // rank 0 owns a quarter of the result and passes on at most one more block: never four full-sized ones
    EXPECT_LT(result[0].counters.wire_bytes, 3u * 25000u * 8u + 1000u);
  }
  const auto gather = [&] {
    for (const auto& algorithm : allreduce_variants<Stream<float>>())
      if (algorithm.name == "sparse-allgather") return run_allreduce(*world_, algorithm, inputs);
    return RunResult{};
  }();
  ASSERT_EQ(gather.size(), 4u);
  EXPECT_LT(gather[0].counters.wire_bytes, 1000u);  // ranks 0, 1 and 2 have one element each
}

// tensorflow/tensorflow#24003: lengths differ between ranks.
TEST_P(Cases, D07EveryRankHasAnotherCount) {
  REQUIRE_RANKS(7);
  Vectors<float> inputs;
  for (int rank = 0; rank < 7; ++rank) {
    Pairs<float> pairs;
    for (int i = 0; i <= rank; ++i) pairs.emplace_back(i * 3 + rank, 1.0f);
    inputs.push_back(sparse_vector<float>(100, pairs));
  }
  expect_sums(inputs);
}

// open-mpi/ompi#100: empty vectors whose data() is a null pointer.
TEST_P(Cases, D08EmptyVectorsOfLengthZero) {
  REQUIRE_RANKS(2);
  for (const Rank ranks : {1, 2, 3}) {
    if (!holds(ranks)) continue;
    expect_sums(Vectors<float>(static_cast<std::size_t>(ranks), {0, {}, {}}));
  }
}

// open-mpi/ompi PR#12269: some pairs of ranks exchange nothing.
TEST_P(Cases, D10RanksHoldOnlyTheNextOwnersPart) {
  REQUIRE_RANKS(4);
  expect_sums(vectors(16, {{{4, 1}, {7, 2}}, {{8, 1}}, {{12, 1}, {15, 3}}, {{0, 1}}}));
}

// ParCIS/Ok-Topk#1: a world of one rank.
TEST_P(Cases, D12OneRankGetsItsInput) {
  const Vectors<float> inputs = vectors(10, {{{2, 1}, {9, -4}}});
  for (const RunResult& result : expect_sums(inputs)) {
    EXPECT_EQ(result_of<float>(result[0]), inputs[0]);
    EXPECT_EQ(result[0].counters.messages, 0u);
  }
}

// open-mpi/ompi#7410: ranks that are no power of two.
TEST_P(Cases, D14FoldedRanksAreRight) {
  for (const Rank ranks : {3, 5, 6, 7, 9, 12, 13}) {
    if (!holds(ranks)) continue;
    Vectors<float> inputs;
    for (Rank rank = 0; rank < ranks; ++rank)
      inputs.push_back(sparse_vector<float>(10, {{rank % 10, 1.0f}, {(rank * 7 + 3) % 10, 2.0f}}));
    expect_sums(inputs);
  }
}

// open-mpi/ompi#9385: values rank and 1/rank on four ranks, in place.
TEST_P(Cases, D15FractionsOnFourRanks) {
  REQUIRE_RANKS(4);
  for (const auto& algorithm : allreduce_variants<Stream<double>>()) {
    const RunResult result = world_->run(4, [&](Transport& transport) {
      const double rank = transport.rank();
      Stream<double> buffer =
          stream_of(sparse_vector<double>(2, {{0, rank}, {1, rank == 0 ? 0.0 : 1 / rank}}));
      buffer = algorithm.run(transport, std::move(buffer));
      return pack(buffer).flatten();
    });
    expect_agreement(result);
    EXPECT_THAT(result_of<double>(result[0]).values,
                ElementsAre(6, ::testing::DoubleNear(1 + 1.0 / 2 + 1.0 / 3, 1e-15)))
        << algorithm.name;
  }
}

// open-mpi/ompi PR#3451: fewer elements than ranks.
TEST_P(Cases, D17FewerElementsThanRanks) {
  REQUIRE_RANKS(8);
  Vectors<float> inputs;
  for (int rank = 0; rank < 8; ++rank) inputs.push_back(sparse_vector<float>(3, {{rank % 3, 1.0f}}));
  for (const RunResult& result : expect_sums(inputs))
    EXPECT_THAT(result_of<float>(result[0]).values, ElementsAre(3, 3, 2));
}

// openucx/xccl#48: one or two elements.
TEST_P(Cases, D22OneOrTwoElements) {
  for (Rank ranks = 2; ranks <= 9; ++ranks) {
    if (!holds(ranks)) continue;
    for (const std::uint64_t dimension : {1u, 2u}) {
      Vectors<float> inputs;
      for (Rank rank = 0; rank < ranks; ++rank)
        inputs.push_back(sparse_vector<float>(dimension, {{rank % static_cast<Rank>(dimension), 1.0f}}));
      expect_sums(inputs);
    }
  }
}

// horovod/horovod#341: an index that several ranks, or one rank twice, hold; the last must not win.
TEST_P(Cases, D23EqualIndicesAreAdded) {
  REQUIRE_RANKS(2);
  for (const RunResult& result : expect_sums(vectors(16, {{{0, 1}, {1, 1}}, {{0, 1}, {2, 1}}}))) {
    EXPECT_THAT(result_of<float>(result[0]).indices, ElementsAre(0, 1, 2));
    EXPECT_THAT(result_of<float>(result[0]).values, ElementsAre(2, 1, 1));
  }
  for (const RunResult& result : expect_sums(vectors(16, {{{5, 1}, {5, 2}}, {}}))) {
    EXPECT_THAT(result_of<float>(result[0]).indices, ElementsAre(5));
    EXPECT_THAT(result_of<float>(result[0]).values, ElementsAre(3));
  }
}

// pytorch/pytorch#57416: indices beyond 2^31; vectors longer than 2^32 are refused before communication.
TEST_P(Cases, D27LongVectors) {
  REQUIRE_RANKS(3);
  const std::int64_t top = (std::int64_t{1} << 32) - 1, middle = std::int64_t{1} << 31;
  const Vectors<float> inputs =
      vectors(kMaxDimension, {{{0, 1}, {middle - 1, 2}}, {{middle, 3}, {top, 4}}, {{0, 1}, {top, 1}}});
  for (const auto& algorithm : allreduce_variants<Stream<float>>())
    if (algorithm.family == Family::sparse && algorithm.spec.name != "dsar-split-allgather")
      expect_sum(*world_, algorithm, inputs);
  EXPECT_THROW(sparse_vector<float>(std::uint64_t{1} << 33, {{0, 1}}), InvalidVector);
  EXPECT_THROW(stream_of(SparseVector<float>{std::uint64_t{1} << 33, {0}, {1}}), InvalidVector);
}

// rusty1s/pytorch_sparse#63: values that add up to zero, and zeros in the input.
TEST_P(Cases, D32SumsOfZero) {
  REQUIRE_RANKS(2);
  for (const RunResult& result : expect_sums(vectors(16, {{{3, 1}, {4, 0}, {7, 1}}, {{3, -1}}}))) {
    EXPECT_THAT(result_of<float>(result[0]).indices, ElementsAre(7));
    EXPECT_THAT(result_of<float>(result[1]).values, ElementsAre(1));
  }
}

// pmodels/mpich#6538: sums that depend on where a rank starts.
TEST_P(Cases, D37RanksAgreeOnTheLastBit) {
  REQUIRE_RANKS(4);
  Vectors<double> inputs;
  for (const double value : {1e16, 1.0, -1e16, 1.0}) inputs.push_back(sparse_vector<double>(8, {{5, value}}));
  for (const auto& algorithm : allreduce_variants<Stream<double>>()) {
    const RunResult result = run_allreduce(*world_, algorithm, inputs);
    SCOPED_TRACE(std::string(algorithm.name));
    expect_agreement(result);
    const SparseVector<double> total = result_of<double>(result[0]);
    // the order of the sum decides between 0, 1 and 2
    for (const double value : total.values) EXPECT_THAT(value, ::testing::AnyOf(1.0, 2.0));
  }
}

// ml-explore/mlx#4072: the answer depends on the rank that holds the NaN.
TEST_P(Cases, D39NanOnAnyRank) {
  REQUIRE_RANKS(4);
  for (std::size_t holder = 0; holder < 4; ++holder) {
    Vectors<float> inputs = vectors(8, {{{1, 1}}, {{1, 2}}, {{1, 3}, {6, 1}}, {{1, 4}}});
    inputs[holder].values[0] = std::numeric_limits<float>::quiet_NaN();
    for (const auto& algorithm : allreduce_variants<Stream<float>>()) {
      const RunResult result = run_allreduce(*world_, algorithm, inputs);
      expect_agreement(result);
      const SparseVector<float> total = result_of<float>(result[0]);
      ASSERT_THAT(total.indices, ElementsAre(1, 6)) << algorithm.name;
      EXPECT_TRUE(std::isnan(total.values[0])) << algorithm.name << " holder " << holder;
      EXPECT_EQ(total.values[1], 1) << algorithm.name;
    }
  }
}

// NaNs of different payload: which one survives is up to the processor, but it is the same on all ranks.
TEST_P(Cases, D39DifferentNans) {
  REQUIRE_RANKS(4);
  Vectors<float> inputs = vectors(8, {{{1, 1}}, {{1, 2}}, {{1, 3}, {6, 1}}, {{1, 4}}});
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const std::uint32_t bits = 0x7fc00001u + rank;
    std::memcpy(&inputs[rank].values[0], &bits, sizeof bits);
  }
  for (const auto& algorithm : allreduce_variants<Stream<float>>())
    expect_agreement(run_allreduce(*world_, algorithm, inputs));
}

// Infinities: inf + -inf is NaN on all ranks alike.
TEST_P(Cases, D39OppositeInfinities) {
  REQUIRE_RANKS(3);
  const float infinity = std::numeric_limits<float>::infinity();
  const Vectors<float> inputs = vectors(8, {{{1, infinity}}, {{2, infinity}}, {{1, -infinity}}});
  for (const auto& algorithm : allreduce_variants<Stream<float>>()) {
    const RunResult result = run_allreduce(*world_, algorithm, inputs);
    expect_agreement(result);
    const SparseVector<float> total = result_of<float>(result[0]);
    ASSERT_THAT(total.indices, ElementsAre(1, 2)) << algorithm.name;
    EXPECT_TRUE(std::isnan(total.values[0])) << algorithm.name;
    EXPECT_EQ(total.values[1], infinity) << algorithm.name;
  }
}

// A published ring benchmark cut 16 bytes into 32 segments of 0 and timed nothing.
TEST_P(Cases, D44ShortVectorsStillTravel) {
  REQUIRE_RANKS(8);
  for (const RunResult& result : expect_sums(Vectors<float>(8, sparse_vector<float>(2, {{1, 1.0f}})))) {
    std::uint64_t messages = 0;
    for (const RankResult& rank : result) {
      EXPECT_GE(rank.counters.messages, 1u);
      EXPECT_GT(rank.finish, 0);
      messages += rank.counters.messages;
    }
    EXPECT_GE(messages, 2u * 7u);  // all that it takes to have one sum, and to have it known
  }
}

// simgrid/simgrid#341: another program was measured than assumed; so messages per rank are checked.
TEST_P(Cases, D53MessagesPerRankAreThoseOfTheAlgorithm) {
  REQUIRE_RANKS(4);
  using Messages = std::array<std::uint64_t, 4>;  // by rank
  const auto each = [](std::uint64_t messages) { return Messages{messages, messages, messages, messages}; };
  const std::map<std::string_view, Messages> expected = {
      {"ssar-recursive-double", each(2)},
      {"ssar-split-allgather", each(3 + 2)},
      {"dsar-split-allgather", each(3 + 2)},
      {"sparse-ring", each(6)},
      {"sparse-allgather", each(2)},
      {"dense-recursive-double", each(2)},
      {"dense-rabenseifner", each(4)},
      {"dense-ring", each(6)},
      {"kylix", each(3 + 3)},
      {"balanced-split-allgather", each(2 + 3 + 2)},
      {"zen", each(3 + 2)},
      {"omnireduce", {3, 1, 1, 1}},                 // of one block
      {"two-level", {2 + 2, 2 + 0, 2 + 1, 2 + 0}},  // of one node
  };
  const Vectors<float> inputs(4, sparse_vector<float>(64, {{1, 1.0f}, {40, 1.0f}}));
  for (const auto& algorithm : allreduce_catalogue<Stream<float>>()) {
    ASSERT_TRUE(expected.contains(algorithm.name)) << algorithm.name;
    const RunResult result = expect_sum(*world_, algorithm, inputs);
    for (std::size_t rank = 0; rank < 4; ++rank)
      EXPECT_EQ(result[rank].counters.messages, expected.at(algorithm.name)[rank])
          << algorithm.name << " rank " << rank;
  }
}

// simgrid/simgrid#157: state of simulated ranks that is shared by mistake. Two collectives, one after the
// other and interleaved with a group's, keep their own data.
TEST_P(Cases, D55CollectivesDoNotShareState) {
  REQUIRE_RANKS(4);
  const auto catalogue = allreduce_variants<Stream<float>>();
  for (const auto& algorithm : catalogue) {
    const RunResult result = world_->run(4, [&](Transport& transport) {
      const auto mine = [&](float value) {
        return stream_of(sparse_vector<float>(32, {{transport.rank() * 3, value}, {30, value}}));
      };
      const Stream<float> first = algorithm.run(transport, mine(1));
      const Stream<float> second = catalogue[0].run(transport, mine(10));
      return pack(sum(first, second).value).flatten();
    });
    expect_agreement(result);
    EXPECT_THAT(result_of<float>(result[0]).indices, ElementsAre(0, 3, 6, 9, 30)) << algorithm.name;
    EXPECT_THAT(result_of<float>(result[0]).values, ElementsAre(11, 11, 11, 11, 44)) << algorithm.name;
  }
}

// pytorch/pytorch#31413: an allreduce that did nothing.
TEST_P(Cases, D63TheResultIsNotTheInput) {
  REQUIRE_RANKS(2);
  const Vectors<float> inputs = vectors(16, {{{0, 1}}, {{5, 1}}});
  for (const RunResult& result : expect_sums(inputs))
    for (std::size_t rank = 0; rank < 2; ++rank) EXPECT_NE(result_of<float>(result[rank]), inputs[rank]);
}

INSTANTIATE_TEST_SUITE_P(Worlds, Cases, ::testing::ValuesIn(worlds()),
                         [](const auto& world) { return test_name(world.param.name); });

}  // namespace
}  // namespace sparsewire::test
