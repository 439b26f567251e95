#include "sim/loggp_world.hpp"

#include <boost/context/fiber.hpp>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

#include "algorithms/transport/counting.hpp"
#include "model/loggp.hpp"
#include "sim/channel.hpp"
#include "sim/diagnosis.hpp"

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
    throw_failures();
    return std::move(results_);
  }

 private:
  class RankTransport;

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

  void throw_failures() const {
    std::vector<Waiting> waiting;
    std::vector<Unreceived> unreceived;
    for (Rank rank = 0; rank < static_cast<Rank>(states_.size()); ++rank) {
      const RankState& rank_state = states_[static_cast<std::size_t>(rank)];
      if (rank_state.failure) throw RankError(rank, *rank_state.failure);
      if (rank_state.waiting)
        waiting.push_back({rank, sender_of(*rank_state.waiting), tag_of(*rank_state.waiting)});
      for (const auto& [key, queue] : rank_state.inbox)
        unreceived.push_back({sender_of(key), rank, tag_of(key), queue.size()});
    }
    if (!waiting.empty()) throw DeadlockError(describe_deadlock(std::move(waiting)));
    if (!unreceived.empty()) throw UnreceivedError(describe_unreceived(std::move(unreceived)));
  }

  const Machine& machine_;
  const Program& program_;
  std::vector<RankState> states_;
  RunResult results_;
  FiberPool fibers_;  // last: its fibers refer to the rest and are unwound first
};

class Simulation::RankTransport final : public Transport {
 public:
  RankTransport(Simulation& simulation, Rank rank) : simulation_(simulation), rank_(rank) {}

  Rank rank() const override { return rank_; }
  Rank size() const override { return static_cast<Rank>(simulation_.states_.size()); }
  Seconds now() const override { return simulation_.state(rank_).clocks.cpu; }
  void compute(const Work& work) override {
    simulation_.state(rank_).clocks.cpu += simulation_.machine_.compute.of(work);
  }

 private:
  void do_send(Rank to, Tag tag, Message message) override {
    simulation_.send(rank_, to, tag, std::move(message));
  }
  Message do_recv(Rank from, Tag tag) override { return simulation_.receive(rank_, from, tag); }

  Simulation& simulation_;
  Rank rank_;
};

void Simulation::run_rank(Rank rank) {
  RankTransport transport(*this, rank);
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
