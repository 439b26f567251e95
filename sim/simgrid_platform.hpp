// A topology as a SimGrid platform. Part of SimGridWorld.
#pragma once

#include <vector>

#include "model/machine.hpp"
#include "topologies/topology.hpp"

namespace simgrid {
namespace s4u {
class Host;
}
}  // namespace simgrid

namespace sparsewire {

// Sets the options of this process's SimGrid engine under which its flow model is exactly LogGP's wire: the
// network model CM02 without TCP window, cross traffic and correction factors, and the finest precision. To
// be called once, after the engine exists and before create_platform.
void configure_simgrid(Rank ranks);

// Builds the platform in this process's SimGrid engine and returns the hosts of ranks 0..ranks-1. Stars, fat
// trees, tori and dragonflies are SimGrid's own zones with its routing; a graph is routed by
// topologies/routing.hpp. What the topology leaves to the machine is bandwidth 1/G and latency L/2 on every
// link. Throws std::invalid_argument if the topology is not valid, has too few hosts, or leaves two ranks
// unconnected.
std::vector<simgrid::s4u::Host*> create_platform(const Topology& topology, const LogGP& network, Rank ranks);

}  // namespace sparsewire
