#include "model/closed_forms.hpp"

#include <bit>
#include <cmath>
#include <queue>
#include <stdexcept>
#include <string>

#include "model/wire_format.hpp"

namespace sparsewire {
namespace {

// A stream whose elements are only counted. Sparse or dense by the rules of algorithms/payload/stream.hpp.
struct Held {
  std::uint64_t count = 0, length = 0;
  bool dense = false;
};

std::uint64_t rounded(double elements) {
  return static_cast<std::uint64_t>(std::llround(elements));
}

// One rank that stands for all.
class Representative {
 public:
  Representative(const Machine& machine, const CostInput& input) : machine_(machine), input_(input) {}

  Terms clock() const { return endpoint_.cpu; }
  const CostInput& input() const { return input_; }

  // `1 / parts` of the union of `ranks` ranks' supports, held sparse unless break-even is reached.
  Held sparse(Rank ranks, Rank parts = 1) const {
    Held held{rounded(input_.union_sizes[static_cast<std::size_t>(ranks - 1)] / parts), part_length(parts),
              false};
    held.dense = reaches_break_even(held.count, held.length, input_.value_bytes);
    return held;
  }
  Held dense(Rank parts = 1) const { return {part_length(parts), part_length(parts), true}; }

  std::uint64_t bytes(const Held& held) const {
    return held.dense ? dense_stream_bytes(held.length, input_.value_bytes)
                      : sparse_stream_bytes(held.count, input_.value_bytes);
  }

  Flight<Terms> send(std::uint64_t bytes) { return launch(machine_.network, endpoint_, bytes); }
  void receive(const Flight<Terms>& flight) { land(machine_.network, endpoint_, flight); }

  // Sends to a partner, and receives from one who sent `received` bytes at the same time.
  void exchange(std::uint64_t sent, std::uint64_t received) {
    Flight<Terms> flight = send(sent);
    flight.bytes = received;
    receive(flight);
  }
  void exchange(std::uint64_t both) { exchange(both, both); }

  // Goes on as a rank that has been waiting for this one's message since the start.
  void hand_over(std::uint64_t bytes) {
    const Flight<Terms> flight = send(bytes);
    endpoint_ = {};
    receive(flight);
  }

  // a + b, which has `sum_count` elements if it stays sparse.
  Held add(const Held& a, const Held& b, double sum_count) {
    if (a.dense && b.dense) {
      work(WorkKind::dense_add, a.length);
      return a;
    }
    if (a.dense || b.dense) {
      work(WorkKind::scatter_add, a.dense ? b.count : a.count);
      return {a.length, a.length, true};
    }
    if (!reaches_break_even(a.count + b.count, a.length, input_.value_bytes)) {
      work(WorkKind::merge, a.count + b.count);
      return {rounded(sum_count), a.length, false};
    }
    return add(densify(a), b, sum_count);
  }

  Held densify(const Held& held) {
    if (held.dense) return held;
    work(WorkKind::fill, held.length);
    work(WorkKind::scatter_add, held.count);
    return {held.length, held.length, true};
  }

  // `parts` blocks like `part` become one vector.
  void concat(const Held& part, Rank parts) {
    if (part.dense) return;
    const auto factor = static_cast<std::uint64_t>(parts);
    const Held whole{part.count * factor, input_.dimension, false};
    if (reaches_break_even(whole.count, whole.length, input_.value_bytes)) densify(whole);
  }

 private:
  std::uint64_t part_length(Rank parts) const {
    return rounded(static_cast<double>(input_.dimension) / static_cast<double>(parts));
  }
  void work(WorkKind kind, std::uint64_t elements) {
    endpoint_.cpu = after(endpoint_.cpu, Term::compute, machine_.compute.of(Work::of(kind, elements)));
  }

  const Machine& machine_;
  const CostInput& input_;
  Endpoint<Terms> endpoint_;
};

double union_of(const CostInput& input, Rank ranks) {
  return input.union_sizes[static_cast<std::size_t>(std::min(ranks, input.ranks) - 1)];
}

// Runs `core(rank, data)` on the rank of a folded pair, between taking over its neighbour's data and handing
// back the result. `core` returns what it ends with.
template <class Core>
Terms folded(Representative rank, Held mine, const Core& core) {
  const CostInput& input = rank.input();
  const bool folds = !std::has_single_bit(static_cast<std::uint32_t>(input.ranks));
  if (folds) {
    Flight<Terms> flight = Representative(rank).send(rank.bytes(mine));
    rank.receive(flight);
    mine = rank.add(mine, mine, union_of(input, 2));
  }
  const Held total = core(rank, mine);
  if (folds) rank.hand_over(rank.bytes(total));
  return rank.clock();
}

Rank power_of_two(Rank ranks) {
  return static_cast<Rank>(std::bit_floor(static_cast<std::uint32_t>(ranks)));
}

// How many ranks' data the virtual ranks first .. first + size - 1 hold.
Rank ranks_behind(Rank ranks, Rank first, Rank size) {
  const Rank pairs = ranks - power_of_two(ranks);
  return size + std::min(size, std::max<Rank>(0, pairs - first));
}

Terms recursive_doubling(const Representative& start, Held mine) {
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

void bruck_allgather(Representative& rank, std::uint64_t block_bytes) {
  const Rank ranks = rank.input().ranks;
  for (Rank distance = 1; distance < ranks; distance *= 2)
    rank.exchange(block_bytes * static_cast<std::uint64_t>(std::min(distance, ranks - distance)));
}

// The split phase of all ranks, rotated; ends with the owner's sum of its part.
Held direct_split(Representative& rank, bool dense_accumulator) {
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

Terms split_allgather(Representative rank, bool dense_accumulator) {
  const Held owned = direct_split(rank, dense_accumulator);
  bruck_allgather(rank, rank.bytes(owned));
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
  bruck_allgather(rank, rank.bytes(mine));
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

Terms best_dense(const Machine& machine, const CostInput& input) {
  Terms best = *predict("dense-recursive-double", machine, input);
  for (const std::string_view name : {"dense-rabenseifner", "dense-ring"}) {
    const Terms other = *predict(name, machine, input);
    if (other.total < best.total) best = other;
  }
  return best;
}

// When the last of `ranks` ranks has heard of one of them, if each that has heard sends to others at once.
Terms broadcast_bound(const LogGP& network, Rank ranks) {
  struct Delivery {
    Endpoint<Terms> sender, receiver;  // after it
  };
  const auto next_of = [&](Endpoint<Terms> sender) {
    Endpoint<Terms> receiver;
    land(network, receiver, launch(network, sender, 1));
    return Delivery{sender, receiver};
  };
  const auto is_later = [](const Delivery& a, const Delivery& b) {
    return a.receiver.cpu.total > b.receiver.cpu.total;
  };
  std::priority_queue<Delivery, std::vector<Delivery>, decltype(is_later)> deliveries(is_later);
  deliveries.push(next_of({}));
  Terms last;
  for (Rank heard = 1; heard < ranks; ++heard) {
    const Delivery first = deliveries.top();
    deliveries.pop();
    last = first.receiver.cpu;
    deliveries.push(next_of(first.sender));
    deliveries.push(next_of(first.receiver));
  }
  return last;
}

// The time of the values that the busiest rank sends.
Terms volume_bound(const LogGP& network, const CostInput& input) {
  const double own = input.union_sizes.front(), all = input.union_sizes.back(), ranks = input.ranks;
  const double bytes = (all * (ranks - 2) / ranks + own) * static_cast<double>(input.value_bytes);
  Terms bound = after(Terms{}, Term::latency, network.L);
  bound = after(bound, Term::overhead, 2 * network.o);
  const Seconds spacing = std::max(network.o, network.g);
  if (spacing == 0) return bound;
  const Seconds transfer = bytes * network.G * spacing / (spacing + network.G) - network.G;
  return after(bound, Term::bandwidth, std::max(0.0, transfer));
}

void require_valid(const CostInput& input) {
  const std::vector<double>& sizes = input.union_sizes;
  if (input.ranks < 1 || sizes.size() != static_cast<std::size_t>(input.ranks))
    throw std::invalid_argument(std::to_string(sizes.size()) + " union sizes for " +
                                std::to_string(input.ranks) +
                                " ranks, expected one for each number of ranks");
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    const double least = j == 0 ? 0.0 : sizes[j - 1];
    // expectations may fall short of one another by rounding
    if (!(sizes[j] >= least * (1 - 1e-12)) || sizes[j] > static_cast<double>(input.dimension) * (1 + 1e-12))
      throw std::invalid_argument("the union of " + std::to_string(j + 1) + " ranks has " +
                                  std::to_string(sizes[j]) +
                                  " elements, expected at least those of one rank fewer and at most " +
                                  std::to_string(input.dimension));
  }
}

}  // namespace

std::optional<Terms> predict(std::string_view algorithm, const Machine& machine, const CostInput& input) {
  require_valid(input);
  const Representative start(machine, input);
  if (algorithm == "ssar-recursive-double") return recursive_doubling(start, start.sparse(1));
  if (algorithm == "ssar-split-allgather") return split_allgather(start, false);
  if (algorithm == "dsar-split-allgather") return split_allgather(start, true);
  if (algorithm == "sparse-ring") return ring(start, start.sparse(1, input.ranks));
  if (algorithm == "sparse-allgather") return sparse_allgather(start);
  if (algorithm == "dense-recursive-double") return recursive_doubling(start, start.dense());
  if (algorithm == "dense-rabenseifner") return rabenseifner(start);
  if (algorithm == "dense-ring") return ring(start, start.dense(input.ranks));
  if (algorithm == "mpi-allreduce") return best_dense(machine, input);
  return std::nullopt;
}

Terms lower_bound(const Machine& machine, const CostInput& input) {
  require_valid(input);
  if (input.ranks == 1) return {};
  return later(broadcast_bound(machine.network, input.ranks), volume_bound(machine.network, input));
}

}  // namespace sparsewire
