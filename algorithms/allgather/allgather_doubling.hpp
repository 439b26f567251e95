// Allgather by recursive doubling (Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521): log2 P
// messages. Where P is no power of two, some ranks hand their block to a neighbour, and get all blocks back.
#pragma once

#include "algorithms/phase/halving_doubling.hpp"

namespace sparsewire {

template <Summable S>
std::vector<S> allgather_doubling(Transport& transport, S mine) {
  const Rank rank = transport.rank();
  const Fold fold = Fold::of(transport.size());
  Message block = packed(transport, mine);
  if (fold.hands_over(rank)) {
    transport.send(rank + 1, tags::kFold, std::move(block));
    return unpacked<S>(transport, split_packed<S>(transport.recv(rank + 1, tags::kUnfold)));
  }
  Message held;  // blocks in rank order
  if (fold.takes_over(rank)) held = transport.recv(rank - 1, tags::kFold);
  held.append(block);
  const std::vector<Message> all =
      doubling_allgather<S>(transport, fold, fold.virtual_rank(rank), std::move(held));
  if (fold.takes_over(rank)) transport.send(rank - 1, tags::kUnfold, joined(all));
  return unpacked<S>(transport, all);
}

}  // namespace sparsewire
