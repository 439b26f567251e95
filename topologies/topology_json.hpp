// Topologies to JSON: the inverse of read_topology.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "topologies/topology.hpp"

namespace sparsewire {

// The topology in the form that topology_from_json reads; a graph is inline.
nlohmann::json topology_to_json(const Topology& topology);

}  // namespace sparsewire
