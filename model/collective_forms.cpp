// The forms of reduce-scatter, allgather, reduce and broadcast.
#include <algorithm>

#include "model/forms.hpp"

namespace sparsewire {
namespace {

// How many ranks' data the virtual ranks 0, step, 2 step, ... hold.
Rank ranks_behind_every(Rank ranks, Rank step) {
  Rank behind = 0;
  for (Rank first = 0; first < power_of_two(ranks); first += step) behind += ranks_behind(ranks, first, 1);
  return behind;
}

Terms reduce_scatter_direct(Representative rank) {
  direct_split_form(rank, {});
  return rank.clock();
}

Terms reduce_scatter_ring(Representative rank) {
  ring_reduce_form(rank, rank.sparse(1, rank.input().ranks));
  return rank.clock();
}

// Of the virtual rank 0. At distance d it keeps the parts of the ranks behind the virtual ranks below d, and
// has the sums of those that are multiples of d.
Terms reduce_scatter_halving(const Representative& start) {
  const Rank ranks = start.input().ranks, power = power_of_two(ranks);
  const bool folds = ranks != power;
  const auto core = [&](Representative& rank, Held held) {
    for (Rank distance = power / 2; distance >= 1; distance /= 2) {
      const double all = ranks_behind(ranks, 0, 2 * distance), kept = ranks_behind(ranks, 0, distance);
      const Held mine = rank.part_of(held, kept / all), given = rank.part_of(held, 1 - kept / all);
      rank.exchange(rank.bytes(given), rank.bytes(mine));
      const double summed = union_of(rank.input(), ranks_behind_every(ranks, distance));
      held = rank.add(mine, mine, summed * kept / ranks);
    }
    return folds ? rank.part_of(held, 0.5) : held;
  };
  return folded(start, start.sparse(1), core);
}

Terms allgather_bruck(Representative rank) {
  bruck_allgather_form(rank, rank.bytes(rank.sparse(1)));
  return rank.clock();
}

Terms allgather_ring(Representative rank) {
  for (Rank step = 1; step < rank.input().ranks; ++step) rank.exchange(rank.bytes(rank.sparse(1)));
  return rank.clock();
}

Terms allgather_doubling(Representative rank) {
  const Rank ranks = rank.input().ranks, power = power_of_two(ranks);
  const std::uint64_t block = rank.bytes(rank.sparse(1));
  const auto blocks = [&](Rank count) { return block * static_cast<std::uint64_t>(count); };
  if (ranks != power) rank.receive(Representative(rank).send(block));
  for (Rank distance = 1; distance < power; distance *= 2)
    rank.exchange(blocks(ranks_behind(ranks, 0, distance)), blocks(ranks_behind(ranks, distance, distance)));
  if (ranks != power) rank.hand_over(blocks(ranks));
  return rank.clock();
}

// A rank that has summed the data of the `ranks` ranks of its subtree.
struct Subtree {
  Representative rank;
  Held held;
};

Subtree binomial_reduce(const Representative& start, Rank ranks) {
  Subtree tree{start, start.sparse(1)};
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    Subtree child = binomial_reduce(start, std::min(distance, ranks - distance));
    tree.rank.receive(child.rank.send(child.rank.bytes(child.held)));
    tree.held = tree.rank.add(tree.held, child.held, union_of(start.input(), std::min(2 * distance, ranks)));
  }
  return tree;
}

// Sends along the tree of `ranks` ranks below `rank`, itself included; a message to a subtree of n ranks has
// bytes_of(n) bytes. Calls `reached` with each rank as it is when it has sent all of its own.
template <class BytesOf, class Reached>
void binomial_send(Representative rank, const Representative& start, Rank ranks, const BytesOf& bytes_of,
                   const Reached& reached) {
  for (Rank distance = std::bit_ceil(static_cast<std::uint32_t>(ranks)) / 2; distance >= 1; distance /= 2) {
    const Rank below = std::min(distance, ranks - distance);
    Representative child = start;
    child.receive(rank.send(bytes_of(below)));
    binomial_send(child, start, below, bytes_of, reached);
  }
  reached(rank);
}

Terms broadcast_binomial(const Representative& start) {
  const std::uint64_t bytes = start.bytes(start.sparse(1));
  Terms last;
  binomial_send(
      start, start, start.input().ranks, [&](Rank) { return bytes; },
      [&](const Representative& rank) { last = later(last, rank.clock()); });
  return last;
}

// The allgather starts on each rank when it has its part; the form lets all wait for the last.
Terms broadcast_scatter_allgather(const Representative& start) {
  const Rank ranks = start.input().ranks;
  const Held part = start.sparse(1, ranks);
  const std::uint64_t bytes = start.bytes(part);
  std::vector<Representative> reached;
  binomial_send(
      start, start, ranks, [&](Rank below) { return bytes * static_cast<std::uint64_t>(below); },
      [&](const Representative& rank) { reached.push_back(rank); });
  Representative last = *std::max_element(reached.begin(), reached.end(), [](const auto& a, const auto& b) {
    return a.clock().total < b.clock().total;
  });
  bruck_allgather_form(last, bytes);
  last.concat(part, ranks);
  return last.clock();
}

}  // namespace

std::optional<Terms> collective_form(const AlgorithmSpec& algorithm, const Representative& start) {
  const std::string& name = algorithm.name;
  if (name == "reduce-scatter-direct") return reduce_scatter_direct(start);
  if (name == "reduce-scatter-ring") return reduce_scatter_ring(start);
  if (name == "reduce-scatter-halving") return reduce_scatter_halving(start);
  if (name == "allgather-bruck") return allgather_bruck(start);
  if (name == "allgather-ring") return allgather_ring(start);
  if (name == "allgather-doubling") return allgather_doubling(start);
  if (name == "reduce-binomial") return binomial_reduce(start, start.input().ranks).rank.clock();
  if (name == "broadcast-binomial") return broadcast_binomial(start);
  if (name == "broadcast-scatter-allgather") return broadcast_scatter_allgather(start);
  return std::nullopt;
}

}  // namespace sparsewire
