// What LogGPWorld promises beyond the contract: exact times.
#include "sim/loggp_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/nonblocking.hpp"
#include "tests/support/patterns.hpp"

namespace sparsewire::test {
namespace {

constexpr Seconds kNs = 1e-9;

std::vector<Seconds> finishes(World& world, Rank ranks, const Program& program) {
  std::vector<Seconds> times;
  for (const RankResult& rank : world.run(ranks, program)) times.push_back(rank.finish);
  return times;
}

// The exact values of LogGOPSim's documentation (doi:10.1145/1851476.1851564).
TEST(LogGPWorld, D59BinomialReduce) {
  LogGPWorld world(loggopsim_machine());
  const std::vector<Seconds> times = finishes(world, 8, binomial_reduce(1024));
  const double expected[] = {34914, 24776, 13138, 13138, 1500, 1500, 1500, 1500};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(times[i], expected[i] * kNs, 1e-9 * expected[i] * kNs) << i;
}

TEST(LogGPWorld, D59Dissemination) {
  LogGPWorld world(loggopsim_machine());
  for (const Seconds time : finishes(world, 16, dissemination(1)))
    EXPECT_NEAR(time, 22000 * kNs, 22e-6 * kNs);
}

TEST(LogGPWorld, OneMessageTakesItsLogGPTime) {
  LogGPWorld world(loggopsim_machine());
  for (const std::size_t bytes : {0u, 1u, 1000u}) {
    const std::vector<Seconds> times = finishes(world, 2, flood(1, bytes));
    const double byte_gaps = bytes == 0 ? 0 : static_cast<double>(bytes) - 1;
    EXPECT_NEAR(times[0], 1500 * kNs, 1e-18);
    EXPECT_NEAR(times[1], (1500 + 2500 + byte_gaps * 6 + 1500) * kNs, 1e-15);
  }
}

// Consecutive sends start max(g, o, (m-1)G) apart, and the sender does not wait for them.
TEST(LogGPWorld, AFloodIsSpacedByTheGap) {
  Machine machine = loggopsim_machine();
  for (const double gap : {100e-9, 1000e-9, 5000e-9}) {
    machine.network.g = gap;
    LogGPWorld world(machine);
    for (const std::size_t bytes : {1u, 2001u}) {
      const std::vector<Seconds> times = finishes(world, 2, flood(10, bytes));
      const Seconds transfer = (static_cast<double>(bytes) - 1) * 6 * kNs;
      const Seconds spacing = std::max({gap, 1500 * kNs, transfer});
      EXPECT_NEAR(times[0], 10 * 1500 * kNs, 1e-15);
      EXPECT_NEAR(times[1], (1500 + 2500 + 1500) * kNs + transfer + 9 * spacing, 1e-12)
          << gap << " " << bytes;
    }
  }
}

TEST(LogGPWorld, ASerialReceiverMakesIncastAsLongAsItsBytes) {
  Machine machine = loggopsim_machine();
  const std::size_t bytes = 1000001;
  for (const Rank senders : {1, 2, 8}) {
    machine.network.serial_receiver = true;
    LogGPWorld serial(machine);
    EXPECT_NEAR(finishes(serial, senders + 1, incast(bytes))[0], (5500 + senders * 6e6) * kNs, 1e-8);
    machine.network.serial_receiver = false;
    LogGPWorld parallel(machine);
    const Seconds receives = (senders - 1) * 1500 * kNs;
    EXPECT_NEAR(finishes(parallel, senders + 1, incast(bytes))[0], (5500 + 6e6) * kNs + receives, 1e-12);
  }
}

TEST(LogGPWorld, RendezvousWaitsForTheReceiver) {
  Machine machine = loggopsim_machine();
  machine.network.S = 100;
  machine.compute[WorkKind::merge] = 1e-9;
  LogGPWorld world(machine);
  const auto late_receiver = [](std::size_t bytes, std::uint64_t work) {
    return [=](Transport& transport) -> Output {
      if (transport.rank() == 0) transport.send(1, 0, Message(std::vector<std::byte>(bytes)));
      if (transport.rank() == 1) {
        transport.compute(Work::of(WorkKind::merge, work));
        transport.recv(0, 0);
      }
      return {};
    };
  };
  // at the threshold: eager. Above: request, answer, data, each L, with the receiver ready or late
  EXPECT_NEAR(finishes(world, 2, late_receiver(100, 0))[1], (1500 + 2500 + 99 * 6 + 1500) * kNs, 1e-15);
  EXPECT_NEAR(finishes(world, 2, late_receiver(101, 0))[1], (1500 + 3 * 2500 + 100 * 6 + 1500) * kNs, 1e-15);
  EXPECT_NEAR(finishes(world, 2, late_receiver(101, 10000))[1], (10000 + 2 * 2500 + 100 * 6 + 1500) * kNs,
              1e-15);
  EXPECT_NEAR(finishes(world, 2, late_receiver(101, 0))[0], 1500 * kNs, 1e-18);
}

TEST(LogGPWorld, WorkTakesItsTimePerKind) {
  LogGPWorld world(cluster_machine());
  const std::vector<Seconds> times = finishes(world, 1, [](Transport& transport) -> Output {
    transport.compute(Work::of(WorkKind::merge, 1000) + Work::of(WorkKind::dense_add, 500));
    return {};
  });
  EXPECT_NEAR(times[0], 1000 * 7e-9 + 500 * 0.6e-9, 1e-15);
}

// pmodels/mpich#3546 and others: sizes around 2^31 bytes wrapped.
TEST(LogGPWorld, D34SizesBeyondTwoGigabytes) {
  LogGPWorld world(loggopsim_machine());
  const auto time_of = [&](std::uint64_t wire_size) {
    const RunResult result = world.run(2, [&](Transport& transport) -> Output {
      if (transport.rank() == 0) transport.send(1, 0, Message(std::vector<std::byte>(1), wire_size));
      if (transport.rank() == 1) transport.recv(0, 0);
      return {};
    });
    EXPECT_EQ(result[0].counters.wire_bytes, wire_size);
    return result[1].finish;
  };
  const std::uint64_t two_gib = std::uint64_t{1} << 31;
  EXPECT_NEAR(time_of(two_gib) / time_of(two_gib / 2), 2, 1e-4);
  EXPECT_NEAR(time_of(two_gib) - time_of(two_gib - 1), 6 * kNs, 1e-11);
  EXPECT_NEAR(time_of(two_gib * 8) / time_of(two_gib), 8, 1e-3);
}

// simgrid/simgrid#338: a change of bandwidth that showed no effect.
TEST(LogGPWorld, D50HalfTheBandwidthTakesTwiceAsLong) {
  Machine slow = cluster_machine();
  slow.network.G *= 2;
  LogGPWorld fast_world(cluster_machine()), slow_world(slow);
  const Program program = flood(1, 10000000);
  EXPECT_NEAR(finishes(slow_world, 2, program)[1] / finishes(fast_world, 2, program)[1], 2, 0.05);
}

// simgrid/simgrid#81: communication that cost nothing with more than 10 hosts.
TEST(LogGPWorld, D48TimeDoesNotFallWithRanks) {
  LogGPWorld world(cluster_machine());
  for (const auto& algorithm : allreduce_catalogue<Stream<float>>()) {
    // the latency-bound algorithms on one element: more ranks, more rounds
    Seconds last = 0;
    for (const Rank ranks : {2, 4, 8, 16, 64}) {
      const Vectors<float> inputs(static_cast<std::size_t>(ranks), sparse_vector<float>(64, {{1, 1.0f}}));
      const Seconds time = finish_time(run_allreduce(world, algorithm, inputs));
      EXPECT_GT(time, last) << algorithm.name << " P=" << ranks;
      last = time;
    }
  }
  Seconds last = 0;
  for (const Rank ranks : {8, 10, 11, 16, 64}) {
    const std::vector<Seconds> times = finishes(world, ranks, dissemination(1000));
    const Seconds time = *std::max_element(times.begin(), times.end());
    EXPECT_GE(time, last) << ranks;
    EXPECT_GT(time, 0);
    last = time;
  }
}

// Finish times are a function of the program alone, whatever order the fibers run in.
TEST(LogGPWorld, FinishTimesDoNotDependOnTheOrderOfFibers) {
  std::mt19937_64 random(3);
  for (const Rank ranks : {2, 5, 16, 33}) {
    Vectors<float> inputs;
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::vector<std::pair<std::int64_t, float>> pairs;
      for (int i = 0; i < 40 + rank; ++i)
        pairs.emplace_back(static_cast<std::int64_t>(random() % 1000), 1.0f);
      inputs.push_back(sparse_vector<float>(1000, pairs));
    }
    for (const auto& algorithm : allreduce_catalogue<Stream<float>>()) {
      LogGPWorld reference(cluster_machine());
      const RunResult expected = run_allreduce(reference, algorithm, inputs);
      for (const FiberOrder order : {FiberOrder::fifo, FiberOrder::random})
        for (const std::uint64_t seed : {1u, 2u}) {
          LogGPWorld world(cluster_machine(), {.order = order, .order_seed = seed});
          const RunResult result = run_allreduce(world, algorithm, inputs);
          for (std::size_t rank = 0; rank < result.size(); ++rank) {
            EXPECT_EQ(result[rank].finish, expected[rank].finish) << algorithm.name << " P=" << ranks;
            EXPECT_EQ(result[rank].output, expected[rank].output);
          }
        }
    }
  }
}

TEST(LogGPWorld, TimesOfCollectivesInFlightDoNotDependOnTheOrderOfFibers) {
  for (const std::uint64_t rendezvous : {0u, 64u})
    for (const Rank ranks : {2, 5, 16, 33})
      for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
        Machine machine = cluster_machine();
        machine.network.S = rendezvous;
        const Program program = all_at_once(random_tasks(4, ranks, seed), seed);
        LogGPWorld reference(machine);
        const RunResult expected = reference.run(ranks, program);
        for (const LogGPOptions options :
             {LogGPOptions{FiberOrder::fifo}, {FiberOrder::random, 1}, {FiberOrder::random, 2}}) {
          const RunResult result = LogGPWorld(machine, options).run(ranks, program);
          for (std::size_t rank = 0; rank < result.size(); ++rank) {
            EXPECT_EQ(result[rank].finish, expected[rank].finish) << "P=" << ranks << " seed " << seed;
            EXPECT_EQ(result[rank].output, expected[rank].output) << "P=" << ranks << " seed " << seed;
          }
        }
      }
}

// A look at `date` for what rank 0 sends at its time 0 and for what never comes.
TEST(LogGPWorld, AMessageHasArrivedWithItsLastByteAndALookInVainTakesTheOverhead) {
  Machine machine = loggopsim_machine();
  machine.compute[WorkKind::merge] = 1e-9;
  LogGPWorld world(machine);
  const std::size_t bytes = 101;
  const std::uint64_t arrival = 1500 + 2500 + 100 * 6;
  for (const auto& [date, expected] :
       std::map<std::uint64_t, Seconds>{{0, 4500e-9},
                                        {arrival - 1, (arrival - 1 + 1500) * kNs},
                                        {arrival, arrival * kNs},
                                        {9000, 9000 * kNs}})
    for (const bool second : {false, true}) {
      const std::vector<Seconds> times = finishes(world, 3, [&, date = date](Transport& transport) -> Output {
        if (transport.rank() == 0) transport.send(1, 0, message_of(bytes));
        if (transport.rank() != 1) return {};
        transport.compute(Work::of(WorkKind::merge, date));
        const std::vector<Source> sources =
            second ? std::vector<Source>{{2, 0}, {0, 0}} : std::vector<Source>{{0, 0}};
        for (int looks = 0; looks < 3 && !transport.arrived(sources); ++looks) continue;
        const Seconds seen = transport.now();
        transport.recv(0, 0);
        EXPECT_NEAR(transport.now(), std::max(seen, arrival * kNs) + 1500 * kNs, 1e-15);
        EXPECT_NEAR(seen, expected, 1e-15) << date;
        return {};
      });
      EXPECT_EQ(times.size(), 3u);
    }
}

// The loop ends on a machine whose CPU has no overhead, too.
TEST(LogGPWorld, D50ALoopOfLooksEndsWithoutOverhead) {
  Machine machine = loggopsim_machine();
  machine.network.o = 0;
  LogGPWorld world(machine);
  const std::vector<Seconds> times = finishes(world, 2, [](Transport& transport) -> Output {
    const Source source{0, 0};
    if (transport.rank() == 0) transport.send(1, 0, message_of(1));
    while (transport.rank() == 1 && !transport.arrived({&source, 1})) continue;
    if (transport.rank() == 1) transport.recv(0, 0);
    return {};
  });
  EXPECT_NEAR(times[1], 2500 * kNs, 2e-9);
}

// Started and waited for at once, a collective takes the time of the blocking one.
TEST(LogGPWorld, AWaitAtOnceTakesTheTimeOfTheBlockingCollective) {
  for (const std::uint64_t rendezvous : {0u, 64u}) {
    Machine machine = cluster_machine();
    machine.network.S = rendezvous;
    LogGPWorld world(machine);
    for (const Task& task : random_tasks(8, 9, 8)) {
      const RunResult blocking = world.run(9, one_by_one({task}));
      const RunResult started = world.run(9, [&](Transport& transport) -> Output {
        NonBlocking nonblocking(transport);
        nonblocking.start(task.algorithm, task.input_of(transport.rank())).wait();
        return {};
      });
      for (std::size_t rank = 0; rank < 9; ++rank)
        EXPECT_EQ(started[rank].finish, blocking[rank].finish) << task.algorithm.name;
    }
  }
}

// The first look posts the receive: the request is answered while the receiver computes.
TEST(LogGPWorld, ALookPostsTheReceiveOfARendezvous) {
  Machine machine = loggopsim_machine();
  machine.network.S = 100;
  machine.compute[WorkKind::merge] = 1e-9;
  LogGPWorld world(machine);
  for (const bool looks : {false, true}) {
    const std::vector<Seconds> times = finishes(world, 2, [&](Transport& transport) -> Output {
      const Source source{0, 0};
      if (transport.rank() == 0) transport.send(1, 0, message_of(101));
      if (transport.rank() != 1) return {};
      if (looks) transport.arrived({&source, 1});
      transport.compute(Work::of(WorkKind::merge, 100000));
      transport.recv(0, 0);
      return {};
    });
    EXPECT_NEAR(times[1], (looks ? 1500 + 100000 + 1500 : 100000 + 2 * 2500 + 100 * 6 + 1500) * kNs, 1e-15);
  }
}

// Counts those of its kind that live.
struct Guard {
  explicit Guard(int& count) : count_(count) { ++count_; }
  ~Guard() { --count_; }
  int& count_;
};

TEST(LogGPWorld, UnwindsCollectivesThatAreLeftInFlight) {
  LogGPWorld world(cluster_machine());
  int alive = 0;
  EXPECT_THROW(world.run(50,
                         [&](Transport& transport) -> Output {
                           NonBlocking nonblocking(transport);
                           const auto receive = [&](Transport& inner) {
                             const Guard guard(alive);
                             return inner.recv((inner.rank() + 1) % 50, 0).size();
                           };
                           auto first = nonblocking.start(receive), second = nonblocking.start(receive);
                           second.wait();
                           return {};
                         }),
               DeadlockError);
  EXPECT_EQ(alive, 0);
}

TEST(LogGPWorld, HoldsManyRanksAndALinearAllToAllIsNoCliff) {
  LogGPWorld world(cluster_machine());
  EXPECT_EQ(finishes(world, 20000, dissemination(8)).size(), 20000u);
  const std::vector<Seconds> times = finishes(world, 512, linear_all_to_all(8));
  EXPECT_GT(*std::min_element(times.begin(), times.end()), 511 * cluster_machine().network.o);
}

TEST(LogGPWorld, UnwindsRanksThatAreLeftWaiting) {
  LogGPWorld world(cluster_machine());
  int alive = 0;
  EXPECT_THROW(world.run(100,
                         [&](Transport& transport) -> Output {
                           const Guard guard(alive);
                           transport.recv((transport.rank() + 1) % 100, 0);
                           return {};
                         }),
               DeadlockError);
  EXPECT_EQ(alive, 0);
}

TEST(LogGPWorldDeathTest, AStackOverflowIsReported) {
  LogGPWorld world(cluster_machine(), {.stack_bytes = 32 * 1024});
  const Program overflow = [](Transport& transport) -> Output {
    volatile char waste[40 * 1024];
    if (transport.rank() == 1)
      for (volatile char& byte : waste) byte = 1;
    return {};
  };
  EXPECT_DEATH(world.run(2, overflow), "the stack of fiber 1 overflowed|AddressSanitizer: stack-");
}

// epfl and others: negative g in measured tables gave negative times.
TEST(LogGPWorld, D58RefusesImpossibleMachines) {
  for (Seconds LogGP::*parameter : {&LogGP::L, &LogGP::o, &LogGP::g, &LogGP::G}) {
    for (const double value : {-1e-9, std::nan(""), HUGE_VAL}) {
      Machine machine = cluster_machine();
      machine.network.*parameter = value;
      EXPECT_THROW(LogGPWorld{machine}, std::invalid_argument);
    }
  }
  Machine machine = cluster_machine();
  machine.compute[WorkKind::fill] = -1;
  EXPECT_THROW(LogGPWorld{machine}, std::invalid_argument);
}

}  // namespace
}  // namespace sparsewire::test
