#include "topologies/routing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

namespace sparsewire {
namespace {

using testing::ThrowsMessage;

NetworkGraph graph_of(GraphSpec spec) {
  return to_graph({"graph", std::move(spec)}, {1e9, 1}, 1);
}

std::vector<NetworkVertexId> vertices_of(const Route& route) {
  std::vector<NetworkVertexId> result;
  for (const Hop& hop : route) result.push_back(hop.to);
  return result;
}

GraphEdge edge(unsigned a, unsigned b, Seconds latency) {
  return {a, b, {{}, latency}};
}

GraphSpec five(std::vector<GraphEdge> edges) {
  return {{"h0", "h1", "s2", "s3", "s4"}, 2, std::move(edges), Sharing::shared};
}

TEST(Routing, TakesTheLeastLatencyNotTheFewestLinks) {
  const NetworkGraph graph = graph_of(five({edge(0, 1, 5), edge(0, 2, 1), edge(2, 3, 1), edge(3, 1, 1)}));
  const Routes routes(graph, 0);
  EXPECT_EQ(vertices_of(routes.to(1)), (std::vector<NetworkVertexId>{2, 3, 1}));
  EXPECT_EQ(routes.latency_to(1), 3);
}

TEST(Routing, PrefersFewerLinksAmongEqualLatencies) {
  const NetworkGraph graph =
      graph_of(five({edge(0, 2, 1), edge(2, 3, 1), edge(3, 1, 1), edge(0, 4, 1), edge(4, 1, 2)}));
  EXPECT_EQ(vertices_of(Routes(graph, 0).to(1)), (std::vector<NetworkVertexId>{4, 1}));
}

TEST(Routing, PrefersLowerNumbersAmongEqualRoutes) {
  const NetworkGraph graph = graph_of(
      five({edge(0, 4, 1), edge(4, 1, 1), edge(0, 3, 1), edge(3, 1, 1), edge(0, 2, 1), edge(2, 1, 1)}));
  EXPECT_EQ(vertices_of(Routes(graph, 0).to(1)), (std::vector<NetworkVertexId>{2, 1}));
}

TEST(Routing, ZeroLatencyStillCountsLinks) {
  const NetworkGraph graph = graph_of(five({edge(0, 2, 0), edge(2, 3, 0), edge(3, 1, 0), edge(0, 1, 0)}));
  EXPECT_EQ(vertices_of(Routes(graph, 0).to(1)), (std::vector<NetworkVertexId>{1}));
}

TEST(Routing, ToItselfIsEmpty) {
  const NetworkGraph graph = graph_of(five({edge(0, 1, 1)}));
  EXPECT_TRUE(Routes(graph, 1).to(1).empty());
  EXPECT_EQ(Routes(graph, 1).latency_to(1), 0);
}

TEST(Routing, NoWayNamesBothEnds) {
  const NetworkGraph graph = graph_of(five({edge(0, 2, 1), edge(1, 3, 1)}));
  EXPECT_THAT([&] { Routes(graph, 0).to(1); },
              ThrowsMessage<std::invalid_argument>(testing::HasSubstr("no way from 'h0' to 'h1'")));
  EXPECT_THROW(Routes(graph, 0).latency_to(1), std::invalid_argument);
}

// A connected graph: a random tree and some more edges, with small integer latencies so that ties abound.
GraphSpec random_connected() {
  const auto vertices = *rc::gen::inRange(1u, 12u);
  GraphSpec spec;
  spec.hosts = vertices;
  std::set<std::pair<unsigned, unsigned>> present;
  const auto add = [&](unsigned a, unsigned b) {
    if (a == b || !present.insert(std::minmax(a, b)).second) return;
    spec.edges.push_back(edge(a, b, *rc::gen::inRange(0, 4)));
  };
  for (unsigned v = 0; v < vertices; ++v) {
    spec.names.push_back(std::to_string(v));
    if (v > 0) add(v, *rc::gen::inRange(0u, v));
  }
  for (unsigned i = *rc::gen::inRange(0u, 10u); i > 0; --i)
    add(*rc::gen::inRange(0u, vertices), *rc::gen::inRange(0u, vertices));
  return spec;
}

std::vector<std::vector<Seconds>> floyd_warshall(const GraphSpec& spec) {
  const std::size_t n = spec.names.size();
  std::vector<std::vector<Seconds>> d(n, std::vector<Seconds>(n, std::numeric_limits<Seconds>::infinity()));
  for (std::size_t i = 0; i < n; ++i) d[i][i] = 0;
  for (const GraphEdge& e : spec.edges) d[e.a][e.b] = d[e.b][e.a] = *e.link.latency_s;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
  return d;
}

RC_GTEST_PROP(Routing, LatenciesEqualFloydWarshall, ()) {
  const GraphSpec spec = random_connected();
  const auto expected = floyd_warshall(spec);
  const NetworkGraph graph = graph_of(spec);
  for (NetworkVertexId from = 0; from < spec.hosts; ++from) {
    const Routes routes(graph, from);
    for (NetworkVertexId to = 0; to < spec.hosts; ++to) {
      Seconds sum = 0;
      NetworkVertexId at = from;
      for (const Hop& hop : routes.to(to)) {
        RC_ASSERT(hop.from == at);
        sum += graph[hop.edge].latency_s;
        at = hop.to;
      }
      RC_ASSERT(at == to);
      RC_ASSERT(sum == expected[from][to]);
      RC_ASSERT(routes.latency_to(to) == expected[from][to]);
    }
  }
}

RC_GTEST_PROP(Routing, OrderOfEdgesPlaysNoPart, ()) {
  const GraphSpec spec = random_connected();
  GraphSpec permuted = spec;
  for (std::size_t i = permuted.edges.size(); i > 1; --i)
    std::swap(permuted.edges[i - 1], permuted.edges[*rc::gen::inRange(std::size_t{0}, i)]);
  for (GraphEdge& e : permuted.edges)
    if (*rc::gen::arbitrary<bool>()) std::swap(e.a, e.b);
  const NetworkGraph one = graph_of(spec), other = graph_of(permuted);
  for (NetworkVertexId from = 0; from < spec.hosts; ++from) {
    const Routes a(one, from), b(other, from);
    for (NetworkVertexId to = 0; to < spec.hosts; ++to)
      RC_ASSERT(vertices_of(a.to(to)) == vertices_of(b.to(to)));
  }
}

}  // namespace
}  // namespace sparsewire
