// `sparsewire reduce`: one allreduce of vectors from a file.
#pragma once

#include <string>

namespace sparsewire {

struct ReduceOptions {
  std::string vectors, algorithm, backend, machine = "deep-est", topology = "star", precision = "fp32";
};

// Prints the sum and what each rank did, and returns the exit code. Throws std::invalid_argument for bad
// input.
int reduce_command(const ReduceOptions& options);

}  // namespace sparsewire
