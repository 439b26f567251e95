// Which world one command runs in, as the command line says it.
#pragma once

#include <memory>
#include <string>

#include "algorithms/transport/world.hpp"
#include "model/machine.hpp"

namespace sparsewire {

struct WorldOptions {
  std::string backend;  // empty: under a launcher mpi, otherwise loggp
  std::string machine = "deep-est", topology = "star";
};

// "loggp", "simgrid" or "mpi", or what the user wrote.
std::string backend_of(const WorldOptions& options);

// Whether the command needs MPI: to run in it, or to refuse anything else on all processes alike.
bool needs_mpi(const WorldOptions& options);

// The simulator to run in; none if that is MPI's job. Throws std::invalid_argument for names that are not
// known, and for a simulator under an MPI launcher.
std::unique_ptr<World> simulated_world(const WorldOptions& options);

// Throws std::invalid_argument unless --algorithm is one of the table.
void require_option_algorithm(const std::string& text);

}  // namespace sparsewire
