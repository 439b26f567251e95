// What each allreduce costs, in LogGP terms, without running it.
//
// Each form follows one representative rank through the rounds of its algorithm, on the rules of
// model/loggp.hpp, with its partners taken to be as late as itself: the sums of the literature (log2 P *
// alpha + ...) with every term kept. Exact where all ranks do the same at the same time: P a power of two
// (any P for the split, ring and gather algorithms) that divides N, and supports that are spread evenly and
// either equal or disjoint. Within 5 % for uniform random supports, whose sizes are expectations. Within 25 %
// where a fold to a power of two makes ranks differ: the form takes the latest. Within 30 % where ranks
// differ otherwise: sends by rank, and butterflies whose degrees do not divide P. balanced-split-allgather
// and zen: within 10 % (25 % with a fold). two-level adds up its parts: within 25 %, and 50 % where P is no
// power of two of whole nodes. omnireduce, whose ranks wait for each other in ways that no one rank shows:
// within 50 %. tests/model/closed_forms_test.cpp holds them all.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/algorithm_spec.hpp"
#include "model/codec.hpp"
#include "model/machine.hpp"
#include "model/terms.hpp"

namespace sparsewire {

// The inputs of an allreduce, as the forms see them. union_sizes[j-1] is the number of distinct indices of j
// ranks, from uniform_union_sizes() or measured: P entries, not decreasing; the first is a rank's own count,
// the mean where they differ.
struct CostInput {
  Rank ranks = 1;
  std::uint64_t dimension = 0;    // elements
  std::uint64_t value_bytes = 4;  // 2, 4 or 8
  std::vector<double> union_sizes;
  Coding coding = {};  // of what is sent; dense algorithms take no codec
};

// Time until the last rank has the result of an allreduce, or of another collective of
// algorithms/collectives.hpp: there a broadcast is one of a vector like those of union_sizes[0]. Absent for a
// name that has no form. `mpi-allreduce` is the best of the dense ones, as the library selects one of them or
// its like. Throws std::invalid_argument if the union sizes are not P, exceed the dimension or decrease, or a
// parameter of the algorithm is missing: the specs of the catalogue are complete.
std::optional<Terms> predict(const AlgorithmSpec& algorithm, const Machine& machine, const CostInput& input);
std::optional<Terms> predict(std::string_view algorithm, const Machine& machine, const CostInput& input);

// A time that no lossless algorithm beats, whatever the supports; the later of two. Work and indices are not
// bounded, and each value is taken to be sent as value_bytes bytes.
//   Every rank has to hear of every other: at least the time of the best broadcast of one byte (Karp, Sahay,
//   Santos, Schauser 1993, doi:10.1145/165231.165250). That is fewer than ceil(log2 P) messages one after
//   another where a rank can send many before the first is answered.
//   An index that d ranks hold is sent at least d - 1 times to be summed and P - 1 times to be known: the
//   busiest rank sends at least (P-2)/P U + k values, for U indices in the sum and a mean of k in a vector.
//   That is 2(P-1)/P of dense vectors (Chan, Heimlich, Purkayastha, van de Geijn 2007, doi:10.1002/cpe.1206).
//   A byte takes not G but s/(s+G) of it, s = max(o, g), as the first byte of a message is part of its
//   latency.
Terms lower_bound(const Machine& machine, const CostInput& input);

}  // namespace sparsewire
