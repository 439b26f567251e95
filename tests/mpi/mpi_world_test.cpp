#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <tuple>

#include "algorithms/transport/group.hpp"
#include "tests/mpi/mpi_main.hpp"

namespace sparsewire {
namespace {

using testing::HasSubstr;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Message message_of(std::uint64_t number) {
  return Message(bytes_of(std::vector<std::uint64_t>{number}));
}
std::uint64_t number_in(const Message& message) {
  return values_of<std::uint64_t>(message.flatten()).at(0);
}

// `size` bytes that depend on the seed and their position.
std::vector<std::byte> pattern(std::size_t size, std::uint32_t seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 2654435761U + seed) >> 7);
  return bytes;
}

Output nothing(Transport&) {
  return {};
}

class MpiWorldTest : public testing::Test {
 protected:
  Rank size() const { return test_session().size(); }

  MpiWorld world_{test_session()};
};

// Tests that need a peer.
class MpiPairTest : public MpiWorldTest {
 protected:
  void SetUp() override {
    if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  }
};

TEST_F(MpiWorldTest, RanksKnowWhoTheyAre) {
  const RunResult result = world_.run(size(), [&](Transport& transport) {
    EXPECT_EQ(transport.rank(), test_session().rank());
    EXPECT_EQ(transport.size(), size());
    return bytes_of(std::vector<Rank>{transport.rank(), transport.size()});
  });
  ASSERT_EQ(result.size(), static_cast<std::size_t>(size()));
  for (Rank rank = 0; rank < size(); ++rank)
    EXPECT_EQ(values_of<Rank>(result[static_cast<std::size_t>(rank)].output),
              (std::vector<Rank>{rank, size()}));
}

TEST_F(MpiWorldTest, FewerRanksThanProcesses) {
  for (Rank ranks = 1; ranks <= size(); ++ranks) {
    for (int again = 0; again < 2; ++again) {
      bool ran = false;
      const RunResult result = world_.run(ranks, [&](Transport& transport) -> Output {
        ran = true;
        EXPECT_EQ(transport.size(), ranks);
        if (ranks == 1) return bytes_of(std::vector<std::uint64_t>{0});
        const Rank next = (transport.rank() + 1) % ranks;
        const Rank previous = (transport.rank() + ranks - 1) % ranks;
        transport.send(next, 0, message_of(static_cast<std::uint64_t>(transport.rank())));
        return transport.recv(previous, 0).flatten();
      });
      EXPECT_EQ(ran, test_session().rank() < ranks);
      ASSERT_EQ(result.size(), static_cast<std::size_t>(ranks));
      for (Rank rank = 0; rank < ranks; ++rank)
        EXPECT_EQ(values_of<std::uint64_t>(result[static_cast<std::size_t>(rank)].output),
                  std::vector<std::uint64_t>{static_cast<std::uint64_t>((rank + ranks - 1) % ranks)});
    }
  }
}

TEST_F(MpiWorldTest, NumberOfRanksIsChecked) {
  bool ran = false;
  const Program program = [&](Transport&) -> Output {
    ran = true;
    return {};
  };
  for (const Rank ranks : {-1, 0, size() + 1})
    EXPECT_THROW(world_.run(ranks, program), std::invalid_argument) << ranks;
  EXPECT_FALSE(ran);
}

TEST_F(MpiWorldTest, NegativeTimeoutIsRefused) {
  EXPECT_THROW(MpiWorld(test_session(), {.timeout = -1}), std::invalid_argument);
  EXPECT_THROW(MpiWorld(test_session(), {.timeout = std::nan("")}), std::invalid_argument);
}

TEST_F(MpiWorldTest, SecondSessionIsRefused) {
  EXPECT_THROW(MpiSession(nullptr, nullptr), std::logic_error);
  EXPECT_THAT(MpiSession::library_version(), HasSubstr("MPI"));
  EXPECT_EQ(MpiSession::library_version().find('\n'), std::string::npos);
}

TEST_F(MpiWorldTest, RunInsideOfAProgramIsRefused) {
  world_.run(size(), [&](Transport&) -> Output {
    EXPECT_THROW(world_.run(1, nothing), std::logic_error);
    return {};
  });
}

TEST_F(MpiWorldTest, TwoWorldsDoNotMixTheirMessages) {
  MpiWorld other(test_session());
  for (MpiWorld* world : {&world_, &other, &world_}) {
    const RunResult result = world->run(size(), [&](Transport& transport) -> Output {
      for (Rank to = 0; to < transport.size(); ++to)
        if (to != transport.rank()) transport.send(to, 1, message_of(7));
      std::uint64_t sum = 0;
      for (Rank from = 0; from < transport.size(); ++from)
        if (from != transport.rank()) sum += number_in(transport.recv(from, 1));
      return bytes_of(std::vector<std::uint64_t>{sum});
    });
    for (const RankResult& rank : result)
      EXPECT_EQ(values_of<std::uint64_t>(rank.output).at(0), 7U * static_cast<std::uint64_t>(size() - 1));
  }
}

// Every rank sees the results of all ranks: each hands the finish times it saw to a second run.
TEST_F(MpiWorldTest, ResultsAreTheSameOnAllProcesses) {
  for (Rank ranks = 1; ranks <= size(); ++ranks) {
    const RunResult first = world_.run(ranks, [](Transport& transport) {
      transport.compute(Work::of(WorkKind::merge, static_cast<std::uint64_t>(transport.rank())));
      return pattern(static_cast<std::size_t>(transport.rank()) * 1000, 3);
    });
    std::vector<std::byte> seen;
    for (const RankResult& rank : first) {
      for (const std::vector<std::byte>& part : {bytes_of(std::vector<Seconds>{rank.finish}),
                                                 bytes_of(std::vector<Counters>{rank.counters}), rank.output})
        seen.insert(seen.end(), part.begin(), part.end());
    }
    const RunResult second = world_.run(size(), [&](Transport&) { return seen; });
    for (const RankResult& rank : second) EXPECT_EQ(rank.output, seen);
  }
}

TEST_F(MpiWorldTest, ClockStartsAtZeroAndNeverDecreases) {
  using namespace std::chrono_literals;
  const RunResult result = world_.run(size(), [](Transport& transport) -> Output {
    const Seconds first = transport.now();
    EXPECT_GE(first, 0);
    Seconds last = first;
    for (int i = 0; i < 10000; ++i) {
      const Seconds next = transport.now();
      EXPECT_GE(next, last);
      last = next;
    }
    std::this_thread::sleep_for(20ms);
    EXPECT_GE(transport.now(), last + 0.019);
    return bytes_of(std::vector<Seconds>{transport.now()});
  });
  for (const RankResult& rank : result) {
    const Seconds last = values_of<Seconds>(rank.output).at(0);
    EXPECT_GE(rank.finish, last);
    EXPECT_LT(rank.finish, 10) << "a clock that starts with the run";
  }
  EXPECT_GE(finish_time(result), 0.02);
}

TEST_F(MpiWorldTest, WrongPeersAndTagsThrowBeforeAnythingIsSent) {
  const RunResult result = world_.run(size(), [](Transport& transport) -> Output {
    const Rank other = transport.rank() == 0 ? transport.size() - 1 : 0;
    for (const Rank peer : {transport.rank(), -1, transport.size(), std::numeric_limits<Rank>::max()}) {
      EXPECT_THROW(transport.send(peer, 0, message_of(1)), std::invalid_argument) << peer;
      EXPECT_THROW(transport.recv(peer, 0), std::invalid_argument) << peer;
      EXPECT_THROW(transport.exchange(peer, 0, message_of(1)), std::invalid_argument) << peer;
    }
    for (const Tag tag : {-1, kTagLimit, std::numeric_limits<Tag>::max()}) {
      EXPECT_THROW(transport.send(other, tag, message_of(1)), std::invalid_argument) << tag;
      EXPECT_THROW(transport.recv(other, tag), std::invalid_argument) << tag;
    }
    return {};
  });
  for (const RankResult& rank : result) EXPECT_EQ(rank.counters, Counters{});
}

TEST_F(MpiWorldTest, EmptyMessagesHaveNoBuffer) {
  world_.run(size(), [](Transport& transport) -> Output {
    for (Rank to = 0; to < transport.size(); ++to) {
      if (to == transport.rank()) continue;
      std::vector<std::byte> empty;
      EXPECT_EQ(empty.data(), nullptr);
      transport.send(to, 0, Message(std::move(empty)));
    }
    for (Rank from = 0; from < transport.size(); ++from) {
      if (from == transport.rank()) continue;
      const Message message = transport.recv(from, 0);
      EXPECT_EQ(message.size(), 0U);
      EXPECT_EQ(message.chunk_count(), 0U);
    }
    return {};
  });
}

TEST_F(MpiPairTest, SizesFromNothingToBeyondEager) {
  const std::vector<std::size_t> sizes = {0,    1,    2,     7,      8,       4095,
                                          4096, 4097, 65536, 100000, 1 << 20, (1 << 22) + 3};
  const RunResult result = world_.run(2, [&](Transport& transport) -> Output {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Message got =
          transport.exchange(1 - transport.rank(), 5,
                             Message(pattern(sizes[i], static_cast<std::uint32_t>(i) +
                                                           static_cast<std::uint32_t>(transport.rank()))));
      EXPECT_EQ(got.wire_size(), sizes[i]);
      EXPECT_TRUE(got.flatten() == pattern(sizes[i], static_cast<std::uint32_t>(i) + 1 -
                                                         static_cast<std::uint32_t>(transport.rank())))
          << sizes[i];
    }
    return {};
  });
  EXPECT_EQ(result[0].counters.messages, sizes.size());
}

TEST_F(MpiPairTest, AHundredMegabytes) {
  if (size() != 2) GTEST_SKIP() << "once, with 2 ranks";
  const std::size_t large = 100'000'000;
  world_.run(2, [&](Transport& transport) -> Output {
    if (transport.rank() == 0)
      transport.send(1, 0, Message(pattern(large, 1)));
    else
      EXPECT_TRUE(transport.recv(0, 0).flatten() == pattern(large, 1));
    return {};
  });
}

TEST_F(MpiPairTest, SameChannelArrivesInOrder) {
  world_.run(2, [](Transport& transport) -> Output {
    const std::uint64_t count = 5000;
    if (transport.rank() == 0)
      for (std::uint64_t i = 0; i < count; ++i) {
        // Large ones amid small ones: the order holds between protocols as well.
        std::vector<std::uint64_t> numbers(i % 100 == 0 ? 20000 : 1, i);
        transport.send(1, 9, Message(bytes_of(numbers)));
      }
    else
      for (std::uint64_t i = 0; i < count; ++i) EXPECT_EQ(number_in(transport.recv(0, 9)), i);
    return {};
  });
}

TEST_F(MpiPairTest, TagsAreChannelsOfTheirOwn) {
  world_.run(2, [](Transport& transport) -> Output {
    const std::vector<Tag> tags = {0, 1, 77, kTagLimit - 1};
    if (transport.rank() == 0)
      for (const Tag tag : tags) transport.send(1, tag, message_of(static_cast<std::uint64_t>(tag)));
    else
      for (auto tag = tags.rbegin(); tag != tags.rend(); ++tag)
        EXPECT_EQ(number_in(transport.recv(0, *tag)), static_cast<std::uint64_t>(*tag));
    return {};
  });
}

// Random traffic that every rank derives from one seed: received channel by channel in another order than
// sent.
TEST_F(MpiPairTest, RandomTrafficArrivesWholeAndInOrder) {
  struct Planned {
    Rank from, to;
    Tag tag;
    std::size_t size;
    std::uint32_t seed;
  };
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    std::vector<Planned> plan;
    for (std::uint32_t i = 0; i < 300; ++i) {
      const Rank from = static_cast<Rank>(random() % static_cast<unsigned>(size()));
      const Rank to = (from + 1 + static_cast<Rank>(random() % static_cast<unsigned>(size() - 1))) % size();
      plan.push_back({from, to, static_cast<Tag>(random() % 3), std::size_t{1} << (random() % 17), i});
    }
    std::vector<Planned> by_channel = plan;
    std::stable_sort(by_channel.begin(), by_channel.end(), [](const Planned& a, const Planned& b) {
      return std::tie(b.tag, a.from) < std::tie(a.tag, b.from);
    });
    world_.run(size(), [&](Transport& transport) -> Output {
      for (const Planned& each : plan)
        if (each.from == transport.rank())
          transport.send(each.to, each.tag, Message(pattern(each.size, each.seed)));
      for (const Planned& each : by_channel) {
        if (each.to != transport.rank()) continue;
        EXPECT_TRUE(transport.recv(each.from, each.tag).flatten() == pattern(each.size, each.seed));
      }
      return {};
    });
  }
}

TEST_F(MpiPairTest, MessageOfSeveralChunksArrivesAsOne) {
  world_.run(2, [](Transport& transport) -> Output {
    for (const std::size_t half : {1, 50, 30000, 50000, 3000000}) {
      if (transport.rank() == 0) {
        const Message source(pattern(2 * half, 4));
        Message parts = source.part(0, half, half);
        parts.append(Message());
        parts.append(source.part(0, 0, half));
        transport.send(1, 0, parts);
      } else {
        std::vector<std::byte> expected = pattern(2 * half, 4);
        std::rotate(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(half), expected.end());
        const Message got = transport.recv(0, 0);
        EXPECT_EQ(got.chunk_count(), 1U);
        EXPECT_TRUE(got.flatten() == expected) << half;
      }
    }
    return {};
  });
}

// The bytes live until they are sent, whatever the sender does with its message.
TEST_F(MpiPairTest, SenderMayDropItsMessage) {
  const std::size_t length = 300000;
  const RunResult result = world_.run(size(), [&](Transport& transport) -> Output {
    if (transport.rank() == 0) {
      for (std::uint32_t i = 0; i < 50; ++i)
        for (Rank to = 1; to < transport.size(); ++to) transport.send(to, 0, Message(pattern(length, i)));
    } else {
      for (std::uint32_t i = 0; i < 50; ++i)
        EXPECT_TRUE(transport.recv(0, 0).flatten() == pattern(length, i)) << i;
    }
    return {};
  });
  EXPECT_EQ(result[0].counters.wire_bytes, 50 * length * static_cast<std::size_t>(size() - 1));
}

TEST_F(MpiPairTest, CountersCountWhatIsCharged) {
  const RunResult result = world_.run(2, [](Transport& transport) -> Output {
    transport.compute(Work::of(WorkKind::dense_add, 11));
    transport.compute(Work::of(WorkKind::dense_add, 4));
    if (transport.rank() == 0) {
      transport.send(1, 0, Message(pattern(10, 0), 1'000'000'000'000));
      transport.send(1, 0, Message(pattern(5, 0)));
    } else {
      EXPECT_EQ(transport.recv(0, 0).size(), 10U);
      EXPECT_EQ(transport.recv(0, 0).size(), 5U);
    }
    return {};
  });
  EXPECT_EQ(result[0].counters.messages, 2U);
  EXPECT_EQ(result[0].counters.wire_bytes, 1'000'000'000'005U);
  EXPECT_EQ(result[1].counters.messages, 0U);
  EXPECT_EQ(result[1].counters.wire_bytes, 0U);
  for (const RankResult& rank : result) EXPECT_EQ(rank.counters.work, Work::of(WorkKind::dense_add, 15));
}

TEST_F(MpiPairTest, GroupsRunSideBySide) {
  const RunResult result = world_.run(size(), [](Transport& transport) {
    std::vector<Rank> members;
    for (Rank rank = transport.rank() % 2; rank < transport.size(); rank += 2) members.push_back(rank);
    Group group(transport, members);
    for (Rank to = 0; to < group.size(); ++to)
      if (to != group.rank()) group.send(to, 0, message_of(static_cast<std::uint64_t>(transport.rank())));
    std::uint64_t sum = static_cast<std::uint64_t>(transport.rank());
    for (Rank from = 0; from < group.size(); ++from)
      if (from != group.rank()) sum += number_in(group.recv(from, 0));
    return bytes_of(std::vector<std::uint64_t>{sum});
  });
  for (Rank rank = 0; rank < size(); ++rank) {
    std::uint64_t expected = 0;
    for (Rank member = rank % 2; member < size(); member += 2) expected += static_cast<std::uint64_t>(member);
    EXPECT_EQ(values_of<std::uint64_t>(result[static_cast<std::size_t>(rank)].output).at(0), expected);
  }
}

std::string unreceived_text(MpiWorld& world, Rank ranks, const Program& program) {
  try {
    world.run(ranks, program);
  } catch (const UnreceivedError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(MpiPairTest, UnreceivedMessageIsReportedOnAllProcesses) {
  for (const std::size_t length : {0, 8, 1 << 20, 1 << 24}) {
    EXPECT_EQ(unreceived_text(world_, 2,
                              [&](Transport& transport) -> Output {
                                if (transport.rank() == 0) transport.send(1, 3, Message(pattern(length, 0)));
                                return {};
                              }),
              "unreceived: 1 message from rank 0 to rank 1 (tag 3)")
        << length;
    EXPECT_NO_THROW(world_.run(2, nothing)) << "the next run starts clean";
  }
}

TEST_F(MpiPairTest, UnreceivedMessagesOfSeveralChannels) {
  const std::string text = unreceived_text(world_, 2, [](Transport& transport) -> Output {
    if (transport.rank() == 0) {
      transport.send(1, 4, message_of(1));
      transport.send(1, 4, Message(pattern(1 << 20, 0)));
      transport.send(1, 2, message_of(2));
      transport.send(1, 0, message_of(3));
    } else {
      transport.send(0, 6, message_of(4));
      EXPECT_EQ(number_in(transport.recv(0, 4)), 1U);
      EXPECT_EQ(number_in(transport.recv(0, 0)), 3U);
    }
    return {};
  });
  EXPECT_EQ(text,
            "unreceived: 1 message from rank 0 to rank 1 (tag 2); 1 message from rank 0 to rank 1 (tag 4); "
            "1 message from rank 1 to rank 0 (tag 6)");
}

TEST_F(MpiPairTest, ManyUnreceivedChannelsAreCutShort) {
  const std::string text = unreceived_text(world_, 2, [](Transport& transport) -> Output {
    if (transport.rank() == 0)
      for (Tag tag = 0; tag < 20; ++tag) transport.send(1, tag, message_of(1));
    return {};
  });
  EXPECT_THAT(text, HasSubstr("(tag 7); and 12 more"));
}

TEST_F(MpiPairTest, ReceiveThatWaitsTooLongNamesWhomItWaitsFor) {
  MpiWorld impatient(test_session(), {.timeout = 0.25});
  impatient.run(2, [](Transport& transport) -> Output {
    if (transport.rank() != 0) return {};
    try {
      transport.recv(1, 3);
      ADD_FAILURE() << "received what nobody sent";
    } catch (const DeadlockError& error) {
      EXPECT_STREQ(error.what(), "rank 0 waited 0.25 s for rank 1 (tag 3)");
    }
    EXPECT_GE(transport.now(), 0.25);
    EXPECT_LT(transport.now(), 10);
    return {};
  });
}

TEST_F(MpiPairTest, WaitForAnyAndLoopOfLooksThatLastTooLongNameWhatTheyWaitFor) {
  MpiWorld impatient(test_session(), {.timeout = 0.25});
  for (const bool looks : {false, true})
    impatient.run(2, [&](Transport& transport) -> Output {
      if (transport.rank() != 0) return {};
      const Source sources[] = {{1, 3}, {1, 4}};
      try {
        while (looks && !transport.arrived(sources)) continue;
        transport.wait_any(sources);
        ADD_FAILURE() << "received what nobody sent";
      } catch (const DeadlockError& error) {
        EXPECT_STREQ(error.what(), "rank 0 waited 0.25 s for rank 1 (tag 3) or rank 1 (tag 4)");
      }
      EXPECT_GE(transport.now(), 0.25);
      EXPECT_LT(transport.now(), 10);
      return {};
    });
}

TEST_F(MpiPairTest, WorkBetweenLooksIsNoWait) {
  MpiWorld impatient(test_session(), {.timeout = 0.1});
  impatient.run(2, [](Transport& transport) -> Output {
    const Source source{1, 3};
    for (int i = 0; transport.rank() == 0 && i < 40; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      EXPECT_FALSE(transport.arrived({&source, 1}));
    }
    return {};
  });
}

TEST_F(MpiPairTest, TimeoutCountsFromEachReceive) {
  MpiWorld impatient(test_session(), {.timeout = 1.0});
  impatient.run(2, [](Transport& transport) -> Output {
    for (int i = 0; i < 12; ++i) {
      if (transport.rank() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        transport.send(1, 0, message_of(1));
      } else {
        transport.recv(0, 0);
      }
    }
    return {};
  });
}

template <class T>
void expect_allreduce_sums(MpiWorld& world, Rank processes) {
  for (Rank ranks = 1; ranks <= processes; ++ranks)
    for (const std::size_t length : {1, 2, 3, 10, 1000, 100003})
      world.run(ranks, [&](Transport& transport) -> Output {
        std::vector<T> values(length), expected(length);
        for (std::size_t i = 0; i < length; ++i) {
          values[i] = static_cast<T>(i % 97) + static_cast<T>(transport.rank());
          expected[i] =
              static_cast<T>(i % 97) * static_cast<T>(ranks) + static_cast<T>(ranks * (ranks - 1) / 2);
        }
        world.allreduce_sum(values);
        EXPECT_EQ(values, expected);
        return {};
      });
}

TEST_F(MpiWorldTest, AllreduceSumsFloats) {
  expect_allreduce_sums<float>(world_, size());
}
TEST_F(MpiWorldTest, AllreduceSumsDoubles) {
  expect_allreduce_sums<double>(world_, size());
}

TEST_F(MpiWorldTest, AllreduceOfNothing) {
  world_.run(size(), [&](Transport&) -> Output {
    world_.allreduce_sum(std::span<float>());
    world_.allreduce_sum(std::span<double>());
    return {};
  });
}

TEST_F(MpiWorldTest, AllreduceIsForPrograms) {
  std::vector<float> values(3);
  EXPECT_THROW(world_.allreduce_sum(values), std::logic_error);
  world_.run(1, nothing);
  EXPECT_THROW(world_.allreduce_sum(values), std::logic_error);
}

}  // namespace
}  // namespace sparsewire
