// Hierarchies of allreduces.
#include "algorithms/allreduce/two_level.hpp"

#include "sim/loggp_world.hpp"
#include "sim/simgrid_world.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire::test {
namespace {

using ::testing::ElementsAre;

TEST(Nodes, HaveConsecutiveRanksAndARaggedLast) {
  EXPECT_THAT(node_of(10, 4, 5), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(node_of(10, 4, 9), ElementsAre(8, 9));
  EXPECT_THAT(node_leaders(10, 4), ElementsAre(0, 4, 8));
  EXPECT_THAT(node_of(1, 4, 0), ElementsAre(0));
}

Vectors<float> disjoint_vectors(Rank ranks, std::uint64_t dimension) {
  Vectors<float> inputs;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<std::pair<std::int64_t, float>> pairs;
    for (std::uint64_t i = 0; i < dimension; i += 64)
      pairs.emplace_back(i + static_cast<std::uint64_t>(rank), 1.0f);
    inputs.push_back(sparse_vector<float>(dimension, pairs));
  }
  return inputs;
}

// Every algorithm stands inside and outside of nodes of every size.
TEST(TwoLevel, TakesAnyAlgorithms) {
  LogGPWorld world(cluster_machine());
  for (const auto& entry : allreduce_table<Stream<float>>())
    for (const Rank ranks : {1, 5, 8})
      for (const char* node : {"1", "2", "3", "100"}) {
        const std::string name(entry.name);
        for (const std::string& nested : {"inner=" + name, "outer=" + name})
          expect_sum(
              world,
              allreduce_named<Stream<float>>("two-level(node=" + std::string(node) + "," + nested + ")"),
              disjoint_vectors(ranks, 640));
      }
}

TEST(TwoLevel, OfOneRankANodeIsTheOuterOne) {
  LogGPWorld world(cluster_machine());
  const Vectors<float> inputs = disjoint_vectors(8, 6400);
  const RunResult outer = run_allreduce(world, allreduce_named<Stream<float>>("sparse-ring"), inputs);
  const RunResult both =
      run_allreduce(world, allreduce_named<Stream<float>>("two-level(node=1,outer=sparse-ring)"), inputs);
  for (std::size_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(both[rank].counters, outer[rank].counters);
    EXPECT_EQ(both[rank].finish, outer[rank].finish);
  }
}

TEST(TwoLevel, CompletesAndChecksWhatItNests) {
  const auto algorithm = allreduce_named<Stream<float>>("two-level(outer=kylix)");
  EXPECT_EQ(algorithm.spec.text("outer"), "kylix(degrees=8x4x2)");
  EXPECT_THROW(allreduce_named<Stream<float>>("two-level(outer=no-such)"), std::invalid_argument);
  EXPECT_THROW(allreduce_named<Stream<float>>("two-level(outer=kylix(degrees=1))"), std::invalid_argument);
  EXPECT_THROW(allreduce_named<Stream<float>>("two-level(inner=dense-ring(node=2))"), std::invalid_argument);
  EXPECT_THROW(allreduce_named<Stream<float>>("two-level(node=0)"), std::invalid_argument);
}

// A fat tree whose upper level has an eighth of the bandwidth below: one sum a node crosses it instead of the
// vectors of eight ranks.
TEST(TwoLevel, WinsWhereNodesShareAThinLink) {
  Machine machine = cluster_machine();
  machine.compute = {};
  FatTreeSpec tree;
  tree.down = {8, 4};
  tree.up = {1, 1};
  tree.parallel = {1, 1};
  tree.sharing = Sharing::shared;
  SimGridWorld world(machine, {"fat-tree", tree});
  Vectors<float> inputs(32, disjoint_vectors(1, 1 << 18).front());  // equal supports
  const auto time_of = [&](const std::string& name) {
    return finish_time(run_allreduce(world, allreduce_named<Stream<float>>(name), inputs));
  };
  EXPECT_LT(time_of("two-level(node=8,outer=ssar-recursive-double)"), 0.8 * time_of("ssar-split-allgather"));
}

}  // namespace
}  // namespace sparsewire::test
