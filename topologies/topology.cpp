#include "topologies/topology.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace sparsewire {
namespace {

constexpr std::uint64_t kMostHosts = std::numeric_limits<Rank>::max();

template <class Value>
[[noreturn]] void refuse(const std::string& parameter, const Value& found, const std::string& expected) {
  std::ostringstream message;
  message << parameter << ": is " << found << ", expected " << expected;
  throw std::invalid_argument(message.str());
}

// Product of the factors, or kMostHosts + 1 if it is larger than kMostHosts.
std::uint64_t product(const std::vector<unsigned>& factors) {
  std::uint64_t total = 1;
  for (const unsigned factor : factors) {
    total *= factor;
    if (total > kMostHosts) return kMostHosts + 1;
  }
  return total;
}

std::vector<unsigned> levels_of(const DragonflySpec& spec) {
  return {spec.groups, spec.chassis, spec.routers, spec.hosts_per_router};
}

std::optional<std::uint64_t> hosts_of(const StarSpec&) {
  return std::nullopt;
}
std::optional<std::uint64_t> hosts_of(const FatTreeSpec& spec) {
  return product(spec.down);
}
std::optional<std::uint64_t> hosts_of(const TorusSpec& spec) {
  return product(spec.dimensions);
}
std::optional<std::uint64_t> hosts_of(const DragonflySpec& spec) {
  return product(levels_of(spec));
}
std::optional<std::uint64_t> hosts_of(const GraphSpec& spec) {
  return spec.hosts;
}

void require_link(const std::string& bandwidth_name, const std::string& latency_name, const LinkSpec& link) {
  if (link.bandwidth_bytes_per_s &&
      !(*link.bandwidth_bytes_per_s > 0 && std::isfinite(*link.bandwidth_bytes_per_s)))
    refuse(bandwidth_name, *link.bandwidth_bytes_per_s, "a finite number above 0");
  if (link.latency_s && !(*link.latency_s >= 0 && std::isfinite(*link.latency_s)))
    refuse(latency_name, *link.latency_s, "a finite number of at least 0");
}

void require_link(const LinkSpec& link) {
  require_link("/link_bandwidth_bytes_per_s", "/link_latency_s", link);
}

void require_positive(const std::string& parameter, unsigned value) {
  if (value == 0) refuse(parameter, value, "an integer of at least 1");
}

void require_counts(const std::string& parameter, const std::vector<unsigned>& counts) {
  if (counts.empty()) refuse(parameter, "empty", "at least one number");
  for (std::size_t i = 0; i < counts.size(); ++i)
    require_positive(parameter + "/" + std::to_string(i), counts[i]);
}

void require_length(const std::string& parameter, const std::vector<unsigned>& counts, std::size_t length) {
  if (counts.size() != length)
    refuse(parameter, std::to_string(counts.size()) + " numbers long",
           std::to_string(length) + " as /down has");
  require_counts(parameter, counts);
}

void require_parameters(const StarSpec& spec) {
  require_link(spec.link);
}

void require_parameters(const FatTreeSpec& spec) {
  require_link(spec.link);
  require_counts("/down", spec.down);
  require_length("/up", spec.up, spec.down.size());
  require_length("/parallel", spec.parallel, spec.down.size());
}

void require_parameters(const TorusSpec& spec) {
  require_link(spec.link);
  require_counts("/dimensions", spec.dimensions);
}

void require_parameters(const DragonflySpec& spec) {
  require_link(spec.link);
  require_positive("/groups", spec.groups);
  require_positive("/chassis", spec.chassis);
  require_positive("/routers", spec.routers);
  require_positive("/hosts_per_router", spec.hosts_per_router);
  require_positive("/group_links", spec.group_links);
  require_positive("/chassis_links", spec.chassis_links);
  require_positive("/router_links", spec.router_links);
  if (spec.groups > spec.routers)
    refuse("/groups", spec.groups,
           "at most /routers, " + std::to_string(spec.routers) + ", as router i of a group leads to group i");
}

void require_names(const GraphSpec& spec) {
  if (spec.hosts == 0) refuse("/hosts", "empty", "at least one name");
  if (spec.names.size() < spec.hosts) refuse("/hosts", spec.hosts, "at most one host per name");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < spec.names.size(); ++i) {
    const bool host = i < spec.hosts;
    const std::string parameter =
        (host ? "/hosts/" : "/switches/") + std::to_string(host ? i : i - spec.hosts);
    if (spec.names[i].empty()) refuse(parameter, "empty", "a name");
    if (!seen.insert(spec.names[i]).second)
      refuse(parameter, "'" + spec.names[i] + "'", "a name not used before");
  }
}

void require_parameters(const GraphSpec& spec) {
  require_names(spec);
  std::map<std::pair<unsigned, unsigned>, std::size_t> seen;
  for (std::size_t i = 0; i < spec.edges.size(); ++i) {
    const GraphEdge& edge = spec.edges[i];
    const std::string parameter = "/edges/" + std::to_string(i);
    for (const auto& [end, vertex] : {std::pair{"/a", edge.a}, std::pair{"/b", edge.b}})
      if (vertex >= spec.names.size())
        refuse(parameter + end, vertex, "a vertex below " + std::to_string(spec.names.size()));
    if (edge.a == edge.b)
      refuse(parameter, "a loop at '" + spec.names[edge.a] + "'", "two different vertices");
    const auto [first, inserted] = seen.emplace(std::minmax(edge.a, edge.b), i);
    if (!inserted)
      refuse(parameter, "a second edge between '" + spec.names[edge.a] + "' and '" + spec.names[edge.b] + "'",
             "one edge with the sum of the bandwidths (the first is /edges/" + std::to_string(first->second) +
                 ")");
    require_link(parameter + "/bandwidth_bytes_per_s", parameter + "/latency_s", edge.link);
  }
}

}  // namespace

std::optional<Rank> host_count(const Topology& topology) {
  const auto hosts = std::visit([](const auto& spec) { return hosts_of(spec); }, topology.spec);
  if (!hosts) return std::nullopt;
  if (*hosts > kMostHosts)
    throw std::invalid_argument("topology '" + topology.name + "': has more than " +
                                std::to_string(kMostHosts) + " hosts");
  return static_cast<Rank>(*hosts);
}

Sharing sharing_of(const Topology& topology) {
  return std::visit([](const auto& spec) { return spec.sharing; }, topology.spec);
}

void require_valid(const Topology& topology) {
  std::visit([](const auto& spec) { require_parameters(spec); }, topology.spec);
  host_count(topology);
}

}  // namespace sparsewire
