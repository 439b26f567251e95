// Shortest routes through a network graph.
#pragma once

#include <vector>

#include "topologies/graph.hpp"

namespace sparsewire {

// One link of a route, crossed from `from` to `to`.
struct Hop {
  NetworkEdgeId edge;
  NetworkVertexId from = 0, to = 0;
};

using Route = std::vector<Hop>;  // from the source on

// The routes from one host to all others.
class Routes {
 public:
  // Routes of least latency; of equal ones the one with the fewest links, of those the one whose
  // previous-to-last vertex (and so on back to the source) has the lowest number. The order of edges in the
  // graph plays no part. `graph` must outlive this. Dijkstra 1959, doi:10.1007/BF01386390.
  Routes(const NetworkGraph& graph, NetworkVertexId source);

  // Empty for the source itself. Throws std::invalid_argument that names both ends if there is no way.
  Route to(NetworkVertexId target) const;

  // Sum of the latencies on the way; throws like to().
  Seconds latency_to(NetworkVertexId target) const;

 private:
  void require_reached(NetworkVertexId target) const;

  const NetworkGraph& graph_;
  NetworkVertexId source_;
  std::vector<Seconds> latency_;
  std::vector<unsigned> hops_;
  std::vector<NetworkVertexId> previous_;
};

}  // namespace sparsewire
