// Recursive halving and recursive doubling over a power of two of ranks: the two halves of Rabenseifner's
// allreduce (Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521).
#pragma once

#include "algorithms/pattern/fold.hpp"
#include "algorithms/pattern/partition.hpp"
#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

// The sum over all virtual ranks of the part of `self`, from begin_of(self) to begin_of(self + 1). At
// distance P/2, P/4, ..., 1 a rank keeps the half of its range that it will own a part of, and sends its
// partner the other half.
template <Summable S, class BeginOf>
S recursive_halving(Transport& transport, const Fold& fold, Rank self, S mine, const BeginOf& begin_of) {
  Rank first = 0;  // the range held is that of owners first .. first + 2 * distance - 1
  for (Rank distance = fold.power / 2; distance >= 1; distance /= 2) {
    const Rank partner = self ^ distance;
    const bool upper = (self & distance) != 0;
    const std::uint64_t middle = begin_of(first + distance);
    S kept = charged(transport, upper ? slice(mine, middle, mine.end()) : slice(mine, mine.begin(), middle));
    const S given =
        charged(transport, upper ? slice(mine, mine.begin(), middle) : slice(mine, middle, mine.end()));
    S theirs = exchange_value(transport, fold.real_rank(partner), tags::kHalving, given);
    mine = charged(transport,
                   upper ? sum(std::move(theirs), std::move(kept)) : sum(std::move(kept), std::move(theirs)));
    if (upper) first += distance;
  }
  return mine;
}

// Like above, where virtual ranks own ranges of equal length.
template <Summable S>
S recursive_halving(Transport& transport, const Fold& fold, Rank self, S mine) {
  const std::uint64_t dimension = mine.end();
  return recursive_halving(transport, fold, self, std::move(mine),
                           [&](Rank owner) { return part_begin(dimension, fold.power, owner); });
}

// The packed blocks of all virtual ranks, in their order; `mine` is one packed S, or several behind one
// another.
template <Summable S>
std::vector<Message> doubling_allgather(Transport& transport, const Fold& fold, Rank self,
                                        const Message& mine) {
  std::vector<Message> blocks = split_packed<S>(mine);
  for (Rank distance = 1; distance < fold.power; distance *= 2) {
    const Rank partner = self ^ distance;
    const Message theirs = transport.exchange(fold.real_rank(partner), tags::kDoublingGather, joined(blocks));
    const std::vector<Message> received = split_packed<S>(theirs);
    blocks.insert(partner < self ? blocks.begin() : blocks.end(), received.begin(), received.end());
  }
  return blocks;
}

}  // namespace sparsewire
