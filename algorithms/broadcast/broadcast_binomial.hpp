// Broadcast along a binomial tree: ceil(log2 P) rounds of the whole vector. Best for small vectors.
#pragma once

#include "algorithms/broadcast/root_value.hpp"
#include "algorithms/phase/binomial.hpp"

namespace sparsewire {

template <Summable S>
S broadcast_binomial(Transport& transport, const std::optional<S>& mine, Rank root) {
  const BinomialTree tree(transport.size(), root);
  Message message;
  if (transport.rank() == root) message = packed_result(transport, root_value(mine));
  return unpacked<S>(transport, binomial_broadcast(transport, tree, std::move(message)));
}

}  // namespace sparsewire
