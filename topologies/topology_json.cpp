#include "topologies/topology_json.hpp"

#include <nlohmann/json.hpp>

namespace sparsewire {
namespace {

using nlohmann::json;

void put_link(json& object, const LinkSpec& link, const std::string& prefix) {
  if (link.bandwidth_bytes_per_s) object[prefix + "bandwidth_bytes_per_s"] = *link.bandwidth_bytes_per_s;
  if (link.latency_s) object[prefix + "latency_s"] = *link.latency_s;
}

struct ToJson {
  json operator()(const StarSpec& star) const { return with_link("star", star); }
  json operator()(const FatTreeSpec& tree) const {
    json object = with_link("fat-tree", tree);
    object["down"] = tree.down;
    object["up"] = tree.up;
    object["parallel"] = tree.parallel;
    return object;
  }
  json operator()(const TorusSpec& torus) const {
    json object = with_link("torus", torus);
    object["dimensions"] = torus.dimensions;
    return object;
  }
  json operator()(const DragonflySpec& dragonfly) const {
    json object = with_link("dragonfly", dragonfly);
    object.update({{"groups", dragonfly.groups},
                   {"chassis", dragonfly.chassis},
                   {"routers", dragonfly.routers},
                   {"hosts_per_router", dragonfly.hosts_per_router},
                   {"group_links", dragonfly.group_links},
                   {"chassis_links", dragonfly.chassis_links},
                   {"router_links", dragonfly.router_links}});
    return object;
  }
  json operator()(const GraphSpec& graph) const {
    const auto first_switch = graph.names.begin() + graph.hosts;
    json object = {{"name", "graph"},
                   {"hosts", std::vector<std::string>(graph.names.begin(), first_switch)},
                   {"switches", std::vector<std::string>(first_switch, graph.names.end())},
                   {"edges", json::array()}};
    for (const GraphEdge& edge : graph.edges) {
      json entry = {{"a", graph.names[edge.a]}, {"b", graph.names[edge.b]}};
      put_link(entry, edge.link, "");
      object["edges"].push_back(std::move(entry));
    }
    return object;
  }

  template <class Spec>
  static json with_link(const char* name, const Spec& spec) {
    json object = {{"name", name}};
    put_link(object, spec.link, "link_");
    return object;
  }
};

}  // namespace

json topology_to_json(const Topology& topology) {
  json object = std::visit(ToJson{}, topology.spec);
  object["sharing"] = sharing_of(topology) == Sharing::shared ? "shared" : "unshared";
  return object;
}

}  // namespace sparsewire
