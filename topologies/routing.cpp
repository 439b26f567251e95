#include "topologies/routing.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <stdexcept>
#include <tuple>

namespace sparsewire {
namespace {

constexpr unsigned kUnreached = std::numeric_limits<unsigned>::max();

// Order in which vertices are settled: by latency, links on the way, number.
using Candidate = std::tuple<Seconds, unsigned, NetworkVertexId>;

}  // namespace

// Not boost::dijkstra_shortest_paths: its choice among equal routes depends on the order of edges.
Routes::Routes(const NetworkGraph& graph, NetworkVertexId source)
    : graph_(graph),
      source_(source),
      latency_(boost::num_vertices(graph), std::numeric_limits<Seconds>::infinity()),
      hops_(boost::num_vertices(graph), kUnreached),
      previous_(boost::num_vertices(graph), source) {
  std::vector<bool> settled(boost::num_vertices(graph), false);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  latency_[source] = 0;
  hops_[source] = 0;
  queue.emplace(0, 0u, source);
  while (!queue.empty()) {
    const NetworkVertexId at = std::get<NetworkVertexId>(queue.top());
    queue.pop();
    if (settled[at]) continue;
    settled[at] = true;
    for (const NetworkEdgeId edge : boost::make_iterator_range(boost::out_edges(at, graph))) {
      const NetworkVertexId next = boost::target(edge, graph);
      if (settled[next]) continue;
      const auto found = std::tuple(latency_[at] + graph[edge].latency_s, hops_[at] + 1, at);
      if (found >= std::tie(latency_[next], hops_[next], previous_[next])) continue;
      std::tie(latency_[next], hops_[next], previous_[next]) = found;
      queue.emplace(latency_[next], hops_[next], next);
    }
  }
}

void Routes::require_reached(NetworkVertexId target) const {
  if (hops_.at(target) == kUnreached)
    throw std::invalid_argument("no way from '" + graph_[source_].name + "' to '" + graph_[target].name +
                                "'");
}

Route Routes::to(NetworkVertexId target) const {
  require_reached(target);
  Route route;
  for (NetworkVertexId at = target; at != source_; at = previous_[at])
    route.push_back({boost::edge(previous_[at], at, graph_).first, previous_[at], at});
  std::reverse(route.begin(), route.end());
  return route;
}

Seconds Routes::latency_to(NetworkVertexId target) const {
  require_reached(target);
  return latency_[target];
}

}  // namespace sparsewire
