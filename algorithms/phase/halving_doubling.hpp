// Recursive halving and recursive doubling over a power of two of ranks: the two halves of Rabenseifner's
// allreduce (Thakur, Rabenseifner, Gropp 2005, doi:10.1177/1094342005051521).
#pragma once

#include "algorithms/pattern/fold.hpp"
#include "algorithms/pattern/partition.hpp"
#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

// The sum over all virtual ranks of part `self`. At distance P/2, P/4, ..., 1 a rank keeps the half of its
// range that it will own a part of, and sends its partner the other half.
template <Summable S>
S recursive_halving(Transport& transport, const Fold& fold, Rank self, S mine) {
  const std::uint64_t dimension = mine.end();
  Rank first = 0;  // the range held is that of owners first .. first + 2 * distance - 1
  for (Rank distance = fold.power / 2; distance >= 1; distance /= 2) {
    const Rank partner = self ^ distance;
    const bool upper = (self & distance) != 0;
    const std::uint64_t middle = part_begin(dimension, fold.power, first + distance);
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

// The packed blocks of all virtual ranks, by virtual rank; `mine` is one packed S.
template <Summable S>
std::vector<Message> doubling_allgather(Transport& transport, const Fold& fold, Rank self, Message mine) {
  std::vector<Message> blocks(static_cast<std::size_t>(fold.power));
  blocks[static_cast<std::size_t>(self)] = std::move(mine);
  for (Rank distance = 1; distance < fold.power; distance *= 2) {
    const Rank first = self / distance * distance, partner = self ^ distance;
    Message bundle;
    for (Rank i = 0; i < distance; ++i) bundle.append(blocks[static_cast<std::size_t>(first + i)]);
    const Message theirs =
        transport.exchange(fold.real_rank(partner), tags::kDoublingGather, std::move(bundle));
    std::size_t place = static_cast<std::size_t>(first ^ distance);
    for (Message& block : split_packed<S>(theirs)) blocks[place++] = std::move(block);
  }
  return blocks;
}

}  // namespace sparsewire
