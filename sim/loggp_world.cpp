#include "sim/loggp_world.hpp"

#include <boost/context/fiber.hpp>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

#include "algorithms/transport/counting.hpp"
#include "model/loggp.hpp"
#include "sim/simulated_rank.hpp"

namespace sparsewire {
namespace {

struct Envelope {
  Flight<Seconds> flight;
  Message message;
};

struct RankState {
  Endpoint<Seconds> clocks;
  std::unordered_map<Channel, std::list<Envelope>> inbox;  // channels with messages only
  std::optional<Channel> waiting;
  std::optional<std::string> failure;
};

class Simulation {
 public:
  Simulation(const Machine& machine, const LogGPOptions& options, Rank ranks, const Program& program)
      : machine_(machine),
        program_(program),
        states_(static_cast<std::size_t>(ranks)),
        results_(static_cast<std::size_t>(ranks)),
        fibers_(static_cast<std::size_t>(ranks), options.stack_bytes, options.order, options.order_seed,
                [this](std::size_t rank) { run_rank(static_cast<Rank>(rank)); }) {}

  RunResult run() {
    fibers_.run();
    return results_or_throw(outcome_of(states_, std::move(results_)));
  }

 private:
  friend class SimulatedRank<Simulation>;

  Rank ranks() const { return static_cast<Rank>(states_.size()); }
  const Machine& machine() const { return machine_; }
  RankState& state(Rank rank) { return states_[static_cast<std::size_t>(rank)]; }

  void run_rank(Rank rank);
  void send(Rank from, Rank to, Tag tag, Message message) {
    const Flight<Seconds> flight = launch(machine_.network, state(from).clocks, message.wire_size());
    RankState& receiver = state(to);
    const Channel key = channel(from, tag);
    receiver.inbox[key].push_back({flight, std::move(message)});
    if (receiver.waiting != key) return;
    receiver.waiting.reset();
    fibers_.wake(static_cast<std::size_t>(to));
  }

  Message receive(Rank rank, Rank from, Tag tag) {
    RankState& receiver = state(rank);
    const Channel key = channel(from, tag);
    auto found = receiver.inbox.find(key);
    if (found == receiver.inbox.end()) {
      receiver.waiting = key;
      fibers_.park();
      found = receiver.inbox.find(key);
    }
    Envelope envelope = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) receiver.inbox.erase(found);
    land(machine_.network, receiver.clocks, envelope.flight);
    return std::move(envelope.message);
  }

  const Machine& machine_;
  const Program& program_;
  std::vector<RankState> states_;
  RunResult results_;
  FiberPool fibers_;  // last: its fibers refer to the rest and are unwound first
};

void Simulation::run_rank(Rank rank) {
  SimulatedRank transport(*this, rank);
  Counting counting(transport);
  RankResult& result = results_[static_cast<std::size_t>(rank)];
  try {
    result.output = program_(counting);
    result.finish = transport.now();
    result.counters = counting.counters();
  } catch (const boost::context::detail::forced_unwind&) {
    throw;
  } catch (const std::exception& error) {
    state(rank).failure = error.what();
  } catch (...) {
    state(rank).failure = "unknown exception";
  }
}

}  // namespace

LogGPWorld::LogGPWorld(Machine machine, LogGPOptions options)
    : machine_(std::move(machine)), options_(options) {
  require_valid(machine_);
}

RunResult LogGPWorld::run(Rank ranks, const Program& program) {
  if (ranks < 1)
    throw std::invalid_argument("a world of " + std::to_string(ranks) + " ranks, expected at least 1");
  return Simulation(machine_, options_, ranks, program).run();
}

}  // namespace sparsewire
