// Broadcast of large vectors (van de Geijn's; Thakur, Rabenseifner, Gropp 2005,
// doi:10.1177/1094342005051521): the root's parts are scattered along a binomial tree, and gathered by
// Bruck's algorithm. 2 ceil(log2 P) rounds, but no rank sends much more than twice the vector.
#pragma once

#include "algorithms/broadcast/root_value.hpp"
#include "algorithms/phase/binomial.hpp"
#include "algorithms/phase/bruck_allgather.hpp"
#include "algorithms/phase/part.hpp"

namespace sparsewire {

template <Summable S>
S broadcast_scatter_allgather(Transport& transport, const std::optional<S>& mine, Rank root) {
  const BinomialTree tree(transport.size(), root);
  std::vector<Message> parts;
  if (transport.rank() == root)
    for (Rank place = 0; place < tree.ranks(); ++place)
      parts.push_back(packed_result(transport, part_of(transport, root_value(mine), place)));
  Message part = binomial_scatter<S>(transport, tree, std::move(parts));
  std::vector<Message> blocks = bruck_allgather<S>(transport, std::move(part));  // by rank
  std::rotate(blocks.begin(), blocks.begin() + root, blocks.end());              // by place
  return concatenated<S>(transport, blocks);
}

}  // namespace sparsewire
