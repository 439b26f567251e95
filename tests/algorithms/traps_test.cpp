// Faults of SparCML's code (arXiv:1802.08021) that ours must not have; algorithms/README.md lists them all
// and names the tests of those that are tested elsewhere.
#include <cstdint>
#include <random>

#include "algorithms/phase/bruck_allgather.hpp"
#include "sim/loggp_world.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire::test {
namespace {

// Values up to 1e-8 were cut off where an owner's sum had become dense.
TEST(Traps, SmallValuesAreKept) {
  LogGPWorld world(cluster_machine());
  for (const std::uint64_t dimension : {8u, 1000u}) {  // dense, and sparse
    Vectors<double> inputs;
    for (Index rank = 0; rank < 4; ++rank)
      inputs.push_back(
          sparse_vector<double>(dimension, {{0, 1.0}, {rank + 1, 1e-9}, {5, 0x1p-1030}, {6, 1e-8}}));
    for (const auto& algorithm : allreduce_variants<Stream<double>>()) {
      const SparseVector<double> total = result_of<double>(run_allreduce(world, algorithm, inputs)[0]);
      EXPECT_THAT(total.indices, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6)) << algorithm.name;
      EXPECT_THAT(total.values, ::testing::ElementsAre(4, 1e-9, 1e-9, 1e-9, 1e-9, 4 * 0x1p-1030, 4e-8))
          << algorithm.name;
    }
  }
}

// Dense was told by "as many items as the range is long": 0 == 0 for a part of length zero.
TEST(Traps, PartsOfLengthZeroAreWhatTheyAre) {
  const Stream<float> sparse = Stream<float>::sparse(7, 7, {}, {}), dense = Stream<float>::dense(7, 7, {});
  EXPECT_FALSE(Stream<float>::unpack(pack(sparse)).is_dense());
  EXPECT_TRUE(Stream<float>::unpack(pack(dense)).is_dense());
  for (const Stream<float>& a : {sparse, dense})
    for (const Stream<float>& b : {sparse, dense}) {
      EXPECT_EQ(sum(a, b).value.length(), 0u);
      EXPECT_EQ(
          concat(std::vector{a, b, Stream<float>::sparse(7, 17, std::vector<Index>{8}, std::vector{1.0f})})
              .value.count(),
          1u);
    }
}

// A header of 4 bytes put 8-byte values on odd addresses.
TEST(Traps, ValuesAreAligned) {
  Message bundle;
  for (std::uint64_t count = 0; count < 6; ++count) {
    std::vector<Index> indices(count);
    for (Index i = 0; i < count; ++i) indices[i] = i;
    bundle.append(pack(Stream<double>::sparse(0, 100, indices, std::vector<double>(count, 1.0))));
    bundle.append(pack(Stream<double>::dense(0, count, std::vector<double>(count, 1.0))));
  }
  for (const Message& received : {bundle, Message(bundle.flatten())})
    for (const Message& part : split_packed<Stream<double>>(received)) {
      const Stream<double> stream = Stream<double>::unpack(part);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stream.values().data()) % alignof(double), 0u);
    }
}

// Concatenation copied the bytes of the header from behind the payload: 4 too many.
TEST(Traps, GatheredBlocksAreTheBytesThatWereSent) {
  LogGPWorld world(cluster_machine());
  const auto block_of = [](Rank rank) {
    std::vector<Index> indices;
    for (Rank i = 0; i < rank; ++i) indices.push_back(static_cast<Index>(10 * rank + i));
    return pack(Stream<float>::sparse(10 * static_cast<std::uint64_t>(rank),
                                      10 * static_cast<std::uint64_t>(rank) + 10, indices,
                                      std::vector<float>(indices.size(), 1.0f)));
  };
  const RunResult result = world.run(7, [&](Transport& transport) {
    Message all;
    for (const Message& block : bruck_allgather<Stream<float>>(transport, block_of(transport.rank())))
      all.append(block);
    return all.flatten();
  });
  Message expected;
  for (Rank rank = 0; rank < 7; ++rank) expected.append(block_of(rank));
  for (const RankResult& rank : result) EXPECT_EQ(rank.output, expected.flatten());
}

// Two sparse streams were put behind one another instead of merged.
TEST(Traps, SparseSumsAreMerged) {
  const auto stream = [](std::vector<Index> indices) {
    return Stream<float>::sparse(0, 100, indices, std::vector<float>(indices.size(), 1.0f));
  };
  const Stream<float> total = sum(stream({1, 5, 9}), stream({5, 7})).value;
  EXPECT_THAT(total.indices(), ::testing::ElementsAre(1, 5, 7, 9));
  EXPECT_THAT(total.values(), ::testing::ElementsAre(1, 2, 1, 1));
}

}  // namespace
}  // namespace sparsewire::test
