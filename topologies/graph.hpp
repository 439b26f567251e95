// A topology as a graph: for metrics, for routing, and to look at.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <string>

#include "topologies/topology.hpp"

namespace sparsewire {

struct NetworkVertex {
  std::string name;
  bool is_host = false;
};

// A full-duplex link; each direction has the whole bandwidth.
struct NetworkLink {
  std::string name;  // "A--B", the lower vertex first
  double bandwidth_bytes_per_s = 0;
  Seconds latency_s = 0;
};

// Hosts are the vertices 0..H-1 in rank order, switches follow.
using NetworkGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, NetworkVertex, NetworkLink>;
using NetworkVertexId = boost::graph_traits<NetworkGraph>::vertex_descriptor;
using NetworkEdgeId = boost::graph_traits<NetworkGraph>::edge_descriptor;

// The values of a link whose LinkSpec leaves them to the machine.
struct DefaultLink {
  double bandwidth_bytes_per_s = 0;
  Seconds latency_s = 0;
};

// The graph of `topology`. A star gets `star_hosts` hosts; the other families have as many as they say.
// Parallel cables are one link with the sum of their bandwidths. The wiring follows SimGrid's zones: fat
// trees are parametrised generalised fat trees (Zahavi 2010, D-Mod-K routing), in a dragonfly router j of a
// group's first chassis leads to group j. Throws std::invalid_argument if the topology is not valid or
// `star_hosts` is below 1.
NetworkGraph to_graph(const Topology& topology, const DefaultLink& defaults, Rank star_hosts);

// Number of hosts in a graph.
Rank count_hosts(const NetworkGraph& graph);

// The most links on a shortest way (in links) between two hosts; 0 for a single host. Throws
// std::invalid_argument that names two hosts without a way between them.
unsigned diameter(const NetworkGraph& graph);

}  // namespace sparsewire
