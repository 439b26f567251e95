// Reduce-scatter by recursive halving (Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521):
// log2 P messages. Where P is no power of two, a rank that took over its neighbour's vector halves for both,
// and hands back the neighbour's part, which lies beside its own.
#pragma once

#include "algorithms/phase/halving_doubling.hpp"
#include "algorithms/phase/recursive_doubling.hpp"

namespace sparsewire {

template <Summable S>
S reduce_scatter_halving(Transport& transport, S mine) {
  const Rank ranks = transport.size(), rank = transport.rank();
  const Fold fold = Fold::of(ranks);
  const std::uint64_t dimension = mine.end(), own_begin = part_begin(dimension, ranks, rank);
  const auto begin_of = [&](Rank owner) { return part_begin(dimension, ranks, fold.first_rank(owner)); };
  S owned = folded(
      transport, std::move(mine),
      [&](Rank self, S whole) {
        return recursive_halving(transport, fold, self, std::move(whole), begin_of);
      },
      [&](const S& both) { return charged(transport, slice(both, both.begin(), own_begin)); });
  return fold.takes_over(rank) ? charged(transport, slice(owned, own_begin, owned.end())) : owned;
}

}  // namespace sparsewire
