#include "sim/simgrid_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>

#include "sim/loggp_world.hpp"

namespace sparsewire {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr Seconds kNano = 1e-9;
constexpr double kExact = 1e-9;  // relative

Machine machine_of(Seconds L, Seconds o, Seconds g, Seconds G) {
  Machine machine;
  machine.network = {L, o, g, G, 0, false};
  machine.compute[WorkKind::merge] = 1 * kNano;
  return machine;
}

Machine reference_machine() {
  return machine_of(2500 * kNano, 1500 * kNano, 1000 * kNano, 6 * kNano);
}

Topology star(Sharing sharing) {
  return {"star", StarSpec{{}, sharing}};
}

SimGridWorld unshared_star(const Machine& machine = reference_machine()) {
  return {machine, star(Sharing::unshared)};
}

Message message_of(std::uint64_t wire_size) {
  return Message(std::vector<std::byte>(), wire_size);
}

void expect_times(const RunResult& result, const std::vector<double>& nanoseconds) {
  ASSERT_EQ(result.size(), nanoseconds.size());
  for (std::size_t rank = 0; rank < nanoseconds.size(); ++rank)
    EXPECT_NEAR(result[rank].finish, nanoseconds[rank] * kNano, kExact * nanoseconds[rank] * kNano) << rank;
}

Output binomial_reduce(Transport& transport, std::uint64_t bytes) {
  for (Rank half = transport.size() / 2; half > 0; half /= 2) {
    if (transport.rank() >= 2 * half) continue;
    if (transport.rank() < half) transport.recv(transport.rank() + half, 0);
    if (transport.rank() >= half) transport.send(transport.rank() - half, 0, message_of(bytes));
  }
  return {};
}

Output dissemination(Transport& transport, std::uint64_t bytes) {
  const Rank size = transport.size();
  for (Rank distance = 1; distance < size; distance *= 2) {
    transport.send((transport.rank() + distance) % size, 0, message_of(bytes));
    transport.recv((transport.rank() + size - distance) % size, 0);
  }
  return {};
}

// Rank 0 receives `bytes` from every other rank.
Output incast(Transport& transport, std::uint64_t bytes) {
  if (transport.rank() > 0) transport.send(0, 0, message_of(bytes));
  for (Rank from = 1; transport.rank() == 0 && from < transport.size(); ++from) transport.recv(from, 0);
  return {};
}

// `count` messages from rank 0 to rank 1.
Output flood(Transport& transport, int count, std::uint64_t bytes) {
  for (int i = 0; i < count; ++i)
    transport.rank() == 0 ? transport.send(1, 0, message_of(bytes)) : static_cast<void>(transport.recv(0, 0));
  return {};
}

// Patterns without contention take the same time whether links are shared or not.
class SimGridStar : public testing::TestWithParam<Sharing> {
 protected:
  static SimGridWorld world(const Machine& machine = reference_machine()) {
    return {machine, star(GetParam())};
  }
};

INSTANTIATE_TEST_SUITE_P(SharedAndUnshared, SimGridStar, testing::Values(Sharing::shared, Sharing::unshared),
                         [](const auto& sharing) {
                           return sharing.param == Sharing::shared ? "shared" : "unshared";
                         });

TEST_P(SimGridStar, BinomialReduceTakesItsKnownTimes) {
  const RunResult result =
      world().run(8, [](Transport& transport) { return binomial_reduce(transport, 1024); });
  expect_times(result, {34914, 24776, 13138, 13138, 1500, 1500, 1500, 1500});
}

TEST_P(SimGridStar, DisseminationTakesItsKnownTime) {
  const RunResult result = world().run(16, [](Transport& transport) { return dissemination(transport, 1); });
  expect_times(result, std::vector<double>(16, 22000));
}

TEST_P(SimGridStar, PingPongTakesTwoMessages) {
  for (const std::uint64_t bytes : {0, 1, 2, 1000, 1000000000}) {
    const RunResult result = world().run(2, [&](Transport& transport) -> Output {
      if (transport.rank() == 1) transport.recv(0, 0);
      transport.send(1 - transport.rank(), 0, message_of(bytes));
      if (transport.rank() == 0) transport.recv(1, 0);
      return {};
    });
    const double one_way = 1500 + 2500 + 6 * static_cast<double>(bytes > 0 ? bytes - 1 : 0) + 1500;
    expect_times(result, {2 * one_way, one_way + 1500});
  }
}

TEST_P(SimGridStar, FloodOfSmallMessagesIsSpacedByTheOverhead) {
  expect_times(world().run(2, [](Transport& t) { return flood(t, 50, 1); }), {50 * 1500, 51 * 1500 + 2500});
}

TEST_P(SimGridStar, FloodOfSmallMessagesIsSpacedByTheGap) {
  const Machine machine = machine_of(2500 * kNano, 100 * kNano, 1000 * kNano, 6 * kNano);
  expect_times(world(machine).run(2, [](Transport& t) { return flood(t, 50, 1); }),
               {50 * 100, 100 + 49 * 1000 + 2500 + 100});
}

TEST_P(SimGridStar, FloodOfLargeMessagesIsSpacedByTheBytes) {
  expect_times(world().run(2, [](Transport& t) { return flood(t, 50, 1024); }),
               {50 * 1500, 1500 + 50 * 6138 + 2500 + 1500});
}

TEST_P(SimGridStar, ScatterReachesEveryRankAfterItsTurn) {
  const RunResult result = world().run(5, [](Transport& transport) -> Output {
    for (Rank to = 1; transport.rank() == 0 && to < transport.size(); ++to)
      transport.send(to, 0, message_of(1024));
    if (transport.rank() > 0) transport.recv(0, 0);
    return {};
  });
  const double first = 1500 + 2500 + 6138 + 1500;
  expect_times(result, {4 * 1500, first, first + 6138, first + 2 * 6138, first + 3 * 6138});
}

TEST_P(SimGridStar, RendezvousAddsARoundTripAndWaitsForTheReceiver) {
  Machine machine = reference_machine();
  machine.network.S = 100;
  const auto late_receiver = [&](std::uint64_t bytes, std::uint64_t work) {
    return world(machine).run(2, [=](Transport& transport) -> Output {
      if (transport.rank() == 1) transport.compute(Work::of(WorkKind::merge, work));
      transport.rank() == 0 ? transport.send(1, 0, message_of(bytes))
                            : static_cast<void>(transport.recv(0, 0));
      return {};
    });
  };
  expect_times(late_receiver(100, 0), {1500, 1500 + 2500 + 99 * 6 + 1500});
  expect_times(late_receiver(101, 0), {1500, 1500 + 3 * 2500 + 600 + 1500});
  expect_times(late_receiver(101, 50000), {1500, 50000 + 2 * 2500 + 600 + 1500});
}

// One step of a random program: `from` sends to `to`, which works and receives.
struct Step {
  Rank from, to;
  Tag tag;
  std::uint64_t bytes, work;
};

Output follow(Transport& transport, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (transport.rank() == step.from) transport.send(step.to, step.tag, message_of(step.bytes));
    if (transport.rank() == step.to) {
      transport.compute(Work::of(WorkKind::merge, step.work));
      transport.recv(step.from, step.tag);
    }
  }
  return {};
}

std::vector<Step> random_steps(Rank ranks) {
  std::vector<Step> steps;
  for (int i = *rc::gen::inRange(0, 40); i > 0; --i) {
    const auto from = *rc::gen::inRange<Rank>(0, ranks);
    const auto to = (from + *rc::gen::inRange<Rank>(1, ranks)) % ranks;
    const auto bytes = *rc::gen::element<std::uint64_t>(0, 1, 2, 50, 500, 100000);
    steps.push_back(
        {from, to, *rc::gen::inRange<Tag>(0, 3), bytes, *rc::gen::element<std::uint64_t>(0, 7, 100000)});
  }
  return steps;
}

// Scaled up to days: doubles there are further apart than SimGrid's precision.
Machine random_machine() {
  const double scale = *rc::gen::element(1.0, 1.0, 1e3, 1e6, 1e9, 1e11);
  Machine machine = machine_of(2500 * kNano * scale, *rc::gen::element(0.0, 1500.3) * kNano * scale,
                               *rc::gen::element(0.0, 1000.0) * kNano * scale, 0.7 * kNano * scale);
  machine.compute[WorkKind::merge] *= scale;
  return machine;
}

void require_equal(World& world, const Machine& machine, Rank ranks, const std::vector<Step>& steps) {
  const Program program = [&](Transport& transport) { return follow(transport, steps); };
  const RunResult expected = LogGPWorld(machine).run(ranks, program), result = world.run(ranks, program);
  for (std::size_t rank = 0; rank < result.size(); ++rank) {
    RC_ASSERT(std::abs(result[rank].finish - expected[rank].finish) <= kExact * expected[rank].finish);
    RC_ASSERT(result[rank].counters == expected[rank].counters);
  }
}

RC_GTEST_PROP(SimGridWorld, EqualsTheLogGPEngineOnAnUnsharedStar, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(2, 8);
  Machine machine = random_machine();
  machine.network.S = *rc::gen::element<std::uint64_t>(0, 100);
  SimGridWorld world(machine, star(Sharing::unshared));
  require_equal(world, machine, ranks, random_steps(ranks));
}

// Between two ranks nothing is shared, as links are full-duplex and interfaces space their messages.
RC_GTEST_PROP(SimGridWorld, FlowsOnASharedStarEqualTheLogGPEngineBetweenTwoRanks, ()) {
  const Machine machine = random_machine();
  SimGridWorld world(machine, star(Sharing::shared));
  require_equal(world, machine, 2, random_steps(2));
}

TEST(SimGridWorld, LongRunsStayExact) {
  const Program program = [](Transport& transport) -> Output {
    for (int i = 0; i < 2000; ++i) dissemination(transport, static_cast<std::uint64_t>(1 + i % 7 * 1000));
    return {};
  };
  const RunResult expected = LogGPWorld(reference_machine()).run(6, program);
  for (const Sharing sharing : {Sharing::shared, Sharing::unshared}) {
    const RunResult result = SimGridWorld(reference_machine(), star(sharing)).run(6, program);
    for (std::size_t rank = 0; rank < result.size(); ++rank)
      EXPECT_NEAR(result[rank].finish, expected[rank].finish, kExact * expected[rank].finish);
  }
}

// Far events whose dates are not the sum of the date before them and a distance.
TEST(SimGridWorld, NoEventIsLostWhenTimeJumps) {
  SimGridWorld world(machine_of(14.9, 0, 0, 1e-9), star(Sharing::shared));
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::uint64_t first = 370000001 + 1001 * i, second = 4000000000 + 47000001 * i;  // ns
    const RunResult result = world.run(4, [&](Transport& transport) {
      if (transport.rank() == 0) transport.compute(Work::of(WorkKind::merge, first));
      if (transport.rank() == 2) transport.compute(Work::of(WorkKind::merge, second));
      if (transport.rank() % 2 == 0) transport.send(transport.rank() + 1, 0, message_of(2));
      return transport.rank() % 2 == 1 ? transport.recv(transport.rank() - 1, 0).flatten() : Output{};
    });
    const auto first_ns = static_cast<double>(first), second_ns = static_cast<double>(second);
    expect_times(result, {first_ns, first_ns + 14.9e9 + 1, second_ns, second_ns + 14.9e9 + 1});
  }
}

TEST(SimGridWorld, NoWindowLimitsLongFatPipes) {
  const RunResult result =
      SimGridWorld(machine_of(0.1, 0, 0, 1 * kNano), star(Sharing::shared)).run(2, [](Transport& t) {
        return flood(t, 1, 100000001);
      });
  expect_times(result, {0, 0.2e9});
}

TEST(SimGridWorld, IncastTakesAsLongAsTheSharedLinkNeeds) {
  const double bytes = 999999 * 6;  // ns of one message
  for (const Rank senders : {1, 2, 3, 4, 8, 100}) {
    const auto time_of = [&](Sharing sharing) {
      return finish_time(
          SimGridWorld(reference_machine(), star(sharing)).run(senders + 1, [](Transport& transport) {
            return incast(transport, 1000000);
          }));
    };
    const double shared = (1500 + 2500 + senders * bytes + senders * 1500.0) * kNano;
    EXPECT_NEAR(time_of(Sharing::shared), shared, kExact * shared) << senders;
    const double unshared = (1500 + 2500 + bytes + senders * 1500.0) * kNano;
    EXPECT_NEAR(time_of(Sharing::unshared), unshared, kExact * unshared) << senders;
  }
}

TEST(SimGridWorld, SharedLinksAreFullDuplex) {
  const RunResult result =
      SimGridWorld(reference_machine(), star(Sharing::shared)).run(2, [](Transport& transport) {
        return transport.exchange(1 - transport.rank(), 0, message_of(100001)).flatten();
      });
  expect_times(result, {5500 + 600000, 5500 + 600000});
}

TEST(SimGridWorld, HalfTheBandwidthTakesTwiceAsLong) {
  const auto time_of = [](double bandwidth) {
    return finish_time(SimGridWorld(reference_machine(), {"star", StarSpec{{bandwidth, {}}, Sharing::shared}})
                           .run(2, [](Transport& transport) { return flood(transport, 1, 10000000); }));
  };
  EXPECT_NEAR(time_of(5e7) / time_of(1e8), 2, 0.1);
}

TEST(SimGridWorld, DisseminationNeverGetsFasterWithMoreRanks) {
  for (const Sharing sharing : {Sharing::shared, Sharing::unshared}) {
    Seconds last = 0;
    for (const Rank ranks : {8, 10, 11, 16, 64}) {
      const Seconds time =
          finish_time(SimGridWorld(reference_machine(), star(sharing)).run(ranks, [](Transport& t) {
            return dissemination(t, 4096);
          }));
      EXPECT_GT(time, 0);
      EXPECT_GE(time, last) << ranks;
      last = time;
    }
  }
}

TEST(SimGridWorld, LinearAllToAllIsNoCliff) {
  const Rank ranks = 64;
  const RunResult result =
      SimGridWorld(reference_machine(), star(Sharing::shared)).run(ranks, [](Transport& t) -> Output {
        for (Rank i = 1; i < t.size(); ++i) t.send((t.rank() + i) % t.size(), 0, message_of(1024));
        for (Rank i = 1; i < t.size(); ++i) t.recv((t.rank() + t.size() - i) % t.size(), 0);
        return {};
      });
  EXPECT_NEAR(finish_time(result), (1500 + 63 * 6138 + 2500 + 1500) * kNano, 1e-6 * finish_time(result));
}

TEST(SimGridWorld, MessagesOfOneChannelStayInOrder) {
  const RunResult result =
      SimGridWorld(reference_machine(), star(Sharing::shared)).run(3, [](Transport& t) -> Output {
        Output received;
        for (int i = 0; i < 30; ++i) {
          if (t.rank() > 0)
            t.send(0, 1, Message(std::vector{static_cast<std::byte>(i)}, i % 2 == 0 ? 50000 : 1));
          if (t.rank() == 0) received.push_back(t.recv(1 + i % 2, 1).flatten().at(0));
        }
        for (int i = 0; t.rank() == 0 && i < 30; ++i)
          received.push_back(t.recv(2 - i % 2, 1).flatten().at(0));
        return received;
      });
  ASSERT_EQ(result[0].output.size(), 60u);
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(result[0].output[static_cast<std::size_t>(i)], static_cast<std::byte>(i / 2));
}

TEST(SimGridWorld, RunsOfOneProcessAreAlike) {
  SimGridWorld world(reference_machine(), star(Sharing::shared));
  const Program program = [](Transport& transport) { return incast(transport, 10000); };
  const RunResult first = world.run(5, program), second = world.run(5, program);
  for (std::size_t rank = 0; rank < 5; ++rank) EXPECT_EQ(first[rank].finish, second[rank].finish);
}

TEST(SimGridWorld, OneRankIsAWorld) {
  const RunResult result = unshared_star().run(1, [](Transport& transport) {
    transport.compute(Work::of(WorkKind::merge, 1000));
    return Output(3, std::byte{7});
  });
  expect_times(result, {1000});
  EXPECT_EQ(result[0].output, Output(3, std::byte{7}));
  EXPECT_EQ(result[0].counters.work, Work::of(WorkKind::merge, 1000));
}

TEST_P(SimGridStar, ANetworkThatCostsNothingTakesNoTime) {
  const RunResult result = world(machine_of(0, 0, 0, 0)).run(4, [](Transport& transport) {
    return dissemination(transport, 1000000);
  });
  EXPECT_NEAR(finish_time(result), 0, 1e-15);
}

TEST(SimGridWorld, RefusesRanksThatDoNotFit) {
  const Program nothing = [](Transport&) { return Output{}; };
  EXPECT_THROW(unshared_star().run(0, nothing), std::invalid_argument);
  SimGridWorld torus(reference_machine(), {"torus", TorusSpec{{2, 3}, {}, {}}});
  EXPECT_THAT([&] { torus.run(7, nothing); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("'torus' has 6 hosts for 7 ranks")));
  EXPECT_EQ(torus.run(6, nothing).size(), 6u);
}

TEST(SimGridWorld, RefusesWhatIsNotValid) {
  EXPECT_THROW(SimGridWorld(machine_of(-1, 0, 0, 0), star(Sharing::shared)), std::invalid_argument);
  EXPECT_THROW(SimGridWorld(reference_machine(), {"torus", TorusSpec{}}), std::invalid_argument);
}

TEST(SimGridWorld, ADeadlockNamesEveryWaitingRank) {
  EXPECT_THAT(
      [] {
        unshared_star().run(3, [](Transport& t) {
          if (t.rank() == 0) t.send(2, 1, message_of(5000));
          return t.rank() == 2 ? t.recv(0, 1).flatten() : t.recv(1 - t.rank(), 3 + t.rank()).flatten();
        });
      },
      ThrowsMessage<DeadlockError>(
          "deadlock: rank 0 waits for rank 1 (tag 3); rank 1 waits for rank 0 (tag 4)"));
}

TEST(SimGridWorld, ALongDeadlockIsCut) {
  EXPECT_THAT(
      [] { unshared_star().run(12, [](Transport& t) { return t.recv((t.rank() + 1) % 12, 0).flatten(); }); },
      ThrowsMessage<DeadlockError>(
          AllOf(HasSubstr("rank 7 waits for rank 8 (tag 0)"), HasSubstr("; and 4 more"))));
}

TEST(SimGridWorld, UnreceivedMessagesAreCounted) {
  for (const std::uint64_t threshold : {0, 10}) {
    Machine machine = reference_machine();
    machine.network.S = threshold;
    EXPECT_THAT(
        [&] {
          unshared_star(machine).run(2, [](Transport& t) {
            for (int i = 0; t.rank() == 0 && i < 2; ++i) t.send(1, 3, message_of(1000));
            return Output{};
          });
        },
        ThrowsMessage<UnreceivedError>("unreceived: 2 messages from rank 0 to rank 1 (tag 3)"));
  }
}

TEST(SimGridWorld, TheLowestFailedRankIsReportedAfterTheOthersEnd) {
  EXPECT_THAT(
      [] {
        unshared_star().run(4, [](Transport& t) {
          if (t.rank() == 3) throw std::runtime_error("early");
          if (t.rank() == 1) t.compute(Work::of(WorkKind::merge, 1000000));
          if (t.rank() == 1) throw 5;
          return t.rank() == 0 ? t.recv(3, 0).flatten() : Output{};
        });
      },
      ThrowsMessage<RankError>("rank 1: unknown exception"));
}

TEST(SimGridWorld, SendToItselfFailsTheRank) {
  EXPECT_THAT([] { unshared_star().run(2, [](Transport& t) { return t.send(t.rank(), 0, {}), Output{}; }); },
              ThrowsMessage<RankError>(AllOf(StartsWith("rank 0: "), HasSubstr("names the rank itself"))));
}

TEST(SimGridWorld, ACrashIsReported) {
  EXPECT_THAT([] { unshared_star().run(2, [](Transport&) { return ::raise(SIGKILL), Output{}; }); },
              ThrowsMessage<std::runtime_error>(HasSubstr("killed by signal 9")));
  EXPECT_THAT([] { unshared_star().run(2, [](Transport&) -> Output { ::_exit(3); }); },
              ThrowsMessage<std::runtime_error>(HasSubstr("exit code 3")));
  EXPECT_THAT([] { unshared_star().run(2, [](Transport&) -> Output { ::_exit(0); }); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cut short")));
}

TEST(SimGridWorld, LargeOutputsComeBackWhole) {
  const RunResult result = unshared_star().run(3, [](Transport& t) {
    return Output(1000000 + static_cast<std::size_t>(t.rank()), static_cast<std::byte>(t.rank()));
  });
  for (std::size_t rank = 0; rank < 3; ++rank)
    EXPECT_EQ(result[rank].output, Output(1000000 + rank, static_cast<std::byte>(rank)));
}

}  // namespace
}  // namespace sparsewire
