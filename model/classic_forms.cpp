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
      rank.exchange(rank.packed(total), rank.bytes(partner));
      rank.unpacked(partner);
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

namespace {

Flight<Terms> delayed(Flight<Terms> flight, Seconds lag) {
  flight.handed = after(flight.handed, Term::latency, lag);
  flight.departure = after(flight.departure, Term::latency, lag);
  return flight;
}

// A split phase as its owners go through it. `arrival(i)` is the flight of the i-th message that they
// receive.
struct SplitWalk {
  Representative& rank;
  const SplitForm& form;
  Held part = rank.sparse(1, rank.input().ranks);
  std::vector<Flight<Terms>> sent = {};

  template <class Arrival>
  Held go(const Arrival& arrival) {
    const auto others = static_cast<std::size_t>(rank.input().ranks - 1);
    const std::size_t ahead = form.throttle == 0 ? others : std::min(form.throttle, others);
    while (sent.size() < ahead) sent.push_back(rank.send(rank.packed(part)));
    Held total = form.dense_accumulator ? rank.densify(part) : part;
    for (std::size_t received = 0; received < others; ++received) {
      rank.receive(arrival(received));
      rank.unpacked(part);
      total = add(total, static_cast<Rank>(received) + 2);
      if (sent.size() < others) sent.push_back(rank.send(rank.packed(part)));
    }
    return total;
  }

  Held add(const Held& total, Rank summed) {
    return rank.add(total, part, union_of(rank.input(), summed) / rank.input().ranks);
  }
};

// When a rank whose first message comes from the rank before it is behind that one, if sends are throttled.
Seconds lag_of(Representative rank, const SplitForm& form) {
  if (form.throttle == 0 || form.throttle + 1 >= static_cast<std::uint64_t>(rank.input().ranks)) return 0;
  SplitWalk walk{rank, form};
  const Seconds start = rank.clock().total;
  rank.exchange(rank.packed(walk.part));
  rank.unpacked(walk.part);
  walk.add(walk.part, 2);
  return (rank.clock().total - start) / static_cast<Seconds>(form.throttle);
}

}  // namespace

// By rank: all hear from the first rank at once, as it does from them; the last one hears from each other
// rank when that one is through with all the others.
Held direct_split_form(Representative& rank, const SplitForm& form) {
  SplitWalk walk{rank, form};
  if (!form.by_rank || rank.input().ranks == 1) return walk.go([&](std::size_t i) { return walk.sent[i]; });
  Representative first = rank;
  SplitWalk first_walk{first, form};
  first_walk.go([&](std::size_t) { return first_walk.sent.front(); });
  const Seconds lag = lag_of(rank, form);
  return walk.go(
      [&](std::size_t i) { return delayed(first_walk.sent.back(), lag * static_cast<Seconds>(i)); });
}

Held ring_reduce_form(Representative& rank, const Held& part) {
  const Rank ranks = rank.input().ranks;
  Held travelling = part;
  for (Rank step = 1; step < ranks; ++step) {
    rank.exchange(rank.packed(travelling));
    rank.unpacked(travelling);
    travelling = rank.add(travelling, part, union_of(rank.input(), step + 1) / ranks);
  }
  return travelling;
}

namespace {

Terms split_allgather(Representative rank, const AlgorithmSpec& algorithm, bool dense_accumulator) {
  const Held owned = direct_split_form(
      rank, {dense_accumulator, algorithm.text("order") == "by-rank", algorithm.number("throttle")});
  bruck_allgather_form(rank, rank.packed_result(owned));
  rank.unpacked_result(owned, rank.input().ranks);
  rank.concat(owned, rank.input().ranks);
  return rank.clock();
}

Terms ring(Representative rank, const Held& part) {
  const Rank ranks = rank.input().ranks;
  const Held owned = ring_reduce_form(rank, part);
  const std::uint64_t block = rank.packed_result(owned);
  for (Rank step = 1; step < ranks; ++step) rank.exchange(block);
  rank.unpacked_result(owned, ranks);
  rank.concat(owned, ranks);
  return rank.clock();
}

Terms sparse_allgather(Representative rank) {
  const Rank ranks = rank.input().ranks;
  const Held mine = rank.sparse(1);
  bruck_allgather_form(rank, rank.packed(mine));
  rank.unpacked(mine, ranks);
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
    const std::uint64_t block = rank.packed_result(rank.dense(power));
    for (Rank distance = 1; distance < power; distance *= 2)
      rank.exchange(block * static_cast<std::uint64_t>(distance));
    rank.unpacked_result(rank.dense(power), power);
    return whole;
  });
}

}  // namespace

Terms sparse_allgather_form(const Representative& start) {
  return sparse_allgather(start);
}

Terms rabenseifner_form(const Representative& start) {
  return rabenseifner(start);
}

std::optional<Terms> classic_form(const AlgorithmSpec& algorithm, const Representative& start) {
  const std::string& name = algorithm.name;
  const Rank ranks = start.input().ranks;
  if (name == "ssar-recursive-double") return recursive_doubling_form(start, start.sparse(1));
  if (name == "ssar-split-allgather") return split_allgather(start, algorithm, false);
  if (name == "dsar-split-allgather") return split_allgather(start, algorithm, true);
  if (name == "sparse-ring") return ring(start, start.sparse(1, ranks));
  if (name == "sparse-allgather") return sparse_allgather(start);
  if (name == "dense-recursive-double") return recursive_doubling_form(start, start.dense());
  if (name == "dense-rabenseifner") return rabenseifner(start);
  if (name == "dense-ring") return ring(start, start.dense(ranks));
  return std::nullopt;
}

}  // namespace sparsewire
