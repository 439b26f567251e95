// `sparsewire overlap`: how much computation a non-blocking allreduce hides.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/overlap.hpp"
#include "experiments/world_options.hpp"

namespace sparsewire {

struct OverlapOptions {
  std::string algorithm;
  Rank ranks = 0;  // 0: 16, or all processes of an MPI job
  std::uint64_t dimension = 1 << 18;
  double density = 0.01;  // uniform
  std::uint64_t seed = 1;
  OverlapPlan plan;
  WorldOptions world;
};

// Prints a table with a row for each number of chunks, and returns the exit code. Throws
// std::invalid_argument for bad input.
int overlap_command(const OverlapOptions& options);

}  // namespace sparsewire
