// What travels along a binomial tree: sums to its root; one message, or a part for each rank, from it.
// ceil(log2 P) rounds.
#pragma once

#include <optional>

#include "algorithms/pattern/binomial_tree.hpp"
#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

// What `combine(own, child's)` makes of all ranks' data, on the root only. Each rank takes in its children's,
// smallest subtree first, and sends its parent what comes of it.
template <Summable S, class Combine>
std::optional<S> binomial_reduce(Transport& transport, const BinomialTree& tree, S mine,
                                 const Combine& combine) {
  const Rank place = tree.place(transport.rank());
  for (Rank distance = 1; distance < tree.size(place); distance *= 2) {
    S theirs = receive_value<S>(transport, tree.rank(place + distance), tags::kTreeReduce);
    mine = combine(std::move(mine), std::move(theirs));
  }
  if (place == 0) return mine;
  send_value(transport, tree.rank(tree.parent(place)), tags::kTreeReduce, mine);
  return std::nullopt;
}

// Their sum.
template <Summable S>
std::optional<S> binomial_reduce(Transport& transport, const BinomialTree& tree, S mine) {
  return binomial_reduce(transport, tree, std::move(mine), [&](S own, S theirs) {
    return charged(transport, sum(std::move(own), std::move(theirs)));
  });
}

// The root's `message` on every rank; that of the others is not looked at. Largest subtree first.
inline Message binomial_broadcast(Transport& transport, const BinomialTree& tree, Message message) {
  const Rank place = tree.place(transport.rank());
  if (place != 0) message = transport.recv(tree.rank(tree.parent(place)), tags::kTreeBroadcast);
  for (Rank distance = tree.span(place) / 2; distance >= 1; distance /= 2)
    if (distance < tree.size(place))
      transport.send(tree.rank(place + distance), tags::kTreeBroadcast, message);
  return message;
}

// The part of this rank's place, where the root has the packed S of all places, in their order; `parts` of
// the others is not looked at. Each subtree's parts travel together.
template <Summable S>
Message binomial_scatter(Transport& transport, const BinomialTree& tree, std::vector<Message> parts) {
  const Rank place = tree.place(transport.rank());
  if (place != 0) parts = split_packed<S>(transport.recv(tree.rank(tree.parent(place)), tags::kTreeScatter));
  for (Rank distance = tree.span(place) / 2; distance >= 1; distance /= 2) {
    if (distance >= tree.size(place)) continue;
    Message bundle;
    for (Rank i = distance; i < distance + tree.size(place + distance); ++i)
      bundle.append(parts[static_cast<std::size_t>(i)]);
    transport.send(tree.rank(place + distance), tags::kTreeScatter, std::move(bundle));
  }
  return parts.front();
}

}  // namespace sparsewire
