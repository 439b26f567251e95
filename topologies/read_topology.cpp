#include "topologies/read_topology.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace sparsewire {
namespace {

using Json = nlohmann::json;

constexpr std::array kKinds = {
    TopologyKind{"star", "every host on one switch that is never a bottleneck; grows with the ranks"},
    TopologyKind{"fat-tree",
                 "generalised fat tree of \"down\" children, \"up\" parents, \"parallel\" cables per level"},
    TopologyKind{"torus", "grid of hosts that wraps around; \"dimensions\""},
    TopologyKind{"dragonfly",
                 "\"groups\" of \"chassis\" of \"routers\" with \"hosts_per_router\"; \"group_links\", "
                 "\"chassis_links\", \"router_links\" cables"},
    TopologyKind{"graph", "any graph: \"file\", or \"hosts\", \"switches\" and \"edges\""},
};

[[noreturn]] void refuse(const std::string& pointer, const std::string& problem) {
  throw std::invalid_argument((pointer.empty() ? "the whole" : pointer) + ": " + problem);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// ", nearest is 'NAME'", or nothing if there are no candidates.
template <class Names>
std::string nearest(std::string_view name, const Names& candidates) {
  const auto best = std::min_element(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
  return best == candidates.end() ? "" : ", nearest is '" + std::string(*best) + "'";
}

// The members of one JSON object. A member that is never asked for is unknown.
class Members {
 public:
  Members(const Json& json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {
    if (!json.is_object()) refuse(pointer_, "is " + std::string(json.type_name()) + ", expected an object");
  }

  std::string pointer_to(const std::string& key) const { return pointer_ + "/" + key; }
  bool has(const std::string& key) {
    known_.push_back(key);
    return json_.contains(key);
  }
  const Json& at(const std::string& key) {
    if (!has(key)) refuse(pointer_to(key), "is missing");
    return json_[key];
  }
  std::string text(const std::string& key) {
    const Json& value = at(key);
    if (!value.is_string()) refuse(pointer_to(key), "is " + value.dump() + ", expected a string");
    return value.get<std::string>();
  }
  std::optional<double> number(const std::string& key) {
    if (!has(key)) return std::nullopt;
    if (!json_[key].is_number()) refuse(pointer_to(key), "is " + json_[key].dump() + ", expected a number");
    return json_[key].get<double>();
  }
  unsigned count(const std::string& key) { return as_count(at(key), pointer_to(key)); }
  unsigned count_or(const std::string& key, unsigned absent) { return has(key) ? count(key) : absent; }
  const Json& array(const std::string& key) {
    const Json& value = at(key);
    if (!value.is_array())
      refuse(pointer_to(key), "is " + std::string(value.type_name()) + ", expected an array");
    return value;
  }
  std::vector<unsigned> counts(const std::string& key) {
    std::vector<unsigned> values;
    for (const Json& value : array(key))
      values.push_back(as_count(value, pointer_to(key) + "/" + std::to_string(values.size())));
    return values;
  }
  std::vector<std::string> names(const std::string& key) {
    std::vector<std::string> values;
    for (const Json& value : array(key)) {
      if (!value.is_string())
        refuse(pointer_to(key) + "/" + std::to_string(values.size()),
               "is " + value.dump() + ", expected a string");
      values.push_back(value.get<std::string>());
    }
    return values;
  }

  void require_no_others() const {
    for (const auto& [key, value] : json_.items())
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        refuse(pointer_to(key), "no such key" + nearest(key, known_));
  }

 private:
  static unsigned as_count(const Json& value, const std::string& pointer) {
    constexpr auto kMost = std::numeric_limits<unsigned>::max();
    if (!value.is_number_integer() || value < 0 || value > kMost)
      refuse(pointer, "is " + value.dump() + ", expected an integer of at least 1");
    return value.get<unsigned>();
  }

  const Json& json_;
  std::string pointer_;
  std::vector<std::string> known_;
};

Sharing sharing(Members& members) {
  if (!members.has("sharing")) return Sharing::shared;
  const std::string word = members.text("sharing");
  if (word == "shared") return Sharing::shared;
  if (word == "unshared") return Sharing::unshared;
  refuse(members.pointer_to("sharing"), "is '" + word + "', expected 'shared' or 'unshared'");
}

LinkSpec default_link(Members& members) {
  return {members.number("link_bandwidth_bytes_per_s"), members.number("link_latency_s")};
}

StarSpec star(Members& members) {
  return {default_link(members), sharing(members)};
}

FatTreeSpec fat_tree(Members& members) {
  return {members.counts("down"), members.counts("up"), members.counts("parallel"), default_link(members),
          sharing(members)};
}

TorusSpec torus(Members& members) {
  return {members.counts("dimensions"), default_link(members), sharing(members)};
}

DragonflySpec dragonfly(Members& members) {
  DragonflySpec spec;
  spec.groups = members.count("groups");
  spec.chassis = members.count("chassis");
  spec.routers = members.count("routers");
  spec.hosts_per_router = members.count("hosts_per_router");
  spec.group_links = members.count_or("group_links", 1);
  spec.chassis_links = members.count_or("chassis_links", 1);
  spec.router_links = members.count_or("router_links", 1);
  spec.link = default_link(members);
  spec.sharing = sharing(members);
  return spec;
}

unsigned vertex(Members& members, const std::string& key, const std::vector<std::string>& names,
                const std::map<std::string, unsigned>& numbers) {
  const std::string name = members.text(key);
  const auto found = numbers.find(name);
  if (found == numbers.end())
    refuse(members.pointer_to(key), "no vertex '" + name + "'" + nearest(name, names));
  return found->second;
}

// The members "hosts", "switches" and "edges"; an edge without values takes those of the whole topology.
GraphSpec vertices_and_edges(Members& members, const LinkSpec& default_values) {
  GraphSpec spec;
  spec.names = members.names("hosts");
  spec.hosts = static_cast<unsigned>(spec.names.size());
  if (members.has("switches")) {
    const auto switches = members.names("switches");
    spec.names.insert(spec.names.end(), switches.begin(), switches.end());
  }
  std::map<std::string, unsigned> numbers;
  for (unsigned i = 0; i < spec.names.size(); ++i) numbers.emplace(spec.names[i], i);
  for (const Json& json : members.array("edges")) {
    Members edge(json, members.pointer_to("edges") + "/" + std::to_string(spec.edges.size()));
    const unsigned a = vertex(edge, "a", spec.names, numbers), b = vertex(edge, "b", spec.names, numbers);
    LinkSpec link{edge.number("bandwidth_bytes_per_s"), edge.number("latency_s")};
    if (!link.bandwidth_bytes_per_s) link.bandwidth_bytes_per_s = default_values.bandwidth_bytes_per_s;
    if (!link.latency_s) link.latency_s = default_values.latency_s;
    edge.require_no_others();
    spec.edges.push_back({a, b, link});
  }
  return spec;
}

Json parse(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) refuse("/file", "cannot open " + path.string());
  try {
    return Json::parse(file);
  } catch (const Json::parse_error& error) {
    refuse("/file", path.string() + " is no JSON: " + error.what());
  }
}

// The graph in another file; its errors are prefixed with the file's name.
GraphSpec graph_in_file(const std::filesystem::path& path, const LinkSpec& default_values, Sharing sharing) {
  const Json json = parse(path);
  try {
    Members members(json, "");
    if (members.has("name") && members.text("name") != "graph") refuse("/name", "is not \"graph\"");
    GraphSpec spec = vertices_and_edges(members, default_values);
    spec.sharing = sharing;
    members.require_no_others();
    require_valid(Topology{"graph", spec});
    return spec;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(path.string() + ": " + error.what());
  }
}

GraphSpec graph(Members& members, const std::filesystem::path& base_directory) {
  const LinkSpec default_values = default_link(members);
  const Sharing shared = sharing(members);
  if (members.has("file"))
    return graph_in_file(base_directory / members.text("file"), default_values, shared);
  GraphSpec spec = vertices_and_edges(members, default_values);
  spec.sharing = shared;
  return spec;
}

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const TopologyKind& kind : kKinds) names.push_back(kind.name);
  return names;
}

decltype(Topology::spec) spec_of(const std::string& kind, Members& members,
                                 const std::filesystem::path& base_directory) {
  if (kind == "star") return star(members);
  if (kind == "fat-tree") return fat_tree(members);
  if (kind == "torus") return torus(members);
  if (kind == "dragonfly") return dragonfly(members);
  if (kind == "graph") return graph(members, base_directory);
  refuse("/name", "no topology '" + kind + "'" + nearest(kind, kind_names()));
}

}  // namespace

std::span<const TopologyKind> topology_kinds() {
  return kKinds;
}

Topology topology_from_json(const nlohmann::json& json, const std::filesystem::path& base_directory) {
  Members members(json, "");
  Topology topology;
  topology.name = members.text("name");
  topology.spec = spec_of(topology.name, members, base_directory);
  members.require_no_others();
  require_valid(topology);
  return topology;
}

}  // namespace sparsewire
