// `sparsewire reduce`: one allreduce of vectors from a file.
#pragma once

#include <string>

#include "experiments/world_options.hpp"

namespace sparsewire {

struct ReduceOptions {
  std::string vectors, algorithm, precision = "fp32", codec = "pairs", operation = "sum";
  WorldOptions world;
};

// Prints the result and what each rank did, and returns the exit code. Throws std::invalid_argument for bad
// input.
int reduce_command(const ReduceOptions& options);

}  // namespace sparsewire
