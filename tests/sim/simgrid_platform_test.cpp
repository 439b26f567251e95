// What create_platform builds, seen through the times of messages: SimGrid runs once in a process.
#include "sim/simgrid_platform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/simgrid_world.hpp"
#include "topologies/routing.hpp"

namespace sparsewire {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Seconds kLink = 1e-6;
constexpr double kBandwidth = 1e9;

// A machine of wires alone: messages cost their path.
Machine wires() {
  Machine machine;
  machine.network = {2 * kLink, 0, 0, 1 / kBandwidth, 0, false};
  return machine;
}

Message message_of(std::uint64_t wire_size) {
  return Message(std::vector<std::byte>(), wire_size);
}

RunResult shifted(const Topology& topology, Rank ranks, Rank shift, std::uint64_t bytes) {
  return SimGridWorld(wires(), topology).run(ranks, [=](Transport& t) -> Output {
    t.send((t.rank() + shift) % t.size(), 0, message_of(bytes));
    t.recv((t.rank() + t.size() - shift) % t.size(), 0);
    return {};
  });
}

// The time of a message of one byte from one rank to another, whatever the others do.
void expect_latencies_of_shortest_routes(const Topology& topology) {
  const NetworkGraph graph = to_graph(topology, {kBandwidth, kLink}, 8);
  const Rank ranks = count_hosts(graph);
  for (Rank shift = 1; shift < ranks; ++shift) {
    const RunResult result = shifted(topology, ranks, shift, 1);
    for (Rank from = 0; from < ranks; ++from) {
      const Rank to = (from + shift) % ranks;
      const Seconds expected =
          Routes(graph, static_cast<NetworkVertexId>(from)).latency_to(static_cast<NetworkVertexId>(to));
      EXPECT_NEAR(result[static_cast<std::size_t>(to)].finish, expected, 1e-9 * expected)
          << from << " to " << to;
    }
  }
}

GraphSpec ring_with_tails(Sharing sharing) {
  const auto edge = [](unsigned a, unsigned b, Seconds latency) { return GraphEdge{a, b, {{}, latency}}; };
  return {{"h0", "h1", "h2", "h3", "s0", "s1", "s2", "s3"},
          4,
          {edge(0, 4, 1e-6), edge(1, 5, 2e-6), edge(2, 6, 3e-6), edge(3, 7, 4e-6), edge(4, 5, 1e-6),
           edge(5, 6, 1e-6), edge(6, 7, 1e-6), edge(7, 4, 5e-6)},
          sharing};
}

GraphSpec star_as_graph(unsigned hosts, Sharing sharing) {
  GraphSpec spec;
  spec.hosts = hosts;
  for (unsigned i = 0; i < hosts; ++i) {
    spec.names.push_back(std::to_string(i));
    spec.edges.push_back({hosts, i, {}});
  }
  spec.names.push_back("center");
  spec.sharing = sharing;
  return spec;
}

TEST(SimGridPlatform, LatenciesAreThoseOfTheShortestRoutes) {
  expect_latencies_of_shortest_routes({"star", StarSpec{}});
  expect_latencies_of_shortest_routes({"fat-tree", FatTreeSpec{{2, 2, 2}, {1, 2, 1}, {1, 1, 2}, {}, {}}});
  expect_latencies_of_shortest_routes({"torus", TorusSpec{{4, 3}, {}, {}}});
  expect_latencies_of_shortest_routes({"torus", TorusSpec{{2, 5}, {}, Sharing::unshared}});
  expect_latencies_of_shortest_routes({"graph", ring_with_tails(Sharing::shared)});
  expect_latencies_of_shortest_routes({"graph", ring_with_tails(Sharing::unshared)});
}

TEST(SimGridPlatform, DragonflyRoutesHaveTheExpectedLinks) {
  const Topology topology{"dragonfly", DragonflySpec{2, 2, 2, 2, 1, 1, 1, {}, {}}};
  const auto links_to = [&](Rank shift) {
    return shifted(topology, 16, shift, 1)[static_cast<std::size_t>(shift)].finish / kLink;
  };
  EXPECT_NEAR(links_to(1), 2, 1e-6);   // same router
  EXPECT_NEAR(links_to(2), 3, 1e-6);   // same chassis
  EXPECT_NEAR(links_to(4), 3, 1e-6);   // same slot of the other chassis
  EXPECT_NEAR(links_to(6), 4, 1e-6);   // other slot of the other chassis
  EXPECT_NEAR(links_to(8), 4, 1e-6);   // to the router that leads to group 1, across
  EXPECT_NEAR(links_to(14), 6, 1e-6);  // and on to the other slot of the other chassis
}

TEST(SimGridPlatform, TorusNeighboursAreNearerThanFarHosts) {
  const Topology topology{"torus", TorusSpec{{8}, {}, {}}};
  EXPECT_NEAR(shifted(topology, 8, 4, 1)[0].finish - shifted(topology, 8, 1, 1)[0].finish, 3 * kLink,
              1e-9 * kLink);
}

TEST(SimGridPlatform, ValuesOfTheTopologyReplaceThoseOfTheMachine) {
  const std::uint64_t bytes = 1000001;
  for (const Sharing sharing : {Sharing::shared, Sharing::unshared}) {
    const Seconds time = finish_time(shifted({"star", StarSpec{{2e8, 3e-6}, sharing}}, 2, 1, bytes));
    EXPECT_NEAR(time, 2 * 3e-6 + 1e6 / 2e8, 1e-9 * time);
  }
}

TEST(SimGridPlatform, AGraphThatIsAStarEqualsTheStar) {
  for (const Sharing sharing : {Sharing::shared, Sharing::unshared}) {
    const Program incast = [](Transport& t) -> Output {
      if (t.rank() > 0) t.send(0, 0, message_of(10000 * static_cast<std::uint64_t>(t.rank())));
      for (Rank from = 1; t.rank() == 0 && from < t.size(); ++from) t.recv(from, 0);
      return {};
    };
    const Seconds star = finish_time(SimGridWorld(wires(), {"star", StarSpec{{}, sharing}}).run(6, incast));
    const Seconds graph =
        finish_time(SimGridWorld(wires(), {"graph", star_as_graph(6, sharing)}).run(6, incast));
    EXPECT_NEAR(graph, star, 1e-9 * star);
  }
}

// Every host sends to one on the other side: two flows each way over the middle.
TEST(SimGridPlatform, FlowsShareAnInnerLinkInEachDirectionApart) {
  const auto time_of = [](Sharing sharing) {
    const GraphSpec dumbbell{{"a0", "b0", "a1", "b1", "left", "right"},
                             4,
                             {{0, 4, {}}, {1, 5, {}}, {2, 4, {}}, {3, 5, {}}, {4, 5, {}}},
                             sharing};
    return finish_time(shifted({"graph", dumbbell}, 4, 1, 1000001)) - 3 * kLink;
  };
  EXPECT_NEAR(time_of(Sharing::unshared), 1e6 / kBandwidth, 1e-9);
  EXPECT_NEAR(time_of(Sharing::shared), 2 * 1e6 / kBandwidth, 1e-9);
}

TEST(SimGridPlatform, UnsharedClustersHaveNoContention) {
  const std::vector<decltype(Topology::spec)> specs = {
      FatTreeSpec{{4, 2}, {1, 1}, {1, 1}, {}, Sharing::unshared}, TorusSpec{{8}, {}, Sharing::unshared},
      DragonflySpec{2, 1, 2, 2, 1, 1, 1, {}, Sharing::unshared}};
  for (const auto& spec : specs) {
    const Topology topology{"unshared", spec};
    const Seconds one_byte = shifted(topology, 8, 4, 1)[4].finish,
                  more = shifted(topology, 8, 4, 1000001)[4].finish;
    EXPECT_NEAR(more - one_byte, 1e6 / kBandwidth, 1e-9) << spec.index();
  }
}

TEST(SimGridPlatform, SharedClustersHaveContention) {
  // All four hosts of a leaf switch send over its one up-link.
  const Topology tree{"fat-tree", FatTreeSpec{{4, 2}, {1, 1}, {1, 1}, {}, Sharing::shared}};
  EXPECT_NEAR(finish_time(shifted(tree, 8, 4, 1000001)), 4 * kLink + 4 * 1e6 / kBandwidth, 1e-8);
  const Topology wide{"fat-tree", FatTreeSpec{{4, 2}, {1, 4}, {1, 1}, {}, Sharing::shared}};
  EXPECT_NEAR(finish_time(shifted(wide, 8, 4, 1000001)), 4 * kLink + 1e6 / kBandwidth, 1e-8);
}

TEST(SimGridPlatform, RendezvousTakesTheLatencyOfThePath) {
  Machine machine = wires();
  machine.network.S = 1;
  const RunResult result =
      SimGridWorld(machine, {"torus", TorusSpec{{8}, {}, {}}}).run(8, [](Transport& t) -> Output {
        if (t.rank() == 0) t.send(3, 0, message_of(1001));
        if (t.rank() == 3) t.recv(0, 0);
        return {};
      });
  EXPECT_NEAR(result[3].finish, 3 * 3 * kLink + 1000 / kBandwidth, 1e-14);
}

TEST(SimGridPlatform, UnconnectedRanksAreNamed) {
  const GraphSpec parts{{"left", "right", "lost"}, 3, {{0, 1, {}}}, Sharing::shared};
  SimGridWorld world(wires(), {"graph", parts});
  const Program nothing = [](Transport&) { return Output{}; };
  EXPECT_EQ(world.run(2, nothing).size(), 2u);
  EXPECT_THAT([&] { world.run(3, nothing); },
              ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("'left'"), HasSubstr("'lost'"))));
}

}  // namespace
}  // namespace sparsewire
