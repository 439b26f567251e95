// The collectives beside allreduce, in one explicit table for each operation. All take any number of ranks,
// any dimension and any root; all ranks call them alike.
#pragma once

#include <functional>
#include <string_view>

#include "algorithms/allgather/allgather_bruck.hpp"
#include "algorithms/allgather/allgather_doubling.hpp"
#include "algorithms/allgather/allgather_ring.hpp"
#include "algorithms/broadcast/broadcast_binomial.hpp"
#include "algorithms/broadcast/broadcast_scatter_allgather.hpp"
#include "algorithms/reduce/reduce_binomial.hpp"
#include "algorithms/reduce_scatter/reduce_scatter_direct.hpp"
#include "algorithms/reduce_scatter/reduce_scatter_halving.hpp"
#include "algorithms/reduce_scatter/reduce_scatter_ring.hpp"

namespace sparsewire {

template <class Run>
struct Collective {
  std::string_view name;  // as predict() knows it
  std::string_view summary;
  std::function<Run> run;
};

// Rank r gives a whole vector and gets the sum over its part, from part_begin(N, P, r) to that of r + 1.
template <Summable S>
using ReduceScatter = Collective<S(Transport&, S)>;

template <Summable S>
std::vector<ReduceScatter<S>> reduce_scatter_table() {
  return {{"reduce-scatter-direct", "every rank sends each owner its part", reduce_scatter_direct<S>},
          {"reduce-scatter-ring", "partial sums travel around a ring", reduce_scatter_ring<S>},
          {"reduce-scatter-halving", "recursive halving", reduce_scatter_halving<S>}};
}

// Every rank gives a vector, of any length, and gets those of all ranks, by rank.
template <Summable S>
using Allgather = Collective<std::vector<S>(Transport&, S)>;

template <Summable S>
std::vector<Allgather<S>> allgather_table() {
  return {{"allgather-bruck", "Bruck's algorithm", allgather_bruck<S>},
          {"allgather-ring", "around a ring", allgather_ring<S>},
          {"allgather-doubling", "recursive doubling", allgather_doubling<S>}};
}

// Every rank gives a vector; the root gets the sum, the others nothing. Throws std::invalid_argument if the
// root, which comes last, is not a rank.
template <Summable S>
using Reduce = Collective<std::optional<S>(Transport&, S, Rank)>;

template <Summable S>
std::vector<Reduce<S>> reduce_table() {
  return {{"reduce-binomial", "binomial tree", reduce_binomial<S>}};
}

// The root gives a vector, and all get it; what others give is not looked at. Throws std::invalid_argument if
// the root, which comes last, is not a rank or has nothing.
template <Summable S>
using Broadcast = Collective<S(Transport&, const std::optional<S>&, Rank)>;

template <Summable S>
std::vector<Broadcast<S>> broadcast_table() {
  return {{"broadcast-binomial", "binomial tree", broadcast_binomial<S>},
          {"broadcast-scatter-allgather", "binomial scatter of parts, Bruck's allgather",
           broadcast_scatter_allgather<S>}};
}

}  // namespace sparsewire
