#include "model/closed_forms.hpp"

#include <cmath>
#include <queue>
#include <stdexcept>
#include <string>

#include "model/forms.hpp"

namespace sparsewire {
namespace {

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
  const std::uint64_t bits = input.coding.quantisation.bits;
  const double value_bytes =
      bits > 0 ? static_cast<double>(bits) / 8 : static_cast<double>(input.value_bytes);
  const double bytes = (all * (ranks - 2) / ranks + own) * value_bytes;
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

std::optional<Terms> form_of(const AlgorithmSpec& algorithm, const Representative& start) {
  for (const auto form : {classic_form, lossless_form, collective_form, lossy_form})
    if (const std::optional<Terms> terms = form(algorithm, start)) return terms;
  return std::nullopt;
}

std::optional<Terms> predict(const AlgorithmSpec& algorithm, const Machine& machine, const CostInput& input) {
  require_valid(input);
  if (algorithm.name == "mpi-allreduce") return best_dense(machine, input);
  return form_of(algorithm, Representative(machine, input));
}

std::optional<Terms> predict(std::string_view algorithm, const Machine& machine, const CostInput& input) {
  return predict(parse_algorithm(algorithm), machine, input);
}

Terms lower_bound(const Machine& machine, const CostInput& input) {
  require_valid(input);
  if (input.ranks == 1) return {};
  return later(broadcast_bound(machine.network, input.ranks), volume_bound(machine.network, input));
}

}  // namespace sparsewire
