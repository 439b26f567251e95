// Reduce-scatter by direct sends: every rank sends each owner its part.
#pragma once

#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/part.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

// The sum of all ranks' parts that this rank owns. `prepare` is applied to the own part before others are
// added. Sends are rotated (to r+1, r+2, ...) and received in the same order (from r-1, r-2, ...), so that in
// each step every owner is the target of one sender; the order of the sum is fixed by it, not by arrival.
template <Summable S, class Prepare>
S direct_split(Transport& transport, const S& mine, const Prepare& prepare) {
  const Rank ranks = transport.size(), rank = transport.rank();
  for (Rank step = 1; step < ranks; ++step) {
    const Rank owner = (rank + step) % ranks;
    send_value(transport, owner, tags::kDirectSplit, part_of(transport, mine, owner));
  }
  S total = charged(transport, prepare(part_of(transport, mine, rank)));
  for (Rank step = 1; step < ranks; ++step) {
    const Rank sender = (rank + ranks - step) % ranks;
    total =
        charged(transport, sum(std::move(total), receive_value<S>(transport, sender, tags::kDirectSplit)));
  }
  return total;
}

}  // namespace sparsewire
