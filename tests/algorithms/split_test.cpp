// The order of the direct sends: what rotation and a throttle change, and what they do not.
#include <numeric>
#include <random>
#include <set>

#include "algorithms/pattern/split_order.hpp"
#include "sim/loggp_world.hpp"
#include "sim/simgrid_world.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/random_vectors.hpp"

namespace sparsewire::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SplitOrder, IsRotatedOrByRank) {
  EXPECT_THAT(split_receivers(SplitOrder::rotated, 5, 3), ElementsAre(4, 0, 1, 2));
  EXPECT_THAT(split_senders(SplitOrder::rotated, 5, 3), ElementsAre(2, 1, 0, 4));
  EXPECT_THAT(split_receivers(SplitOrder::by_rank, 5, 3), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(split_senders(SplitOrder::by_rank, 5, 3), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(split_receivers(SplitOrder::rotated, 1, 0), IsEmpty());
}

// In step s of the rotated order every rank is the target of one sender.
TEST(SplitOrder, RotationHasOneSenderForEachTarget) {
  for (Rank ranks = 2; ranks <= 20; ++ranks)
    for (std::size_t step = 0; step + 1 < static_cast<std::size_t>(ranks); ++step) {
      std::set<Rank> rotated, by_rank;
      for (Rank rank = 0; rank < ranks; ++rank) {
        rotated.insert(split_receivers(SplitOrder::rotated, ranks, rank)[step]);
        by_rank.insert(split_receivers(SplitOrder::by_rank, ranks, rank)[step]);
      }
      EXPECT_EQ(rotated.size(), static_cast<std::size_t>(ranks));
      EXPECT_EQ(by_rank.size(), 2u);
    }
}

RunResult run(World& world, const std::string& algorithm, const Vectors<float>& inputs) {
  return run_allreduce(world, allreduce_named<Stream<float>>(algorithm), inputs);
}

// The order decides when messages leave, not what they hold.
TEST(SplitOrder, ChangesNoMessage) {
  const Vectors<float> inputs = random_vectors(9, 100, 3000);
  for (const std::string name : {"ssar-split-allgather", "dsar-split-allgather"}) {
    LogGPWorld world(cluster_machine());
    const RunResult expected = run(world, name, inputs);
    for (const char* parameters :
         {"(order=by-rank)", "(throttle=1)", "(throttle=3)", "(order=by-rank,throttle=2)"}) {
      const RunResult result = run(world, name + parameters, inputs);
      for (std::size_t rank = 0; rank < result.size(); ++rank) {
        EXPECT_EQ(result[rank].counters.messages, expected[rank].counters.messages) << parameters;
        EXPECT_EQ(result[rank].counters.wire_bytes, expected[rank].counters.wire_bytes) << parameters;
      }
      EXPECT_EQ(result_of<float>(result[0]), result_of<float>(expected[0])) << parameters;
    }
  }
}

// By rank, everyone sends to rank 0, then to rank 1, ...: the last rank hears from nobody until all others
// have been served, and takes in P - 1 messages after that. Long messages then need almost twice the time.
TEST(SplitOrder, RotationRemovesTheIncast) {
  const Vectors<float> inputs = random_vectors(16, 1 << 15, 1 << 19);
  Machine machine = cluster_machine();
  machine.compute = {};
  LogGPWorld engine(machine);
  SimGridWorld simgrid(machine, {"star", StarSpec{.link = {}, .sharing = Sharing::shared}});
  for (World* world : std::initializer_list<World*>{&engine, &simgrid}) {
    const auto split_time = [&](const std::string& parameters) {
      return finish_time(run(*world, "dsar-split-allgather(" + parameters + ")", inputs)) -
             finish_time(run(*world, "dsar-split-allgather(" + parameters + ")",
                             Vectors<float>(16, {1 << 19, {}, {}})));
    };
    EXPECT_GT(split_time("order=by-rank"), 1.7 * split_time("order=rotated"));
    EXPECT_LT(split_time("order=rotated,throttle=4"), 1.1 * split_time("order=rotated"));
  }
}

}  // namespace
}  // namespace sparsewire::test
