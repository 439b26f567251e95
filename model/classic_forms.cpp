// The forms of SparCML's algorithms and of the dense ones.
#include "model/forms.hpp"

namespace sparsewire {

Terms recursive_doubling_form(const Representative& start, Held mine) {
  const Rank ranks = start.input().ranks;
  return folded(start, mine, [&](Representative& rank, Held total) {
    for (Rank distance = 1; distance < power_of_two(ranks); distance *= 2) {
      const Rank ours = ranks_behind(ranks, 0, distance), theirs = ranks_behind(ranks, distance, distance);
      Held partner = total;
      if (!total.dense) partner.count = rounded(union_of(rank.input(), theirs));
      rank.exchange(rank.bytes(total), rank.bytes(partner));
      total = rank.add(total, partner, union_of(rank.input(), ours + theirs));
    }
    return total;
  });
}

void bruck_allgather_form(Representative& rank, std::uint64_t block_bytes) {
  const Rank ranks = rank.input().ranks;
  for (Rank distance = 1; distance < ranks; distance *= 2)
    rank.exchange(block_bytes * static_cast<std::uint64_t>(std::min(distance, ranks - distance)));
}

Held direct_split_form(Representative& rank, bool dense_accumulator) {
  const Rank ranks = rank.input().ranks;
  const Held part = rank.sparse(1, ranks);
  std::vector<Flight<Terms>> flights;
  for (Rank step = 1; step < ranks; ++step) flights.push_back(rank.send(rank.bytes(part)));
  Held total = dense_accumulator ? rank.densify(part) : part;
  for (Rank step = 1; step < ranks; ++step) {
    rank.receive(flights[static_cast<std::size_t>(step - 1)]);
    total = rank.add(total, part, union_of(rank.input(), step + 1) / ranks);
  }
  return total;
}

namespace {

Terms split_allgather(Representative rank, bool dense_accumulator) {
  const Held owned = direct_split_form(rank, dense_accumulator);
  bruck_allgather_form(rank, rank.bytes(owned));
  rank.concat(owned, rank.input().ranks);
  return rank.clock();
}

Terms ring(Representative rank, const Held& part) {
  const Rank ranks = rank.input().ranks;
  Held travelling = part;
  for (Rank step = 1; step < ranks; ++step) {
    rank.exchange(rank.bytes(travelling));
    travelling = rank.add(travelling, part, union_of(rank.input(), step + 1) / ranks);
  }
  for (Rank step = 1; step < ranks; ++step) rank.exchange(rank.bytes(travelling));
  rank.concat(travelling, ranks);
  return rank.clock();
}

Terms sparse_allgather(Representative rank) {
  const Rank ranks = rank.input().ranks;
  const Held mine = rank.sparse(1);
  bruck_allgather_form(rank, rank.bytes(mine));
  struct Node {
    Rank ranks;
    Held held;
  };
  std::vector<Node> nodes(static_cast<std::size_t>(ranks), Node{1, mine});
  while (nodes.size() > 1) {
    std::vector<Node> halved;
    for (std::size_t i = 0; i + 1 < nodes.size(); i += 2) {
      const Rank both = nodes[i].ranks + nodes[i + 1].ranks;
      halved.push_back({both, rank.add(nodes[i].held, nodes[i + 1].held, union_of(rank.input(), both))});
    }
    if (nodes.size() % 2 == 1) halved.push_back(nodes.back());
    nodes = std::move(halved);
  }
  return rank.clock();
}

Terms rabenseifner(const Representative& start) {
  const Rank power = power_of_two(start.input().ranks);
  return folded(start, start.dense(), [&](Representative& rank, const Held& whole) {
    for (Rank parts = 2; parts <= power; parts *= 2) {
      const Held half = rank.dense(parts);
      rank.exchange(rank.bytes(half));
      rank.add(half, half, 0);
    }
    const std::uint64_t block = rank.bytes(rank.dense(power));
    for (Rank distance = 1; distance < power; distance *= 2)
      rank.exchange(block * static_cast<std::uint64_t>(distance));
    return whole;
  });
}

}  // namespace

std::optional<Terms> classic_form(const AlgorithmSpec& algorithm, const Representative& start) {
  const std::string& name = algorithm.name;
  const Rank ranks = start.input().ranks;
  if (name == "ssar-recursive-double") return recursive_doubling_form(start, start.sparse(1));
  if (name == "ssar-split-allgather") return split_allgather(start, false);
  if (name == "dsar-split-allgather") return split_allgather(start, true);
  if (name == "sparse-ring") return ring(start, start.sparse(1, ranks));
  if (name == "sparse-allgather") return sparse_allgather(start);
  if (name == "dense-recursive-double") return recursive_doubling_form(start, start.dense());
  if (name == "dense-rabenseifner") return rabenseifner(start);
  if (name == "dense-ring") return ring(start, start.dense(ranks));
  return std::nullopt;
}

}  // namespace sparsewire
