// What OmniReduce sends: blocks of elements, and pointers.
#include <random>
#include <set>

#include "sim/loggp_world.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/random_vectors.hpp"

namespace sparsewire::test {
namespace {

constexpr std::uint64_t kBlock = 256, kBlocks = 512, kDimension = kBlock * kBlocks;
constexpr std::uint64_t kBlockBytes = 8 + 32 + kBlock * 4, kPointerBytes = 8 + 32;

// Every rank has one element in each of its blocks.
Vectors<float> vectors_of(const std::vector<std::set<std::uint64_t>>& blocks) {
  Vectors<float> inputs;
  for (const auto& own : blocks) {
    SparseVector<float> vector{kDimension, {}, {}};
    for (const std::uint64_t block : own) vector.indices.push_back(static_cast<Index>(block * kBlock + 17));
    vector.values.assign(own.size(), 1.0f);
    inputs.push_back(std::move(vector));
  }
  return inputs;
}

std::vector<std::set<std::uint64_t>> random_blocks(Rank ranks, double density) {
  std::mt19937_64 random(11);
  std::vector<std::set<std::uint64_t>> blocks(static_cast<std::size_t>(ranks));
  for (auto& own : blocks)
    while (static_cast<double>(own.size()) < density * kBlocks) own.insert(random() % kBlocks);
  return blocks;
}

std::uint64_t sent_bytes(const RunResult& result) {
  std::uint64_t bytes = 0;
  for (const RankResult& rank : result) bytes += rank.counters.wire_bytes;
  return bytes;
}

RunResult run(const std::string& parameters, const Vectors<float>& inputs) {
  LogGPWorld world(cluster_machine());
  return expect_sum(world, allreduce_named<Stream<float>>("omnireduce(" + parameters + ")"), inputs);
}

// Up: every rank's own blocks, but those that it aggregates itself; down: the union's blocks to all others.
// The first block of each stream travels whether it has elements or not, without them as a pointer.
TEST(OmniReduce, SendsOwnBlocksUpAndTheUnionDown) {
  constexpr Rank kRanks = 8;
  constexpr std::uint64_t kSlots = 4, kStreams = kRanks * kSlots;
  for (const double density : {0.02, 0.1, 0.5}) {
    const auto blocks = random_blocks(kRanks, density);
    std::set<std::uint64_t> all;
    std::uint64_t expected = 0, firsts = 0;
    for (Rank rank = 0; rank < kRanks; ++rank) {
      const auto& own = blocks[static_cast<std::size_t>(rank)];
      all.insert(own.begin(), own.end());
      const auto travels = [&](std::uint64_t block) {
        return static_cast<Rank>(block % kStreams % kRanks) != rank;
      };
      for (const std::uint64_t block : own) expected += travels(block) ? kBlockBytes : 0;
      for (std::uint64_t first = 0; first < kStreams; ++first)
        if (travels(first) && !own.contains(first)) firsts += kPointerBytes;
    }
    expected += all.size() * (kRanks - 1) * kBlockBytes;
    for (std::uint64_t first = 0; first < kStreams; ++first)
      if (!all.contains(first)) firsts += (kRanks - 1) * kPointerBytes;
    EXPECT_EQ(sent_bytes(run("slots=4", vectors_of(blocks))), expected + firsts) << density;
  }
}

// Per rank D_own S up and D_union S down, to within a few per cent, as in the paper's model.
TEST(OmniReduce, FollowsTheBlockDensities) {
  constexpr Rank kRanks = 8;
  for (const double own : {0.05, 0.2, 0.4}) {
    const double all = 1 - std::pow(1 - own, kRanks);
    const double up = own * kDimension * 4 * (kRanks - 1) / kRanks;
    const double down = all * kDimension * 4 * (kRanks - 1) / kRanks;
    const auto sent = static_cast<double>(sent_bytes(run("slots=1", vectors_of(random_blocks(kRanks, own)))));
    EXPECT_NEAR(sent / kRanks / (up + down), 1, 0.1) << own;
  }
}

// The number of slots and aggregators changes who sends and when, not what the blocks are.
TEST(OmniReduce, SendsTheSameBlocksInAnyStreams) {
  const Vectors<float> inputs = vectors_of(random_blocks(6, 0.1));
  const auto expected = static_cast<double>(sent_bytes(run("slots=1,aggregators=6", inputs)));
  for (const char* parameters : {"slots=2,aggregators=6", "slots=3,aggregators=2", "slots=8,aggregators=1"})
    EXPECT_NEAR(static_cast<double>(sent_bytes(run(parameters, inputs))) / expected, 1, 0.1) << parameters;
}

// At a density of 1 % a block of 256 has an element with probability 0.92: as many bytes as a dense ring
// sends, while as many elements in runs of 256 take a small part of it.
TEST(OmniReduce, GainsNothingFromElementwiseSparsity) {
  constexpr Rank kRanks = 8;
  LogGPWorld world(cluster_machine());
  const Vectors<float> scattered = random_vectors(kRanks, kDimension / 100, kDimension);
  const auto dense = static_cast<double>(
      sent_bytes(expect_sum(world, allreduce_named<Stream<float>>("dense-ring"), scattered)));
  EXPECT_GT(static_cast<double>(sent_bytes(run("slots=4", scattered))), 0.95 * dense);
  Vectors<float> runs = vectors_of(random_blocks(kRanks, 0.01));
  for (SparseVector<float>& vector : runs) {
    std::vector<Index> indices;
    for (const Index index : vector.indices)
      for (Index i = 0; i < kBlock; ++i) indices.push_back(static_cast<Index>(index / kBlock * kBlock + i));
    vector.indices = indices;
    vector.values.assign(indices.size(), 1.0f);
  }
  EXPECT_LT(static_cast<double>(sent_bytes(run("slots=4", runs))), 0.1 * dense);
}

TEST(OmniReduce, SendsPointersOnlyWhereNobodyHasElements) {
  const Vectors<float> empty(4, {kDimension, {}, {}});
  EXPECT_EQ(sent_bytes(run("slots=2", empty)), 8u * (3 + 3) * kPointerBytes);
}

}  // namespace
}  // namespace sparsewire::test
