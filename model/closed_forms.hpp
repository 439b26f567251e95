// What each allreduce costs, in LogGP terms, without running it.
//
// Each form follows one representative rank through the rounds of its algorithm, on the rules of
// model/loggp.hpp, with its partners taken to be as late as itself: the sums of the literature (log2 P *
// alpha + ...) with every term kept. Exact where all ranks do the same at the same time: P a power of two
// (any P for the split, ring and gather algorithms) that divides N, and supports that are spread evenly and
// either equal or disjoint. Within 5 % for uniform random supports, whose sizes are expectations. Within 25 %
// where a fold to a power of two makes ranks differ: the form takes the latest.
// tests/model/closed_forms_test.cpp holds all three.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/machine.hpp"
#include "model/terms.hpp"

namespace sparsewire {

// The inputs of an allreduce, as the forms see them. union_sizes[j-1] is the number of distinct indices of j
// ranks, from uniform_union_sizes() or measured: P entries, not decreasing; the first is a rank's own count.
struct CostInput {
  Rank ranks = 1;
  std::uint64_t dimension = 0;    // elements
  std::uint64_t value_bytes = 4;  // 4 or 8
  std::vector<double> union_sizes;
};

// Time until the last rank has the result. Absent for a name that has no form. `mpi-allreduce` is the best of
// the dense ones, as the library selects one of them or its like. Throws std::invalid_argument if the union
// sizes are not P, exceed the dimension or decrease.
std::optional<Terms> predict(std::string_view algorithm, const Machine& machine, const CostInput& input);

// No lossless algorithm is faster: ceil(log2 P) messages one after another, and on the busiest rank the
// values that it must send: those of the result that the others lack, or, where all supports are equal,
// 2(P-1)/P of the vector (Chan, Heimlich, Purkayastha, van de Geijn 2007, doi:10.1002/cpe.1206). Work is not
// bounded.
Terms lower_bound(const Machine& machine, const CostInput& input);

}  // namespace sparsewire
