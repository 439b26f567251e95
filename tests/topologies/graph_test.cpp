#include "topologies/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace sparsewire {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr DefaultLink kDefaults{1e9, 1e-6};

NetworkGraph graph_of(decltype(Topology::spec) spec, Rank star_hosts = 4) {
  return to_graph({"under test", std::move(spec)}, kDefaults, star_hosts);
}

std::vector<std::size_t> degrees(const NetworkGraph& graph) {
  std::vector<std::size_t> result;
  for (NetworkVertexId v = 0; v < boost::num_vertices(graph); ++v)
    result.push_back(boost::out_degree(v, graph));
  return result;
}

const NetworkLink& link_between(const NetworkGraph& graph, NetworkVertexId a, NetworkVertexId b) {
  const auto [edge, found] = boost::edge(a, b, graph);
  EXPECT_TRUE(found);
  return graph[edge];
}

TEST(Graph, StarHasOneSwitch) {
  const NetworkGraph graph = graph_of(StarSpec{{2e9, {}}, {}}, 3);
  EXPECT_EQ(degrees(graph), (std::vector<std::size_t>{1, 1, 1, 3}));
  EXPECT_EQ(count_hosts(graph), 3);
  EXPECT_FALSE(graph[3].is_host);
  const NetworkLink& link = link_between(graph, 1, 3);
  EXPECT_EQ(link.bandwidth_bytes_per_s, 2e9);
  EXPECT_EQ(link.latency_s, 1e-6);
  EXPECT_EQ(link.name, "host1--switch");
  EXPECT_EQ(diameter(graph), 2u);
}

TEST(Graph, SingleHostHasDiameterZero) {
  EXPECT_EQ(diameter(graph_of(StarSpec{}, 1)), 0u);
}

TEST(Graph, StarOfNoHostsIsRefused) {
  EXPECT_THROW(graph_of(StarSpec{}, 0), std::invalid_argument);
}

TEST(Graph, InvalidTopologyIsRefused) {
  EXPECT_THROW(graph_of(TorusSpec{}), std::invalid_argument);
}

// 2 leaf switches of 2 hosts, 2 roots, each leaf with 3 cables to each root.
TEST(Graph, FatTreeWiring) {
  const NetworkGraph graph = graph_of(FatTreeSpec{{2, 2}, {1, 2}, {1, 3}, {}, {}});
  EXPECT_EQ(degrees(graph), (std::vector<std::size_t>{1, 1, 1, 1, 4, 4, 2, 2}));
  EXPECT_EQ(boost::num_edges(graph), 8u);
  EXPECT_TRUE(boost::edge(0, 4, graph).second && boost::edge(1, 4, graph).second);
  EXPECT_TRUE(boost::edge(2, 5, graph).second && boost::edge(3, 5, graph).second);
  EXPECT_EQ(link_between(graph, 0, 4).bandwidth_bytes_per_s, 1e9);
  EXPECT_EQ(link_between(graph, 4, 7).bandwidth_bytes_per_s, 3e9);
  EXPECT_EQ(diameter(graph), 4u);
}

TEST(Graph, FatTreeOfThreeLevels) {
  const NetworkGraph graph = graph_of(FatTreeSpec{{4, 3, 2}, {1, 2, 2}, {1, 1, 1}, {}, {}});
  EXPECT_EQ(count_hosts(graph), 24);
  EXPECT_EQ(boost::num_vertices(graph), 24u + 6 + 4 + 4);
  EXPECT_EQ(boost::num_edges(graph), 24u + 6 * 2 + 4 * 2);
  EXPECT_EQ(diameter(graph), 6u);
}

TEST(Graph, TorusWraps) {
  const NetworkGraph graph = graph_of(TorusSpec{{4, 3}, {}, {}});
  EXPECT_EQ(degrees(graph), std::vector<std::size_t>(12, 4));
  EXPECT_TRUE(boost::edge(0, 3, graph).second);
  EXPECT_TRUE(boost::edge(0, 8, graph).second);
  EXPECT_FALSE(boost::edge(0, 5, graph).second);
  EXPECT_EQ(diameter(graph), 3u);
}

TEST(Graph, TorusOfTwoHasNoDoubleEdges) {
  EXPECT_EQ(degrees(graph_of(TorusSpec{{2, 1}, {}, {}})), (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(degrees(graph_of(TorusSpec{{1}, {}, {}})), (std::vector<std::size_t>{0}));
}

TEST(Graph, DragonflyWiring) {
  const NetworkGraph graph = graph_of(DragonflySpec{2, 3, 4, 2, 5, 1, 1, {}, {}});
  EXPECT_EQ(count_hosts(graph), 48);
  const std::size_t per_group = 3 * 6 + 4 * 3;
  EXPECT_EQ(boost::num_edges(graph), 48 + 2 * per_group + 1);
  EXPECT_EQ(link_between(graph, 48 + 1, 48 + 12).bandwidth_bytes_per_s, 5e9);
  EXPECT_EQ(diameter(graph), 7u);
}

TEST(Graph, KeepsNamesAndValuesOfEdges) {
  const NetworkGraph graph =
      graph_of(GraphSpec{{"left", "right", "hub"}, 2, {{2, 0, {5e8, 3e-6}}, {1, 2, {}}}, Sharing::shared});
  EXPECT_EQ(link_between(graph, 0, 2).name, "left--hub");
  EXPECT_EQ(link_between(graph, 0, 2).bandwidth_bytes_per_s, 5e8);
  EXPECT_EQ(link_between(graph, 0, 2).latency_s, 3e-6);
  EXPECT_EQ(link_between(graph, 1, 2).latency_s, 1e-6);
}

TEST(Graph, DiameterOfPartsNamesTwoHosts) {
  const NetworkGraph graph = graph_of(GraphSpec{{"p", "q", "r"}, 3, {{0, 1, {}}}, Sharing::shared});
  EXPECT_THAT([&] { diameter(graph); },
              ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("'p'"), HasSubstr("'r'"))));
}

}  // namespace
}  // namespace sparsewire
