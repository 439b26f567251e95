// Topologies as plain data: parametric families that SimGrid has a zone for, and any graph.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/units.hpp"

namespace sparsewire {

// One link. A value that is absent is taken from the machine: bandwidth 1/G, latency L/2 (so that two
// ranks one switch apart see the machine's L).
struct LinkSpec {
  std::optional<double> bandwidth_bytes_per_s;
  std::optional<Seconds> latency_s;
};

enum class Sharing {
  shared,    // concurrent messages divide a link's bandwidth
  unshared,  // every message has a link's whole bandwidth: no contention
};

// Every host has a full-duplex link to one central switch that is never a bottleneck.
struct StarSpec {
  LinkSpec link;
  Sharing sharing = Sharing::shared;
};

// Parametrised k-ary fat tree (XGFT), from the leaves up: `down[i]` children of a switch at level i+1,
// `up[i]` parents of a node at level i, `parallel[i]` cables between them. Hosts: product of `down`.
struct FatTreeSpec {
  std::vector<unsigned> down, up, parallel;
  LinkSpec link;
  Sharing sharing = Sharing::shared;
};

// Hosts on a grid that wraps around in each dimension.
struct TorusSpec {
  std::vector<unsigned> dimensions;
  LinkSpec link;
  Sharing sharing = Sharing::shared;
};

// Dragonfly (Kim et al. 2008, doi:10.1109/ISCA.2008.19) in the Cray Cascade form: groups of chassis of
// routers.
struct DragonflySpec {
  unsigned groups = 1, chassis = 1, routers = 1, hosts_per_router = 1;
  unsigned group_links = 1, chassis_links = 1, router_links = 1;  // parallel cables
  LinkSpec link;
  Sharing sharing = Sharing::shared;
};

// Any undirected graph. Vertices 0..hosts-1 are hosts in rank order; hosts..vertices-1 are switches.
struct GraphEdge {
  unsigned a = 0, b = 0;
  LinkSpec link;
};
struct GraphSpec {
  std::vector<std::string> names;  // one per vertex
  unsigned hosts = 0;
  std::vector<GraphEdge> edges;
  Sharing sharing = Sharing::shared;
};

struct Topology {
  std::string name = "star";  // label for tables and plots
  std::variant<StarSpec, FatTreeSpec, TorusSpec, DragonflySpec, GraphSpec> spec;
};

// The most ranks that the topology has hosts for; absent for a star, which grows as needed.
std::optional<Rank> host_count(const Topology& topology);

// Whether messages share the bandwidth of links.
Sharing sharing_of(const Topology& topology);

// Throws std::invalid_argument that names the parameter, what it is and what was expected, unless the
// topology can be built: positive counts and bandwidths, latencies of at least 0, lists as long as they have
// to be, edges between two known and different vertices, at most one edge between two vertices, unique names.
void require_valid(const Topology& topology);

}  // namespace sparsewire
