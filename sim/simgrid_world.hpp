// A world of simulated ranks under LogGP on a SimGrid platform: messages share the links of a topology.
#pragma once

#include "algorithms/transport/world.hpp"
#include "model/machine.hpp"
#include "topologies/topology.hpp"

namespace sparsewire {

// Every rank is a SimGrid actor that keeps its own LogGP CPU and sending interface, by the rules of
// model/loggp.hpp; what lies between two hosts is SimGrid's flow model (CM02) on the topology: the latency of
// the path, then bytes that divide the bandwidth of shared links among flows, inversely to the latency of
// their paths. On an unshared star that is exactly the wire of model/loggp.hpp. LogGP::serial_receiver is
// ignored: contention for a receiver is that for the link to it, on a shared topology. Requests and answers
// of the rendezvous take the latency of the path and no bandwidth.
//
// SimGrid runs once in a process, so every run forks: what the program writes to captured memory is lost, and
// only its Output comes back.
class SimGridWorld final : public World {
 public:
  // Throws std::invalid_argument if the machine or the topology is not valid.
  SimGridWorld(Machine machine, Topology topology);

  // Besides what World::run throws: std::runtime_error if the simulation's process crashes.
  RunResult run(Rank ranks, const Program& program) override;

 private:
  Machine machine_;
  Topology topology_;
};

}  // namespace sparsewire
