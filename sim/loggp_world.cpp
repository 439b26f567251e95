#include "sim/loggp_world.hpp"

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <limits>
#include <list>
#include <optional>
#include <set>
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

using Inbox = std::unordered_map<Channel, std::list<Envelope>>;  // channels with messages only

struct RankState {
  Endpoint<Seconds> clocks;
  Inbox inbox;
  std::optional<Channel> waiting;
  Watch watch;
  Seconds due = 0;                              // when the watch ends, as far as is known
  std::unordered_map<Channel, Seconds> posted;  // receives posted by looks and waits, with rendezvous only
  std::optional<std::string> failure;
};

constexpr Seconds kNever = std::numeric_limits<Seconds>::infinity();

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
    do fibers_.run();
    while (end_first_watch());
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
    ++events_;
    if (receiver.watch.kind == Watching::wait) hasten(to, key);
    if (receiver.waiting != key) return;
    receiver.waiting.reset();
    fibers_.wake(static_cast<std::size_t>(to));
  }

  Message receive(Rank rank, Rank from, Tag tag) {
    RankState& receiver = state(rank);
    const Channel key = channel(from, tag);
    const auto found = await(receiver, key);
    Envelope envelope = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) receiver.inbox.erase(found);
    land(machine_.network, receiver.clocks, envelope.flight, take_posted(receiver, key));
    ++events_;
    return std::move(envelope.message);
  }

  // The channel's messages when there are any.
  Inbox::iterator await(RankState& receiver, Channel key) {
    const auto found = receiver.inbox.find(key);
    if (found != receiver.inbox.end()) return found;
    receiver.waiting = key;
    fibers_.park();
    return receiver.inbox.find(key);
  }

  std::optional<std::size_t> arrived(Rank rank, std::span<const Source> sources) {
    RankState& receiver = state(rank);
    post(receiver, sources);
    if (!is_settled(receiver, sources)) watch(rank, Watching::look, sources, receiver.clocks.cpu);
    const std::optional<std::size_t> found = first_arrived(receiver, sources);
    if (found) return found;
    receiver.watch.looked_in_vain(events_);
    receiver.clocks.cpu += look_time(machine_.network);
    return std::nullopt;
  }

  std::size_t wait_any(Rank rank, std::span<const Source> sources) {
    RankState& receiver = state(rank);
    post(receiver, sources);
    if (sources.size() == 1)
      await(receiver, channel(sources[0]));
    else if (!is_settled(receiver, sources) || !first_arrived(receiver, sources))
      watch(rank, Watching::wait, sources,
            std::max(receiver.clocks.cpu, earliest_arrival(receiver, sources)));
    receiver.clocks.cpu = std::max(receiver.clocks.cpu, earliest_arrival(receiver, sources));
    return *first_arrived(receiver, sources);
  }

  // Gives way until nothing can be sent any more that arrives before `due`.
  void watch(Rank rank, Watching kind, std::span<const Source> sources, Seconds due) {
    RankState& watcher = state(rank);
    watcher.watch.begin(kind, sources);
    watcher.due = due;
    if (due < kNever) due_.emplace(due, rank);
    fibers_.park();
    watcher.watch.end();
  }

  // A message to a rank that waits for any of several.
  void hasten(Rank rank, Channel key) {
    RankState& watcher = state(rank);
    if (!watcher.watch.covers(key)) return;
    const Seconds due = std::max(watcher.clocks.cpu, arrival(watcher, key));
    if (due >= watcher.due) return;
    due_.erase({watcher.due, rank});
    due_.emplace(due, rank);
    watcher.due = due;
  }

  // No fiber can go on but by the end of a watch. The first to be due ends: whatever is sent from now on is
  // sent after that. False if there is none, or all are looks in vain.
  bool end_first_watch() {
    if (due_.empty()) return false;
    const Rank rank = due_.begin()->second;
    if (state(rank).watch.doubts(events_) && all_look_in_vain()) return false;
    due_.erase(due_.begin());
    fibers_.wake(static_cast<std::size_t>(rank));
    return true;
  }

  bool all_look_in_vain() {
    return std::all_of(due_.begin(), due_.end(), [&](const auto& entry) {
      const RankState& watcher = state(entry.second);
      return watcher.watch.hopeless(events_) &&
             std::none_of(watcher.watch.channels.begin(), watcher.watch.channels.end(),
                          [&](Channel key) { return watcher.inbox.count(key) > 0; });
    });
  }

  // Whether what can still be sent matters to a look now: not if each source up to the first that has arrived
  // has a message.
  bool is_settled(const RankState& receiver, std::span<const Source> sources) const {
    for (const Source& source : sources) {
      const Seconds date = arrival(receiver, channel(source));
      if (date == kNever) return false;
      if (has_arrived(receiver, date)) return true;
    }
    return true;
  }

  std::optional<std::size_t> first_arrived(const RankState& receiver, std::span<const Source> sources) const {
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (has_arrived(receiver, arrival(receiver, channel(sources[i])))) return i;
    return std::nullopt;
  }

  Seconds earliest_arrival(const RankState& receiver, std::span<const Source> sources) const {
    Seconds earliest = kNever;
    for (const Source& source : sources) earliest = std::min(earliest, arrival(receiver, channel(source)));
    return earliest;
  }

  static bool has_arrived(const RankState& receiver, Seconds arrival) {
    return arrival <= rounded_up(receiver.clocks.cpu);
  }

  // Of the channel's next message, were it taken next; never if it has not been sent yet.
  Seconds arrival(const RankState& receiver, Channel key) const {
    const auto found = receiver.inbox.find(key);
    if (found == receiver.inbox.end()) return kNever;
    const Flight<Seconds>& flight = found->second.front().flight;
    const auto posted = receiver.posted.find(key);
    return last_byte(machine_.network, receiver.clocks, flight,
                     posted == receiver.posted.end() ? receiver.clocks.cpu : posted->second);
  }

  // When a receive was posted matters to a rendezvous only.
  void post(RankState& receiver, std::span<const Source> sources) const {
    if (machine_.network.S == 0) return;
    for (const Source& source : sources) receiver.posted.try_emplace(channel(source), receiver.clocks.cpu);
  }
  static Seconds take_posted(RankState& receiver, Channel key) {
    if (receiver.posted.empty()) return receiver.clocks.cpu;
    const auto found = receiver.posted.find(key);
    if (found == receiver.posted.end()) return receiver.clocks.cpu;
    const Seconds date = found->second;
    receiver.posted.erase(found);
    return date;
  }

  const Machine& machine_;
  const Program& program_;
  std::vector<RankState> states_;
  RunResult results_;
  std::set<std::pair<Seconds, Rank>> due_;  // watches that will end
  std::uint64_t events_ = 0;                // sends and receives
  FiberPool fibers_;                        // last: its fibers refer to the rest and are unwound first
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
