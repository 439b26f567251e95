#include "sim/simgrid_world.hpp"

#include <algorithm>
#include <limits>
#include <list>
#include <optional>
#include <simgrid/Exception.hpp>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <utility>

#include "algorithms/transport/counting.hpp"
#include "model/loggp.hpp"
#include "sim/child_process.hpp"
#include "sim/run_outcome.hpp"
#include "sim/simgrid_platform.hpp"
#include "sim/simulated_rank.hpp"

namespace sparsewire {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

// A message between its send and its receive.
struct Parcel {
  Rank to = 0;
  Channel channel = 0;
  Flight<Seconds> flight;
  Message message;
  bool departs = false;  // whether its date of departure is known
  s4u::CommPtr flow;
  std::optional<Seconds> arrival;
};

// What a message meets on its way if it is alone.
struct Path {
  Seconds latency = 0;
  double bandwidth = std::numeric_limits<double>::infinity();  // bytes/s of the narrowest link
};

struct RankState {
  s4u::Host* host = nullptr;
  s4u::SemaphorePtr wakeup;
  Endpoint<Seconds> clocks;
  std::unordered_map<Channel, std::list<Parcel>> inbox;  // channels with messages only
  std::optional<Channel> waiting;
  Watch watch;
  std::unordered_map<Channel, Seconds> posted;  // receives, with rendezvous only
  std::optional<std::string> failure;
};

// Simulated time never more than doubles in one step from here on. SimGrid adds the distance of the next
// event to the date. Beyond twice the date the sum can miss the event by a rounding; where doubles are
// further apart than surf/precision SimGrid then never sees the event again.
constexpr Seconds kFirstMilestone = 4;

// One run, in a process of its own. Ranks enter SimGrid's kernel only to wait for a message: a send sets a
// timer to its departure, whatever the sender does meanwhile, and the timer starts the flow (or, where
// nothing is shared, a timer to its arrival).
class Simulation {
 public:
  Simulation(const Machine& machine, const Topology& topology, Rank ranks, const Program& program,
             int result_fd)
      : machine_(machine),
        program_(program),
        sharing_(sharing_of(topology)),
        result_fd_(result_fd),
        states_(static_cast<std::size_t>(ranks)),
        results_(static_cast<std::size_t>(ranks)),
        live_(ranks) {
    configure_simgrid(ranks);
    const auto hosts = create_platform(topology, machine.network, ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
      state(rank).host = hosts[static_cast<std::size_t>(rank)];
      state(rank).wakeup = s4u::Semaphore::create(0);
    }
    s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) {
      arrive(*static_cast<const s4u::Comm&>(activity).get_data<Parcel>());
    });
  }

  // Leaves the process when the run is over.
  [[noreturn]] void run(const s4u::Engine& engine) {
    for (Rank rank = 0; rank < static_cast<Rank>(states_.size()); ++rank)
      s4u::Actor::create("rank" + std::to_string(rank), state(rank).host, [this, rank] { run_rank(rank); });
    pass_milestone(kFirstMilestone);
    engine.run();
    throw std::logic_error("SimGrid ended before the run was over");
  }

 private:
  friend class SimulatedRank<Simulation>;

  Rank ranks() const { return static_cast<Rank>(states_.size()); }
  const Machine& machine() const { return machine_; }
  RankState& state(Rank rank) { return states_[static_cast<std::size_t>(rank)]; }

  void pass_milestone(Seconds date) {
    Timer::set(date, [this, date] { pass_milestone(2 * date); });
  }

  void run_rank(Rank rank);

  void send(Rank from, Rank to, Tag tag, Message message) {
    const Flight<Seconds> flight = launch(machine_.network, state(from).clocks, message.wire_size());
    RankState& receiver = state(to);
    const Channel key = channel(from, tag);
    auto& queue = receiver.inbox[key];
    ++events_;
    Parcel& parcel = queue.emplace_back(Parcel{to, key, flight, std::move(message), false, {}, {}});
    if (!uses_rendezvous(machine_.network, flight.bytes))
      depart(parcel, flight.departure);
    else if (queue.size() == 1 && receiver.posted.count(key) > 0)
      answer(parcel);
  }

  Message receive(Rank rank, Rank from, Tag tag) {
    RankState& receiver = state(rank);
    const Channel key = channel(from, tag);
    await(receiver, key);
    const auto queue = receiver.inbox.find(key);
    Parcel parcel = std::move(queue->second.front());
    queue->second.pop_front();
    if (queue->second.empty()) receiver.inbox.erase(queue);
    receiver.posted.erase(key);
    ++events_;
    receiver.clocks.cpu = std::max(receiver.clocks.cpu, *parcel.arrival) + machine_.network.o;
    return std::move(parcel.message);
  }

  // Returns when the next message of the channel has arrived.
  void await(RankState& receiver, Channel key) {
    post(receiver, key);
    if (arrival(receiver, key)) return;
    receiver.waiting = key;
    block(receiver);
  }

  void block(RankState& receiver) {
    ++blocked_;
    conclude_if_starved();
    receiver.wakeup->acquire();
  }
  void unblock(RankState& receiver) {
    --blocked_;
    receiver.wakeup->release();
  }

  std::optional<std::size_t> arrived(Rank rank, std::span<const Source> sources) {
    RankState& receiver = state(rank);
    for (const Source& source : sources) post(receiver, channel(source));
    if (!arrival(receiver, channel(sources[0]))) {
      receiver.watch.begin(Watching::look, sources);
      conclude_if_hopeless(receiver);
      catch_up(receiver);
      receiver.watch.end();
    }
    const std::optional<std::size_t> found = first_arrived(receiver, sources);
    if (found) return found;
    receiver.watch.looked_in_vain(events_);
    receiver.clocks.cpu += look_time(machine_.network);
    return std::nullopt;
  }

  std::size_t wait_any(Rank rank, std::span<const Source> sources) {
    RankState& receiver = state(rank);
    for (const Source& source : sources) post(receiver, channel(source));
    if (!first_arrived(receiver, sources)) {
      receiver.watch.begin(Watching::wait, sources);
      block(receiver);
      for (const Source& source : sources)
        if (const auto date = arrival(receiver, channel(source)))
          receiver.clocks.cpu = std::max(receiver.clocks.cpu, *date);
    }
    if (sources.size() > 1) catch_up(receiver);
    return *first_arrived(receiver, sources);
  }

  // Waits until SimGrid's clock is at the rank's: all that has arrived by then is known.
  void catch_up(RankState& receiver) {
    Timer::set(rounded_up(receiver.clocks.cpu), [&receiver] { receiver.wakeup->release(); });
    receiver.wakeup->acquire();
  }

  std::optional<std::size_t> first_arrived(const RankState& receiver, std::span<const Source> sources) const {
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (arrival(receiver, channel(sources[i]))) return i;
    return std::nullopt;
  }

  // Of the channel's next message, if that has arrived by SimGrid's clock, which is not ahead of the rank's.
  static std::optional<Seconds> arrival(const RankState& receiver, Channel key) {
    const auto queue = receiver.inbox.find(key);
    if (queue == receiver.inbox.end()) return std::nullopt;
    return queue->second.front().arrival;
  }

  // The receiver asks for the channel's next message, for the first time.
  void post(RankState& receiver, Channel key) {
    if (machine_.network.S == 0) return;
    if (!receiver.posted.try_emplace(key, receiver.clocks.cpu).second) return;
    const auto queue = receiver.inbox.find(key);
    if (queue != receiver.inbox.end() && !queue->second.front().departs) answer(queue->second.front());
  }

  // The receiver of a rendezvous has posted the receive.
  void answer(Parcel& parcel) {
    const Seconds latency = path_of(parcel).latency;
    const Seconds request = parcel.flight.handed + latency;
    const Seconds clear = std::max(request, state(parcel.to).posted.at(parcel.channel)) + latency;
    depart(parcel, std::max(parcel.flight.departure, clear));
  }

  Path path_of(const Parcel& parcel) {
    std::vector<s4u::Link*> links;
    Path path;
    state(sender_of(parcel.channel)).host->route_to(state(parcel.to).host, links, &path.latency);
    for (const s4u::Link* link : links) path.bandwidth = std::min(path.bandwidth, link->get_bandwidth());
    return path;
  }

  // Only what takes a share of a link becomes a flow: SimGrid 3.32 needs time for each in proportion to their
  // number.
  void depart(Parcel& parcel, Seconds date) {
    parcel.departs = true;
    ++under_way_;
    const std::uint64_t behind_the_first = std::max<std::uint64_t>(parcel.flight.bytes, 1) - 1;
    if (sharing_ == Sharing::shared && behind_the_first > 0) {
      Timer::set(date, [this, &parcel, behind_the_first] { start_flow(parcel, behind_the_first); });
      return;
    }
    const Path path = path_of(parcel);
    const Seconds arrival = date + path.latency + static_cast<double>(behind_the_first) / path.bandwidth;
    Timer::set(arrival, [this, &parcel] { arrive(parcel); });
  }

  // In the kernel's context, so that completion is signalled to on_completion.
  void start_flow(Parcel& parcel, std::uint64_t bytes) {
    parcel.flow = s4u::Comm::sendto_init();
    parcel.flow->set_data(&parcel);
    parcel.flow->set_payload_size(bytes)
        ->set_source(state(sender_of(parcel.channel)).host)
        ->set_destination(state(parcel.to).host);  // starts it
  }

  void arrive(Parcel& parcel) {
    parcel.arrival = s4u::Engine::get_clock();
    --under_way_;
    ++events_;
    RankState& receiver = state(parcel.to);
    if (is_awaited(receiver, parcel.channel) && &receiver.inbox.at(parcel.channel).front() == &parcel) {
      receiver.waiting.reset();
      receiver.watch.end();
      unblock(receiver);
    }
    conclude_if_starved();
  }

  static bool is_awaited(const RankState& receiver, Channel key) {
    return receiver.waiting == key || (receiver.watch.kind == Watching::wait && receiver.watch.covers(key));
  }

  void conclude_if_starved() {
    if (blocked_ == live_ && (under_way_ == 0 || live_ == 0)) conclude();
  }

  // Nothing is under way, and every rank that has not ended waits or looks in vain.
  void conclude_if_hopeless(const RankState& receiver) {
    if (under_way_ > 0 || !receiver.watch.doubts(events_)) return;
    const auto looks = std::count_if(states_.begin(), states_.end(),
                                     [&](const RankState& each) { return each.watch.hopeless(events_); });
    if (looks + blocked_ == live_) conclude();
  }

  // Hands the outcome over and leaves the process, with all actors where they are.
  [[noreturn]] void conclude() {
    write_all(result_fd_, encode(outcome_of(states_, std::move(results_))));
    std::fflush(nullptr);
    ::_exit(EXIT_SUCCESS);
  }

  const Machine& machine_;
  const Program& program_;
  Sharing sharing_;
  int result_fd_;
  std::vector<RankState> states_;
  RunResult results_;
  Rank live_;                    // ranks whose program has not ended
  Rank blocked_ = 0;             // of these, those that wait for a message
  std::uint64_t events_ = 0;     // sends, arrivals and receives
  std::uint64_t under_way_ = 0;  // messages that will arrive without any rank's doing
};

void Simulation::run_rank(Rank rank) {
  SimulatedRank transport(*this, rank);
  Counting counting(transport);
  RankResult& result = results_[static_cast<std::size_t>(rank)];
  try {
    result.output = program_(counting);
    result.finish = transport.now();
    result.counters = counting.counters();
  } catch (const simgrid::ForcefulKillException&) {
    throw;
  } catch (const std::exception& error) {
    state(rank).failure = error.what();
  } catch (...) {
    state(rank).failure = "unknown exception";
  }
  --live_;
  conclude_if_starved();
}

// Runs in the child. Errors that SimGrid or the platform raise become the outcome.
void simulate(const Machine& machine, const Topology& topology, Rank ranks, const Program& program,
              int result_fd) {
  std::vector<std::string> words = {"sparsewire", "--log=root.thresh:critical"};
#ifdef __SANITIZE_ADDRESS__
  words.push_back("--cfg=contexts/factory:thread");  // the sanitizer does not know SimGrid's other stacks
#endif
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  try {
    const auto* engine =
        new s4u::Engine(&count, arguments.data());  // SimGrid 3.32 does not survive its destruction
    Simulation(machine, topology, ranks, program, result_fd).run(*engine);
  } catch (const std::invalid_argument& error) {
    write_all(result_fd, encode({RunOutcome::Kind::invalid_argument, {}, error.what(), 0}));
  } catch (const std::exception& error) {
    write_all(result_fd, encode({RunOutcome::Kind::failure, {}, std::string("SimGrid: ") + error.what(), 0}));
  }
}

}  // namespace

SimGridWorld::SimGridWorld(Machine machine, Topology topology)
    : machine_(std::move(machine)), topology_(std::move(topology)) {
  require_valid(machine_);
  require_valid(topology_);
}

RunResult SimGridWorld::run(Rank ranks, const Program& program) {
  if (ranks < 1)
    throw std::invalid_argument("a world of " + std::to_string(ranks) + " ranks, expected at least 1");
  const auto most = host_count(topology_);
  if (most && ranks > *most)
    throw std::invalid_argument("topology '" + topology_.name + "' has " + std::to_string(*most) +
                                " hosts for " + std::to_string(ranks) + " ranks");
  const auto bytes = result_of_child([&](int fd) { simulate(machine_, topology_, ranks, program, fd); });
  return results_or_throw(decode_outcome(bytes));
}

}  // namespace sparsewire
