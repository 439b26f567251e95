// Rabenseifner's allreduce: recursive halving, then recursive doubling. 2 log2 P messages and the least
// volume, 2(P-1)/P of the vector, for powers of two; doi:10.1177/1094342005051521.
#pragma once

#include "algorithms/phase/halving_doubling.hpp"
#include "algorithms/phase/recursive_doubling.hpp"

namespace sparsewire {

template <Summable S>
S dense_rabenseifner(Transport& transport, S mine) {
  const Fold fold = Fold::of(transport.size());
  S dense = charged(transport, densified(std::move(mine)));
  return folded(transport, std::move(dense), [&](Rank self, S whole) {
    const S owned = recursive_halving(transport, fold, self, std::move(whole));
    return concatenated<S>(transport,
                           doubling_allgather<S>(transport, fold, self, packed_result(transport, owned)));
  });
}

}  // namespace sparsewire
