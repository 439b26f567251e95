// What the simulated worlds have in common: a rank's view of a simulation, and how a run ends.
//
// A Simulation has ranks(), machine(), state(rank), send(from, to, tag, message), receive(rank, from, tag),
// arrived(rank, sources) and wait_any(rank, sources). A rank's state has its `clocks`, an `inbox` of queues
// by channel, the channel it is `waiting` for, its `watch`, and its `failure`.
#pragma once

#include <utility>
#include <vector>

#include "algorithms/transport/world.hpp"
#include "model/machine.hpp"
#include "sim/channel.hpp"
#include "sim/diagnosis.hpp"
#include "sim/run_outcome.hpp"
#include "sim/watch.hpp"

namespace sparsewire {

template <class Simulation>
class SimulatedRank final : public Transport {
 public:
  SimulatedRank(Simulation& simulation, Rank rank) : simulation_(simulation), rank_(rank) {}

  Rank rank() const override { return rank_; }
  Rank size() const override { return simulation_.ranks(); }
  Seconds now() const override { return simulation_.state(rank_).clocks.cpu; }
  void compute(const Work& work) override {
    simulation_.state(rank_).clocks.cpu += simulation_.machine().compute.of(work);
  }

 private:
  void do_send(Rank to, Tag tag, Message message) override {
    simulation_.send(rank_, to, tag, std::move(message));
  }
  Message do_recv(Rank from, Tag tag) override { return simulation_.receive(rank_, from, tag); }
  std::optional<std::size_t> do_arrived(std::span<const Source> sources) override {
    return simulation_.arrived(rank_, sources);
  }
  std::size_t do_wait_any(std::span<const Source> sources) override {
    return simulation_.wait_any(rank_, sources);
  }

  Simulation& simulation_;
  Rank rank_;
};

// The results, unless a rank failed, waits for ever, or was sent what it did not receive; in this order.
template <class RankState>
RunOutcome outcome_of(const std::vector<RankState>& states, RunResult results) {
  using Kind = RunOutcome::Kind;
  std::vector<Waiting> waiting;
  std::vector<Unreceived> unreceived;
  for (Rank rank = 0; rank < static_cast<Rank>(states.size()); ++rank) {
    const RankState& state = states[static_cast<std::size_t>(rank)];
    if (state.failure) return {Kind::rank_error, {}, *state.failure, rank};
    if (state.waiting) waiting.push_back({rank, {*state.waiting}, false});
    if (state.watch.kind != Watching::nothing)
      waiting.push_back({rank, state.watch.channels, state.watch.kind == Watching::look});
    for (const auto& [key, queue] : state.inbox)
      unreceived.push_back({sender_of(key), rank, tag_of(key), queue.size()});
  }
  if (!waiting.empty()) return {Kind::deadlock, {}, describe_deadlock(std::move(waiting)), 0};
  if (!unreceived.empty()) return {Kind::unreceived, {}, describe_unreceived(std::move(unreceived)), 0};
  return {Kind::results, std::move(results), {}, 0};
}

}  // namespace sparsewire
