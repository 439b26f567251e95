// Every allreduce of the project, in one explicit table.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "algorithms/allreduce/dense_rabenseifner.hpp"
#include "algorithms/allreduce/dense_recursive_double.hpp"
#include "algorithms/allreduce/dense_ring.hpp"
#include "algorithms/allreduce/dsar_split_allgather.hpp"
#include "algorithms/allreduce/sparse_allgather.hpp"
#include "algorithms/allreduce/sparse_ring.hpp"
#include "algorithms/allreduce/ssar_recursive_double.hpp"
#include "algorithms/allreduce/ssar_split_allgather.hpp"

namespace sparsewire {

// Whether an algorithm sends what is there, or the whole vector.
enum class Family { sparse, dense };

// An allreduce: called on every rank with that rank's vector, all over one range [0, dimension), it returns
// the sum on each, with the same bits. Works for any number of ranks and any dimension.
template <Summable S>
struct Allreduce {
  std::string_view name;
  Family family;
  std::string_view summary;
  std::function<S(Transport&, S)> run;
};

// The algorithms that run in every world.
template <Summable S>
std::vector<Allreduce<S>> allreduce_catalogue() {
  return {
      {"ssar-recursive-double", Family::sparse, "whole sparse vectors by recursive doubling (SparCML)",
       ssar_recursive_double<S>},
      {"ssar-split-allgather", Family::sparse, "direct split to owners, sparse allgather (SparCML)",
       ssar_split_allgather<S>},
      {"dsar-split-allgather", Family::sparse, "direct split to owners, dense allgather (SparCML)",
       dsar_split_allgather<S>},
      {"sparse-ring", Family::sparse, "ring of sparse segments", sparse_ring<S>},
      {"sparse-allgather", Family::sparse, "gather all vectors, sum locally", sparse_allgather<S>},
      {"dense-recursive-double", Family::dense, "whole dense vectors by recursive doubling",
       dense_recursive_double<S>},
      {"dense-rabenseifner", Family::dense, "recursive halving, recursive doubling", dense_rabenseifner<S>},
      {"dense-ring", Family::dense, "ring reduce-scatter, ring allgather", dense_ring<S>},
  };
}

// The MPI library's own allreduce on dense vectors; runs in an MPI world only (see mpi_allreduce.hpp).
inline constexpr std::string_view kMpiAllreduce = "mpi-allreduce";

}  // namespace sparsewire
