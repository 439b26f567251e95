#include "sim/simgrid_platform.hpp"

#include <algorithm>
#include <map>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "topologies/routing.hpp"

namespace sparsewire {
namespace {

namespace s4u = simgrid::s4u;
using Direction = s4u::LinkInRoute::Direction;
using Hosts = std::vector<s4u::Host*>;

constexpr double kHostSpeed = 1;  // flop/s; never used, as ranks keep their own clocks
constexpr double kEndlessBandwidth = 1e30;
constexpr Rank kMostRanksWithGuards = 16384;  // a guard costs a memory mapping

DefaultLink default_link(const LogGP& network) {
  return {network.G > 0 ? 1 / network.G : kEndlessBandwidth, network.L / 2};
}

struct LinkValues {
  double bandwidth;
  Seconds latency;
};

LinkValues values_of(const LinkSpec& link, const DefaultLink& defaults) {
  return {link.bandwidth_bytes_per_s.value_or(defaults.bandwidth_bytes_per_s),
          link.latency_s.value_or(defaults.latency_s)};
}

const s4u::SplitDuplexLink* create_link(s4u::NetZone* zone, const std::string& name,
                                        const LinkValues& values) {
  s4u::SplitDuplexLink* link = zone->create_split_duplex_link(name, values.bandwidth);
  link->set_latency(values.latency);
  return link;
}

Hosts create_hosts(s4u::NetZone* zone, Rank ranks) {
  Hosts hosts;
  for (Rank rank = 0; rank < ranks; ++rank)
    hosts.push_back(zone->create_host("host" + std::to_string(rank), kHostSpeed));
  return hosts;
}

Hosts create(const StarSpec& spec, const DefaultLink& defaults, Rank ranks) {
  s4u::NetZone* zone = s4u::create_star_zone("star");
  const Hosts hosts = create_hosts(zone, ranks);
  for (s4u::Host* host : hosts) {
    const auto* link = create_link(zone, host->get_name() + "-link", values_of(spec.link, defaults));
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, Direction::UP}}, true);
  }
  zone->seal();
  return hosts;
}

// The callback by which SimGrid's clusters ask for their leaves, in order; each becomes a host.
s4u::ClusterCallbacks leaves_into(Hosts& hosts) {
  return s4u::ClusterCallbacks(
      [&hosts](s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long) {
        hosts.push_back(zone->create_host("host" + std::to_string(hosts.size()), kHostSpeed));
        return std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>(
            hosts.back()->get_netpoint(), nullptr);
      });
}

Hosts finish_cluster(s4u::NetZone* zone, Hosts hosts, Rank ranks) {
  zone->seal();
  hosts.resize(static_cast<std::size_t>(ranks));
  return hosts;
}

Hosts create(const FatTreeSpec& spec, const DefaultLink& defaults, Rank ranks) {
  Hosts hosts;
  const LinkValues link = values_of(spec.link, defaults);
  s4u::NetZone* zone = s4u::create_fatTree_zone(
      "fat-tree", nullptr, {static_cast<unsigned>(spec.down.size()), spec.down, spec.up, spec.parallel},
      leaves_into(hosts), link.bandwidth, link.latency, s4u::Link::SharingPolicy::SPLITDUPLEX);
  return finish_cluster(zone, std::move(hosts), ranks);
}

Hosts create(const TorusSpec& spec, const DefaultLink& defaults, Rank ranks) {
  Hosts hosts;
  const LinkValues link = values_of(spec.link, defaults);
  s4u::NetZone* zone = s4u::create_torus_zone(
      "torus", nullptr, {spec.dimensions.begin(), spec.dimensions.end()}, leaves_into(hosts), link.bandwidth,
      link.latency, s4u::Link::SharingPolicy::SPLITDUPLEX);
  return finish_cluster(zone, std::move(hosts), ranks);
}

Hosts create(const DragonflySpec& spec, const DefaultLink& defaults, Rank ranks) {
  Hosts hosts;
  const LinkValues link = values_of(spec.link, defaults);
  s4u::NetZone* zone = s4u::create_dragonfly_zone("dragonfly", nullptr,
                                                  {{spec.groups, spec.group_links},
                                                   {spec.chassis, spec.chassis_links},
                                                   {spec.routers, spec.router_links},
                                                   spec.hosts_per_router},
                                                  leaves_into(hosts), link.bandwidth, link.latency,
                                                  s4u::Link::SharingPolicy::SPLITDUPLEX);
  return finish_cluster(zone, std::move(hosts), ranks);
}

// The links of a graph by their ends, lower vertex first; created when a route first crosses them.
class GraphLinks {
 public:
  GraphLinks(s4u::NetZone* zone, const NetworkGraph& graph) : zone_(zone), graph_(graph) {}

  std::vector<s4u::LinkInRoute> along(const Route& route) {
    std::vector<s4u::LinkInRoute> links;
    for (const Hop& hop : route)
      links.emplace_back(at(hop), hop.from < hop.to ? Direction::UP : Direction::DOWN);
    return links;
  }

 private:
  const s4u::SplitDuplexLink* at(const Hop& hop) {
    const s4u::SplitDuplexLink*& link = links_[std::minmax(hop.from, hop.to)];
    const NetworkLink& values = graph_[hop.edge];
    if (link == nullptr)
      link = create_link(zone_, values.name, {values.bandwidth_bytes_per_s, values.latency_s});
    return link;
  }

  s4u::NetZone* zone_;
  const NetworkGraph& graph_;
  std::map<std::pair<NetworkVertexId, NetworkVertexId>, const s4u::SplitDuplexLink*> links_;
};

Hosts create(const GraphSpec& spec, const DefaultLink& defaults, Rank ranks) {
  const NetworkGraph graph = to_graph({"graph", spec}, defaults, ranks);
  s4u::NetZone* zone = s4u::create_full_zone("graph");
  const Hosts hosts = create_hosts(zone, ranks);
  GraphLinks links(zone, graph);
  for (NetworkVertexId from = 0; from < hosts.size(); ++from) {
    const Routes routes(graph, from);
    for (NetworkVertexId to = from + 1; to < hosts.size(); ++to)
      zone->add_route(hosts[from]->get_netpoint(), hosts[to]->get_netpoint(), nullptr, nullptr,
                      links.along(routes.to(to)), true);
  }
  zone->seal();
  return hosts;
}

}  // namespace

void configure_simgrid(Rank ranks) {
  using Engine = s4u::Engine;
  Engine::set_config("network/model:CM02");
  Engine::set_config("network/crosstraffic:0");
  Engine::set_config("network/TCP-gamma:1e30");  // the default window caps the bandwidth
  Engine::set_config("surf/precision:1e-15");    // seconds
  Engine::set_config("maxmin/precision:1e-9");
  Engine::set_config(ranks > kMostRanksWithGuards ? "contexts/stack-size:64"
                                                  : "contexts/stack-size:256");  // KiB
  if (ranks > kMostRanksWithGuards) Engine::set_config("contexts/guard-size:0");
}

std::vector<simgrid::s4u::Host*> create_platform(const Topology& topology, const LogGP& network, Rank ranks) {
  const DefaultLink defaults = default_link(network);
  return std::visit([&](const auto& spec) { return create(spec, defaults, ranks); }, topology.spec);
}

}  // namespace sparsewire
