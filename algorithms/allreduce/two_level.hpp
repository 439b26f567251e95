// An allreduce in two levels: one within each node, one among the nodes' first ranks, and a broadcast within
// the node again. Best where ranks of a node share a thin link to the others: it carries one sum of the node
// instead of the vectors of all its ranks. Any algorithms of the catalogue stand inside and outside
// (Karonis, de Supinski, Foster, Gropp, Lusk, Bresnahan, IPDPS 2000, pp. 377-384, for dense ones).
#pragma once

#include "algorithms/pattern/nodes.hpp"
#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/binomial.hpp"
#include "algorithms/transport/group.hpp"

namespace sparsewire {

// `inner` and `outer` are allreduces, called as f(transport, mine). Nodes have `size` ranks, the last one
// what is left.
template <Summable S, class Inner, class Outer>
S two_level(Transport& transport, S mine, Rank size, const Inner& inner, const Outer& outer) {
  const Rank ranks = transport.size(), rank = transport.rank();
  Group node(transport, node_of(ranks, size, rank));
  S total = inner(node, unrounded(mine));
  Message message;
  if (node.rank() == 0) {
    Group leaders(transport, node_leaders(ranks, size));
    message = packed(transport, S(outer(leaders, rounded_like(std::move(total), mine))));
  }
  return unpacked<S>(transport, binomial_broadcast(node, BinomialTree(node.size(), 0), std::move(message)));
}

}  // namespace sparsewire
