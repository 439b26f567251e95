// Recursive doubling with whole vectors: log2 P exchanges.
#pragma once

#include "algorithms/pattern/fold.hpp"
#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

// Runs `core(virtual rank, data)` on a power of two of the ranks: the others hand their data to a neighbour
// before, and get `theirs` of its result after.
template <Summable S, class Core, class Theirs>
S folded(Transport& transport, S mine, const Core& core, const Theirs& theirs) {
  const Rank rank = transport.rank();
  const Fold fold = Fold::of(transport.size());
  if (fold.hands_over(rank)) {
    send_value(transport, rank + 1, tags::kFold, mine);
    return receive_value<S>(transport, rank + 1, tags::kUnfold);
  }
  if (fold.takes_over(rank))
    mine = charged(transport, sum(receive_value<S>(transport, rank - 1, tags::kFold), std::move(mine)));
  S total = core(fold.virtual_rank(rank), std::move(mine));
  if (fold.takes_over(rank)) send_value(transport, rank - 1, tags::kUnfold, theirs(total));
  return total;
}

// Like above, where `core` returns the result, the same on all ranks that run it.
template <Summable S, class Core>
S folded(Transport& transport, S mine, const Core& core) {
  return folded(transport, std::move(mine), core, [](const S& total) -> const S& { return total; });
}

// Exchanges everything with the partner at distance 1, 2, 4, ... and goes on with
// `combine(lower, upper, distance)`, that of the lower rank first: both partners, and in the end all ranks,
// hold the same bits. Neighbours that fold add before.
template <Summable S, class Combine>
S recursive_doubling(Transport& transport, S mine, const Combine& combine) {
  const Fold fold = Fold::of(transport.size());
  return folded(transport, std::move(mine), [&](Rank self, S total) {
    for (Rank distance = 1; distance < fold.power; distance *= 2) {
      const Rank partner = self ^ distance;
      S theirs = exchange_value(transport, fold.real_rank(partner), tags::kDoubling, total);
      total = self < partner ? combine(std::move(total), std::move(theirs), distance)
                             : combine(std::move(theirs), std::move(total), distance);
    }
    return total;
  });
}

template <Summable S>
S recursive_doubling(Transport& transport, S mine) {
  return recursive_doubling(transport, std::move(mine), [&](S lower, S upper, Rank) {
    return charged(transport, sum(std::move(lower), std::move(upper)));
  });
}

}  // namespace sparsewire
