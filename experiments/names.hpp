// The names that users choose from on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparsewire {

// Every allreduce, `mpi-allreduce` last.
std::vector<std::string> algorithm_names();

// "loggp", "simgrid", "mpi".
std::vector<std::string> backend_names();

// Throws std::invalid_argument if `name` is none of `valid`: "WHAT: found ..., expected one of ...", with the
// nearest.
void require_name(std::string_view what, std::string_view name, const std::vector<std::string>& valid);

}  // namespace sparsewire
