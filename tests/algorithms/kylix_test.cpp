// The butterfly: who is paired with whom, and what it is at its two ends.
#include "algorithms/allreduce/kylix.hpp"

#include <numeric>

#include "algorithms/phase/direct_split.hpp"
#include "algorithms/phase/halving_doubling.hpp"
#include "algorithms/phase/part.hpp"
#include "sim/loggp_world.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire::test {
namespace {

using Degrees = std::vector<std::uint64_t>;

class Butterflies : public ::testing::TestWithParam<Degrees> {};

TEST_P(Butterflies, SendersAreThoseWhoSend) {
  for (Rank ranks = 1; ranks <= 40; ++ranks) {
    std::vector<std::vector<ButterflyLayer>> layers;
    for (Rank rank = 0; rank < ranks; ++rank) layers.push_back(butterfly_layers(ranks, rank, GetParam()));
    for (Rank rank = 0; rank < ranks; ++rank)
      for (const ButterflyLayer& layer : layers[static_cast<std::size_t>(rank)]) {
        const Rank own = layer.subgroup_of(rank);
        ASSERT_TRUE(layer.begin_of(own) <= rank && rank < layer.begin_of(own + 1));
        for (Rank subgroup = 0; subgroup < layer.degree; ++subgroup) {
          if (subgroup == own) continue;
          const Rank receiver = layer.receiver_in(subgroup, rank);
          ASSERT_EQ(layer.subgroup_of(receiver), subgroup);
          ASSERT_THAT(layer.senders_in(own, receiver), ::testing::Contains(rank));
          const std::vector<Rank> senders = layer.senders_in(subgroup, rank);
          ASSERT_LE(senders.size(), 2u);
          for (const Rank sender : senders) ASSERT_EQ(layer.receiver_in(own, sender), rank);
        }
      }
  }
}

TEST_P(Butterflies, EndWithSingleRanks) {
  for (Rank ranks = 1; ranks <= 40; ++ranks)
    for (Rank rank = 0; rank < ranks; ++rank) {
      Rank first = 0, size = ranks;
      for (const ButterflyLayer& layer : butterfly_layers(ranks, rank, GetParam())) {
        ASSERT_EQ(layer.first, first);
        ASSERT_EQ(layer.size, size);
        const Rank own = layer.subgroup_of(rank);
        first = layer.begin_of(own);
        size = layer.begin_of(own + 1) - first;
      }
      EXPECT_EQ(first, rank);
      EXPECT_EQ(size, 1);
    }
}

INSTANTIATE_TEST_SUITE_P(Degrees, Butterflies,
                         ::testing::Values(Degrees{2}, Degrees{3, 2}, Degrees{8, 4, 2}, Degrees{64},
                                           Degrees{5, 7}));

// Half of each rank's elements are shared.
Vectors<float> overlapping_vectors(Rank ranks, std::uint64_t dimension) {
  Vectors<float> inputs;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<std::pair<std::int64_t, float>> pairs;
    for (std::uint64_t i = 0; i < dimension; i += 40) {
      pairs.emplace_back(i, 1.0f);
      pairs.emplace_back(i + 1 + static_cast<std::uint64_t>(rank) % 39, 1.0f);
    }
    inputs.push_back(sparse_vector<float>(dimension, pairs));
  }
  return inputs;
}

Vectors<float> full_vectors(Rank ranks) {
  SparseVector<float> full{128, std::vector<Index>(128), std::vector<float>(128, 1.0f)};
  std::iota(full.indices.begin(), full.indices.end(), Index{0});
  return Vectors<float>(static_cast<std::size_t>(ranks), full);
}

using Algorithm = std::function<Stream<float>(Transport&, Stream<float>)>;

RunResult run(const Algorithm& algorithm, const Vectors<float>& inputs) {
  LogGPWorld world(cluster_machine());
  return run_allreduce<float, Plus>(world, {"", Family::sparse, "", algorithm, {}}, inputs);
}

void expect_same(const Algorithm& one, const Algorithm& other, const Vectors<float>& inputs) {
  const RunResult a = run(one, inputs), b = run(other, inputs);
  for (std::size_t rank = 0; rank < a.size(); ++rank) {
    EXPECT_EQ(a[rank].counters, b[rank].counters) << "rank " << rank;
    EXPECT_EQ(a[rank].finish, b[rank].finish) << "rank " << rank;
    EXPECT_EQ(result_of<float>(a[rank]), result_of<float>(b[rank])) << "rank " << rank;
  }
}

Algorithm butterfly(const std::string& degrees) {
  return allreduce_named<Stream<float>>("kylix(degrees=" + degrees + ")").run;
}

Stream<float> halving_doubling(Transport& transport, Stream<float> mine) {
  const Fold fold = Fold::of(transport.size());
  const Stream<float> owned = recursive_halving(transport, fold, transport.rank(), std::move(mine));
  return concatenated<Stream<float>>(
      transport, doubling_allgather<Stream<float>>(transport, fold, transport.rank(), pack(owned)));
}

TEST(Kylix, OfDegreeTwoIsHalvingAndDoubling) {
  for (const Rank ranks : {1, 2, 4, 8, 16, 32})
    expect_same(butterfly("2"), halving_doubling, overlapping_vectors(ranks, 4000));
}

TEST(Kylix, OfDegreeTwoOnDenseVectorsIsRabenseifner) {
  const auto rabenseifner = allreduce_named<Stream<float>>("dense-rabenseifner").run;
  for (const Rank ranks : {2, 8, 32}) expect_same(butterfly("2"), rabenseifner, full_vectors(ranks));
}

Stream<float> direct_split_and_gather(Transport& transport, Stream<float> mine) {
  const Rank ranks = transport.size(), rank = transport.rank();
  const auto part = [&](Rank owner) { return part_of(transport, mine, owner); };
  const Message owned = pack(direct_split<Stream<float>>(transport, {}, part, unprepared<Stream<float>>));
  for (Rank step = 1; step < ranks; ++step) transport.send((rank + step) % ranks, 100, owned);
  std::vector<Message> blocks(static_cast<std::size_t>(ranks), owned);
  for (Rank step = 1; step < ranks; ++step) {
    const Rank owner = (rank + ranks - step) % ranks;
    blocks[static_cast<std::size_t>(owner)] = transport.recv(owner, 100);
  }
  return concatenated<Stream<float>>(transport, blocks);
}

TEST(Kylix, OfOneLayerIsTheDirectSplit) {
  for (const Rank ranks : {1, 2, 3, 7, 8, 16, 31})
    for (const char* degree : {"31", "64"})
      expect_same(butterfly(degree), direct_split_and_gather, overlapping_vectors(ranks, 4000));
}

// From two layers on, fewer messages cost more bytes: elements travel once a layer.
TEST(Kylix, TradesMessagesForBytes) {
  const Vectors<float> inputs = overlapping_vectors(32, 40000);
  const std::vector<std::pair<std::string, std::uint64_t>> messages = {
      {"2", 2 * 5}, {"4x2", 2 * (3 + 1 + 1 + 1)}, {"8x4", 2 * (7 + 3)}, {"32", 2 * 31}};
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [degrees, expected] : messages) {
    const Counters counters = run(butterfly(degrees), inputs)[0].counters;
    EXPECT_EQ(counters.messages, expected) << degrees;
    EXPECT_LT(counters.wire_bytes, bytes) << degrees;
    bytes = counters.wire_bytes;
  }
}

}  // namespace
}  // namespace sparsewire::test
