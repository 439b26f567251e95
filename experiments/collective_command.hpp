// `sparsewire collective`: a reduce-scatter, allgather, reduce or broadcast of vectors from a file.
#pragma once

#include <string>
#include <vector>

#include "experiments/world_options.hpp"
#include "model/units.hpp"

namespace sparsewire {

struct CollectiveOptions {
  std::string vectors, algorithm, precision = "fp32";
  Rank root = 0;
  WorldOptions world;
};

// Name and summary of each algorithm of these operations.
std::vector<std::pair<std::string, std::string>> collective_kinds();

// Prints the vectors that the ranks end with, in rank order (once, where all ranks end with the same), and
// what each rank did, and returns the exit code. Throws std::invalid_argument for bad input.
int collective_command(const CollectiveOptions& options);

}  // namespace sparsewire
