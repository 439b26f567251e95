// The names that users choose from on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparsewire {

// Every exact allreduce, `mpi-allreduce` last.
std::vector<std::string> algorithm_names();

// Every lossy allreduce.
std::vector<std::string> lossy_names();

// Throws std::invalid_argument unless `text` is an algorithm of one of the tables, with parameters that it
// has and values that fit: "found ..., expected ...", with the nearest name.
void require_algorithm(const std::string& text);

// Likewise, of the table of exact ones only.
void require_exact_algorithm(const std::string& text);

bool is_lossy(const std::string& text);

// Whether an algorithm sends what is there or the whole vector, "sparse" or "dense"; "lossy" where it sends a
// part and remembers the rest.
std::string family_of(const std::string& text);

// "loggp", "simgrid", "mpi".
std::vector<std::string> backend_names();

// Throws std::invalid_argument if `name` is none of `valid`: "WHAT: found ..., expected one of ...", with the
// nearest.
void require_name(std::string_view what, std::string_view name, const std::vector<std::string>& valid);

}  // namespace sparsewire
