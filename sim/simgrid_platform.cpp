#include "sim/simgrid_platform.hpp"

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

// A full-duplex link: the link itself, and how a route crosses it forwards.
s4u::LinkInRoute create_link(s4u::NetZone* zone, const std::string& name, const LinkValues& values,
                             Sharing sharing) {
  if (sharing == Sharing::shared) {
    s4u::SplitDuplexLink* link = zone->create_split_duplex_link(name, values.bandwidth);
    link->set_latency(values.latency);
    return {link, Direction::UP};
  }
  s4u::Link* link = zone->create_link(name, values.bandwidth);
  link->set_latency(values.latency)->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
  return s4u::LinkInRoute(link);
}

s4u::LinkInRoute backwards(const s4u::LinkInRoute& link) {
  return {link.get_link(), link.get_direction() == Direction::UP ? Direction::DOWN : Direction::NONE};
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
    const auto link =
        create_link(zone, host->get_name() + "-link", values_of(spec.link, defaults), spec.sharing);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {link}, true);
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

// SimGrid's clusters create shared links even when asked for FATPIPE ones.
Hosts finish_cluster(s4u::NetZone* zone, Hosts hosts, Sharing sharing, Rank ranks) {
  zone->seal();
  if (sharing == Sharing::unshared)
    for (s4u::Link* link : s4u::Engine::get_instance()->get_all_links())
      link->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
  hosts.resize(static_cast<std::size_t>(ranks));
  return hosts;
}

Hosts create(const FatTreeSpec& spec, const DefaultLink& defaults, Rank ranks) {
  Hosts hosts;
  const LinkValues link = values_of(spec.link, defaults);
  s4u::NetZone* zone = s4u::create_fatTree_zone(
      "fat-tree", nullptr, {static_cast<unsigned>(spec.down.size()), spec.down, spec.up, spec.parallel},
      leaves_into(hosts), link.bandwidth, link.latency, s4u::Link::SharingPolicy::SPLITDUPLEX);
  return finish_cluster(zone, std::move(hosts), spec.sharing, ranks);
}

Hosts create(const TorusSpec& spec, const DefaultLink& defaults, Rank ranks) {
  Hosts hosts;
  const LinkValues link = values_of(spec.link, defaults);
  s4u::NetZone* zone = s4u::create_torus_zone(
      "torus", nullptr, {spec.dimensions.begin(), spec.dimensions.end()}, leaves_into(hosts), link.bandwidth,
      link.latency, s4u::Link::SharingPolicy::SPLITDUPLEX);
  return finish_cluster(zone, std::move(hosts), spec.sharing, ranks);
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
  return finish_cluster(zone, std::move(hosts), spec.sharing, ranks);
}

// The links of a graph by their ends, lower vertex first; created when a route first crosses them.
class GraphLinks {
 public:
  GraphLinks(s4u::NetZone* zone, const NetworkGraph& graph, Sharing sharing)
      : zone_(zone), graph_(graph), sharing_(sharing) {}

  std::vector<s4u::LinkInRoute> along(const Route& route) {
    std::vector<s4u::LinkInRoute> links;
    for (const Hop& hop : route) {
      const s4u::LinkInRoute& link = at(hop);
      links.push_back(hop.from < hop.to ? link : backwards(link));
    }
    return links;
  }

 private:
  const s4u::LinkInRoute& at(const Hop& hop) {
    const std::pair<NetworkVertexId, NetworkVertexId> ends = std::minmax(hop.from, hop.to);
    const auto found = links_.find(ends);
    if (found != links_.end()) return found->second;
    const NetworkLink& link = graph_[hop.edge];
    return links_
        .emplace(ends, create_link(zone_, link.name, {link.bandwidth_bytes_per_s, link.latency_s}, sharing_))
        .first->second;
  }

  s4u::NetZone* zone_;
  const NetworkGraph& graph_;
  Sharing sharing_;
  std::map<std::pair<NetworkVertexId, NetworkVertexId>, s4u::LinkInRoute> links_;
};

Hosts create(const GraphSpec& spec, const DefaultLink& defaults, Rank ranks) {
  const NetworkGraph graph = to_graph({"graph", spec}, defaults, ranks);
  s4u::NetZone* zone = s4u::create_full_zone("graph");
  const Hosts hosts = create_hosts(zone, ranks);
  GraphLinks links(zone, graph, spec.sharing);
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
