// Reduce to a root along a binomial tree: each rank sends one message, the root receives ceil(log2 P). A
// partial sum turns dense where it reaches break-even.
#pragma once

#include "algorithms/phase/binomial.hpp"

namespace sparsewire {

template <Summable S>
std::optional<S> reduce_binomial(Transport& transport, S mine, Rank root) {
  return binomial_reduce(transport, BinomialTree(transport.size(), root), std::move(mine));
}

}  // namespace sparsewire
