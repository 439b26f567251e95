#include "topologies/graph.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sparsewire {
namespace {

class Builder {
 public:
  Builder(const DefaultLink& defaults, const LinkSpec& link) : defaults_(defaults), link_(link) {}

  NetworkVertexId add_host(std::string name) { return add({std::move(name), true}); }
  NetworkVertexId add_switch(std::string name) { return add({std::move(name), false}); }
  void add_hosts(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add_host("host" + std::to_string(i));
  }

  // `cables` parallel cables as the topology has them everywhere.
  void connect(NetworkVertexId a, NetworkVertexId b, unsigned cables = 1) { connect(a, b, link_, cables); }

  void connect(NetworkVertexId a, NetworkVertexId b, const LinkSpec& link, unsigned cables) {
    const auto [low, high] = std::minmax(a, b);
    const double bandwidth = link.bandwidth_bytes_per_s.value_or(defaults_.bandwidth_bytes_per_s);
    boost::add_edge(low, high,
                    NetworkLink{graph_[low].name + "--" + graph_[high].name, bandwidth * cables,
                                link.latency_s.value_or(defaults_.latency_s)},
                    graph_);
  }

  NetworkGraph graph() const { return graph_; }  // adjacency_list does not move

 private:
  NetworkVertexId add(NetworkVertex vertex) {
    const NetworkVertexId id = boost::add_vertex(graph_);
    graph_[id] = std::move(vertex);
    return id;
  }

  DefaultLink defaults_;
  LinkSpec link_;
  NetworkGraph graph_;
};

NetworkGraph build(const StarSpec& spec, const DefaultLink& defaults, Rank hosts) {
  if (hosts < 1)
    throw std::invalid_argument("star: has " + std::to_string(hosts) + " hosts, expected at least 1");
  Builder builder(defaults, spec.link);
  builder.add_hosts(static_cast<std::size_t>(hosts));
  const NetworkVertexId center = builder.add_switch("switch");
  for (NetworkVertexId host = 0; host < center; ++host) builder.connect(host, center);
  return builder.graph();
}

// A node at level l has one digit a level: digit i counts up[i] values below l, down[i] from l on.
std::vector<unsigned> radices_at(const FatTreeSpec& spec, std::size_t level) {
  std::vector<unsigned> radices = spec.down;
  std::copy_n(spec.up.begin(), level, radices.begin());
  return radices;
}

std::size_t size_of(const std::vector<unsigned>& radices) {
  return std::accumulate(radices.begin(), radices.end(), std::size_t{1}, std::multiplies<>());
}

NetworkGraph build(const FatTreeSpec& spec, const DefaultLink& defaults, Rank) {
  Builder builder(defaults, spec.link);
  const std::size_t levels = spec.down.size();
  builder.add_hosts(size_of(spec.down));
  std::size_t below = 0, above = size_of(spec.down);
  std::size_t stride = 1;  // of digit `level` among nodes of that level, lowest digit first
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t children = size_of(radices_at(spec, level)),
                      parents = size_of(radices_at(spec, level + 1));
    for (std::size_t i = 0; i < parents; ++i)
      builder.add_switch("switch" + std::to_string(level + 1) + "." + std::to_string(i));
    for (std::size_t child = 0; child < children; ++child) {
      const std::size_t low = child % stride, high = child / (stride * spec.down[level]);
      for (unsigned digit = 0; digit < spec.up[level]; ++digit)
        builder.connect(below + child, above + low + stride * (digit + spec.up[level] * high),
                        spec.parallel[level]);
    }
    stride *= spec.up[level];
    below = above;
    above += parents;
  }
  return builder.graph();
}

NetworkGraph build(const TorusSpec& spec, const DefaultLink& defaults, Rank) {
  Builder builder(defaults, spec.link);
  const std::size_t hosts = size_of(spec.dimensions);
  builder.add_hosts(hosts);
  std::size_t stride = 1;
  for (const unsigned dimension : spec.dimensions) {
    for (std::size_t host = 0; host < hosts; ++host) {
      const std::size_t position = host / stride % dimension;
      if (position + 1 < dimension) builder.connect(host, host + stride);
      if (position + 1 == dimension && dimension > 2) builder.connect(host, host - position * stride);
    }
    stride *= dimension;
  }
  return builder.graph();
}

// Routers are numbered by group, chassis and slot, hosts by router.
struct DragonflyNumbers {
  const DragonflySpec& spec;
  std::size_t first_router;

  NetworkVertexId router(std::size_t group, std::size_t chassis, std::size_t slot) const {
    return first_router + (group * spec.chassis + chassis) * spec.routers + slot;
  }
};

void connect_group(Builder& builder, const DragonflySpec& spec, const DragonflyNumbers& numbers,
                   unsigned group) {
  for (unsigned chassis = 0; chassis < spec.chassis; ++chassis)
    for (unsigned slot = 0; slot < spec.routers; ++slot) {
      const NetworkVertexId router = numbers.router(group, chassis, slot);
      for (unsigned other = slot + 1; other < spec.routers; ++other)
        builder.connect(router, numbers.router(group, chassis, other), spec.router_links);
      for (unsigned other = chassis + 1; other < spec.chassis; ++other)
        builder.connect(router, numbers.router(group, other, slot), spec.chassis_links);
    }
}

NetworkGraph build(const DragonflySpec& spec, const DefaultLink& defaults, Rank) {
  Builder builder(defaults, spec.link);
  const std::size_t routers = std::size_t{spec.groups} * spec.chassis * spec.routers;
  const DragonflyNumbers numbers{spec, routers * spec.hosts_per_router};
  builder.add_hosts(numbers.first_router);
  for (std::size_t i = 0; i < routers; ++i) builder.add_switch("router" + std::to_string(i));
  for (std::size_t host = 0; host < numbers.first_router; ++host)
    builder.connect(host, numbers.first_router + host / spec.hosts_per_router);
  for (unsigned group = 0; group < spec.groups; ++group) {
    connect_group(builder, spec, numbers, group);
    for (unsigned other = group + 1; other < spec.groups; ++other)
      builder.connect(numbers.router(group, 0, other), numbers.router(other, 0, group), spec.group_links);
  }
  return builder.graph();
}

NetworkGraph build(const GraphSpec& spec, const DefaultLink& defaults, Rank) {
  Builder builder(defaults, {});
  for (std::size_t i = 0; i < spec.names.size(); ++i)
    i < spec.hosts ? builder.add_host(spec.names[i]) : builder.add_switch(spec.names[i]);
  for (const GraphEdge& edge : spec.edges) builder.connect(edge.a, edge.b, edge.link, 1);
  return builder.graph();
}

}  // namespace

NetworkGraph to_graph(const Topology& topology, const DefaultLink& defaults, Rank star_hosts) {
  require_valid(topology);
  return std::visit([&](const auto& spec) { return build(spec, defaults, star_hosts); }, topology.spec);
}

Rank count_hosts(const NetworkGraph& graph) {
  const auto [first, last] = boost::vertices(graph);
  return static_cast<Rank>(std::count_if(first, last, [&](NetworkVertexId v) { return graph[v].is_host; }));
}

unsigned diameter(const NetworkGraph& graph) {
  constexpr unsigned kUnreached = std::numeric_limits<unsigned>::max();
  const auto hosts = static_cast<NetworkVertexId>(count_hosts(graph));
  unsigned longest = 0;
  for (NetworkVertexId from = 0; from < hosts; ++from) {
    std::vector<unsigned> hops(boost::num_vertices(graph), kUnreached);
    hops[from] = 0;
    const auto recorder =
        boost::make_bfs_visitor(boost::record_distances(hops.data(), boost::on_tree_edge()));
    boost::breadth_first_search(graph, from, boost::visitor(recorder));
    for (NetworkVertexId to = 0; to < hosts; ++to) {
      if (hops[to] == kUnreached)
        throw std::invalid_argument("no way from host '" + graph[from].name + "' to host '" + graph[to].name +
                                    "'");
      longest = std::max(longest, hops[to]);
    }
  }
  return longest;
}

}  // namespace sparsewire
