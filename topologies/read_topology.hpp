// Topologies from JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "topologies/topology.hpp"

namespace sparsewire {

// A family of topologies, by its name in JSON.
struct TopologyKind {
  std::string_view name;
  std::string_view summary;  // one line, parameters included
};

// Every family that topology_from_json reads, in the order to list them in.
std::span<const TopologyKind> topology_kinds();

// Reads {"name": KIND, ...}; topologies/README.md lists the keys of each kind. All of them take "sharing"
// ("shared", which is the default, or "unshared"), "link_bandwidth_bytes_per_s" and "link_latency_s" (both
// left to the machine when absent). A graph is inline or in the file that "file" names, relative to
// `base_directory`. Throws std::invalid_argument whose message starts with the JSON pointer of the culprit
// relative to `json` (after the file's name, if it lies in a file): a missing or unknown key, a wrong type or
// value, an unknown vertex, a self loop, a second edge between two vertices, a file that is missing or no
// JSON. The result is valid by require_valid.
Topology topology_from_json(const nlohmann::json& json, const std::filesystem::path& base_directory);

}  // namespace sparsewire
