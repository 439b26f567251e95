#include "sim/simgrid_world.hpp"

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
    Parcel& parcel = queue.emplace_back(Parcel{to, key, flight, std::move(message), false, {}, {}});
    if (!uses_rendezvous(machine_.network, flight.bytes))
      depart(parcel, flight.departure);
    else if (receiver.waiting == key && queue.size() == 1)
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
    receiver.clocks.cpu = std::max(receiver.clocks.cpu, *parcel.arrival) + machine_.network.o;
    return std::move(parcel.message);
  }

  // Returns when the next message of the channel has arrived.
  void await(RankState& receiver, Channel key) {
    const auto queue = receiver.inbox.find(key);
    if (queue != receiver.inbox.end()) {
      Parcel& next = queue->second.front();
      if (next.arrival) return;
      if (!next.departs) answer(next);
    }
    receiver.waiting = key;
    ++blocked_;
    conclude_if_starved();
    receiver.wakeup->acquire();
  }

  // The receiver of a rendezvous has posted the receive.
  void answer(Parcel& parcel) {
    const Seconds latency = path_of(parcel).latency;
    const Seconds request = parcel.flight.handed + latency;
    const Seconds clear = std::max(request, state(parcel.to).clocks.cpu) + latency;
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
    RankState& receiver = state(parcel.to);
    if (receiver.waiting == parcel.channel && &receiver.inbox.at(parcel.channel).front() == &parcel) {
      receiver.waiting.reset();
      --blocked_;
      receiver.wakeup->release();
    }
    conclude_if_starved();
  }

  void conclude_if_starved() {
    if (blocked_ == live_ && (under_way_ == 0 || live_ == 0)) conclude();
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
