// What every world promises, as one suite for all of them: see algorithms/transport/{transport,world}.hpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "algorithms/transport/group.hpp"
#include "tests/support/worlds.hpp"

namespace sparsewire::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<std::byte> bytes_of(std::size_t size, int seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i * 7 + static_cast<std::size_t>(seed)) & 0xff);
  return bytes;
}

template <class T>
Output output_of(const T& value) {
  Output output(sizeof value);
  std::memcpy(output.data(), &value, sizeof value);
  return output;
}

class Contract : public ::testing::TestWithParam<WorldUnderTest> {
 protected:
  std::unique_ptr<World> world_ = GetParam().make();
  bool holds(Rank ranks) const { return ranks <= GetParam().most_ranks; }
};

#define REQUIRE_RANKS(n) \
  if (!holds(n)) GTEST_SKIP() << "needs " << (n) << " ranks, the world has " << GetParam().most_ranks

TEST_P(Contract, RanksKnowThemselvesAndResultsComeByRank) {
  for (const Rank ranks : {1, 2, 3, 8}) {
    if (!holds(ranks)) continue;
    const RunResult result = world_->run(ranks, [&](Transport& transport) {
      return output_of(std::pair(transport.rank(), transport.size()));
    });
    ASSERT_EQ(result.size(), static_cast<std::size_t>(ranks));
    for (Rank rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(result[static_cast<std::size_t>(rank)].output, output_of(std::pair(rank, ranks)));
  }
}

TEST_P(Contract, MessagesOfOneChannelArriveInOrder) {
  REQUIRE_RANKS(2);
  const RunResult result = world_->run(2, [](Transport& transport) -> Output {
    Output received;
    for (int i = 0; i < 20; ++i) {
      if (transport.rank() == 0)
        transport.send(1, 5, Message(bytes_of(static_cast<std::size_t>(1 + i % 3 * 200), i)));
      if (transport.rank() == 1) received.push_back(transport.recv(0, 5).flatten().front());
    }
    return received;
  });
  ASSERT_EQ(result[1].output.size(), 20u);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(result[1].output[static_cast<std::size_t>(i)], bytes_of(1, i)[0]) << i;
}

TEST_P(Contract, ReceivesChooseBySenderAndTag) {
  REQUIRE_RANKS(3);
  const RunResult result = world_->run(3, [](Transport& transport) -> Output {
    if (transport.rank() != 0) {
      for (const Tag tag : {1, 2}) transport.send(0, tag, Message(bytes_of(1, transport.rank() * 10 + tag)));
      return {};
    }
    Output received;
    for (const Tag tag : {2, 1})
      for (const Rank from : {2, 1}) received.push_back(transport.recv(from, tag).flatten().front());
    return received;
  });
  const Output expected = {bytes_of(1, 22)[0], bytes_of(1, 12)[0], bytes_of(1, 21)[0], bytes_of(1, 11)[0]};
  EXPECT_EQ(result[0].output, expected);
}

TEST_P(Contract, CarriesAnySize) {
  REQUIRE_RANKS(2);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{4096}, std::size_t{3000001}}) {
    const RunResult result = world_->run(2, [&](Transport& transport) {
      return transport.exchange(1 - transport.rank(), 0, Message(bytes_of(size, transport.rank()))).flatten();
    });
    EXPECT_EQ(result[0].output, bytes_of(size, 1)) << size;
    EXPECT_EQ(result[1].output, bytes_of(size, 0)) << size;
  }
}

TEST_P(Contract, MessagesOfSeveralChunksArriveWhole) {
  REQUIRE_RANKS(2);
  const RunResult result = world_->run(2, [&](Transport& transport) -> Output {
    if (transport.rank() == 1) return transport.recv(0, 0).flatten();
    Message message(bytes_of(10, 1));
    message.append(Message());
    message.append(Message(bytes_of(5, 2)));
    message.append(message.part(0, 2, 3));
    transport.send(1, 0, std::move(message));
    return {};
  });
  std::vector<std::byte> expected = bytes_of(10, 1);
  const std::vector<std::byte> second = bytes_of(5, 2);
  expected.insert(expected.end(), second.begin(), second.end());
  expected.insert(expected.end(), expected.begin() + 2, expected.begin() + 5);
  EXPECT_EQ(result[1].output, expected);
}

TEST_P(Contract, SendsDoNotWaitForReceivers) {
  REQUIRE_RANKS(2);
  const std::size_t size = 200000;
  const RunResult result = world_->run(2, [&](Transport& transport) {
    const Rank peer = 1 - transport.rank();
    for (int i = 0; i < 4; ++i) transport.send(peer, i, Message(bytes_of(size, i)));
    Output received;
    for (int i = 3; i >= 0; --i) received.push_back(transport.recv(peer, i).flatten()[1]);
    return received;
  });
  const Output expected = {bytes_of(2, 3)[1], bytes_of(2, 2)[1], bytes_of(2, 1)[1], bytes_of(2, 0)[1]};
  EXPECT_EQ(result[0].output, expected);
  EXPECT_EQ(result[1].output, expected);
}

TEST_P(Contract, RefusesPeersAndTagsThatDoNotExist) {
  REQUIRE_RANKS(2);
  const RunResult result = world_->run(2, [](Transport& transport) {
    int refused = 0;
    const auto expect_refusal = [&](auto&& operation) {
      try {
        operation();
      } catch (const std::invalid_argument&) {
        ++refused;
      }
    };
    for (const Rank peer : {transport.rank(), Rank{-1}, Rank{2}}) {
      expect_refusal([&] { transport.send(peer, 0, Message()); });
      expect_refusal([&] { transport.recv(peer, 0); });
    }
    for (const Tag tag : {Tag{-1}, kTagLimit}) {
      expect_refusal([&] { transport.send(1 - transport.rank(), tag, Message()); });
      expect_refusal([&] { transport.recv(1 - transport.rank(), tag); });
    }
    return output_of(refused);
  });
  EXPECT_EQ(result[0].output, output_of(10));
  EXPECT_EQ(result[1].output, output_of(10));
  EXPECT_EQ(result[0].counters, Counters{});
}

TEST_P(Contract, ClocksStartAtZeroAndNeverDecrease) {
  REQUIRE_RANKS(2);
  const RunResult result = world_->run(2, [](Transport& transport) {
    bool monotone = transport.now() >= 0;
    Seconds last = transport.now();
    for (int i = 0; i < 50; ++i) {
      transport.exchange(1 - transport.rank(), 0, Message(bytes_of(static_cast<std::size_t>(i * 50), i)));
      transport.compute(Work::of(WorkKind::merge, 100));
      monotone = monotone && transport.now() >= last;
      last = transport.now();
    }
    return output_of(monotone);
  });
  for (const RankResult& rank : result) {
    EXPECT_EQ(rank.output, output_of(true));
    EXPECT_GT(rank.finish, 0);
  }
  EXPECT_EQ(finish_time(result), std::max(result[0].finish, result[1].finish));
}

TEST_P(Contract, CountsWhatEachRankSends) {
  REQUIRE_RANKS(3);
  const RunResult result = world_->run(3, [](Transport& transport) -> Output {
    if (transport.rank() == 0) {
      transport.send(1, 0, Message(bytes_of(10, 0)));
      transport.send(2, 0, Message(bytes_of(20, 0), 1000));  // stands for 1000 bytes
      transport.compute(Work::of(WorkKind::merge, 7) + Work::of(WorkKind::fill, 3));
    } else {
      transport.recv(0, 0);
    }
    return {};
  });
  EXPECT_EQ(result[0].counters,
            (Counters{2, 1010, Work::of(WorkKind::merge, 7) + Work::of(WorkKind::fill, 3)}));
  EXPECT_EQ(result[1].counters, Counters{});
}

TEST_P(Contract, GroupsRunFlatProgramsOnSubsets) {
  REQUIRE_RANKS(5);
  const RunResult result = world_->run(5, [](Transport& transport) {
    const bool odd = transport.rank() % 2 == 1;
    Group group(transport, odd ? std::vector<Rank>{3, 1} : std::vector<Rank>{0, 2, 4});
    const Rank next = (group.rank() + 1) % group.size(),
               previous = (group.rank() + group.size() - 1) % group.size();
    group.send(next, 0, Message(output_of(transport.rank())));
    Output received = group.recv(previous, 0).flatten();
    const Output self = output_of(std::pair(group.rank(), group.size()));
    received.insert(received.end(), self.begin(), self.end());
    return received;
  });
  const Rank previous[] = {4, 3, 0, 1, 2}, position[] = {0, 1, 1, 0, 2}, size[] = {3, 2, 3, 2, 3};
  for (std::size_t rank = 0; rank < 5; ++rank) {
    Output expected = output_of(previous[rank]);
    const Output self = output_of(std::pair(position[rank], size[rank]));
    expected.insert(expected.end(), self.begin(), self.end());
    EXPECT_EQ(result[rank].output, expected) << rank;
  }
}

TEST_P(Contract, GroupsRefuseMembersThatAreNotRanks) {
  REQUIRE_RANKS(2);
  const RunResult result = world_->run(2, [](Transport& transport) {
    int refused = 0;
    for (const std::vector<Rank>& members :
         {std::vector<Rank>{0, 1, 2}, {0, 1, 1}, {-1, 0, 1}, {1 - transport.rank()}, {}}) {
      try {
        Group group(transport, members);
      } catch (const std::invalid_argument&) {
        ++refused;
      }
    }
    return output_of(refused);
  });
  EXPECT_EQ(result[0].output, output_of(5));
  EXPECT_EQ(result[1].output, output_of(5));
}

TEST_P(Contract, RefusesImpossibleNumbersOfRanks) {
  const Program nothing = [](Transport&) -> Output { return {}; };
  EXPECT_THROW(world_->run(0, nothing), std::invalid_argument);
  EXPECT_THROW(world_->run(-3, nothing), std::invalid_argument);
}

TEST_P(Contract, AnUnreceivedMessageIsAnError) {
  REQUIRE_RANKS(2);
  for (const std::size_t size : {std::size_t{0}, std::size_t{300000}}) {
    try {
      world_->run(2, [&](Transport& transport) -> Output {
        if (transport.rank() == 0) transport.send(1, 9, Message(bytes_of(size, 0)));
        return {};
      });
      ADD_FAILURE() << "no error";
    } catch (const UnreceivedError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("from rank 0"), HasSubstr("to rank 1"), HasSubstr("tag 9")));
    }
  }
}

TEST_P(Contract, OneRunDoesNotDisturbTheNext) {
  REQUIRE_RANKS(2);
  const Program exchange = [](Transport& transport) {
    return transport.exchange(1 - transport.rank(), 1, Message(bytes_of(100, transport.rank()))).flatten();
  };
  const RunResult first = world_->run(2, exchange), second = world_->run(2, exchange);
  EXPECT_EQ(first[0].output, second[0].output);
  EXPECT_EQ(first[1].counters, second[1].counters);
}

TEST_P(Contract, ARanksExceptionReachesTheCaller) {
  if (GetParam().failures_are_fatal) GTEST_SKIP() << "ends the whole job in this world: tests/mpi has it";
  try {
    world_->run(3, [](Transport& transport) -> Output {
      if (transport.rank() == 2) throw std::runtime_error("the disk is on fire");
      if (transport.rank() == 1) throw std::runtime_error("so am I");
      transport.recv(2, 0);
      return {};
    });
    ADD_FAILURE() << "no error";
  } catch (const RankError& error) {
    EXPECT_EQ(error.rank, 1);
    EXPECT_STREQ(error.what(), "rank 1: so am I");
  }
}

TEST_P(Contract, ADeadlockNamesWhoWaitsForWhom) {
  if (GetParam().failures_are_fatal) GTEST_SKIP() << "needs the timeout in this world: tests/mpi has it";
  try {
    world_->run(3, [](Transport& transport) -> Output {
      if (transport.rank() == 2) return {};
      transport.recv(transport.rank() + 1, 4 + transport.rank());
      return {};
    });
    ADD_FAILURE() << "no error";
  } catch (const DeadlockError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 0 waits for rank 1 (tag 4)"),
                                    HasSubstr("rank 1 waits for rank 2 (tag 5)")));
  }
}

// sst-macro#628: a loop that polls while the clock stands still never ends.
TEST_P(Contract, D50ALoopOfLooksEndsAndFindsWhatHasArrived) {
  REQUIRE_RANKS(2);
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{3000001}}) {
    const RunResult result = world_->run(2, [&](Transport& transport) -> Output {
      if (transport.rank() == 0) {
        transport.send(1, 3, Message(bytes_of(size, 1)));
        transport.send(1, 3, Message(bytes_of(size + 1, 2)));
        transport.recv(1, 0);
        return {};
      }
      const Source sources[] = {{0, 4}, {0, 3}};
      Output received;
      for (int i = 0; i < 2; ++i) {
        std::optional<std::size_t> found;
        while (!(found = transport.arrived(sources))) continue;
        if (found != 1u || transport.arrived(sources) != found) return {};
        const Output bytes = transport.recv(0, 3).flatten();
        received.insert(received.end(), bytes.begin(), bytes.end());
      }
      if (transport.arrived(sources)) return {};
      transport.send(0, 0, Message());
      return received;
    });
    Output expected = bytes_of(size, 1);
    const Output second = bytes_of(size + 1, 2);
    expected.insert(expected.end(), second.begin(), second.end());
    EXPECT_EQ(result[1].output, expected) << size;
  }
}

TEST_P(Contract, AWaitForAnyEndsWithTheOneThatCanCome) {
  REQUIRE_RANKS(3);
  // rank 2 sends when rank 0 has what rank 1 sent, and the second of rank 1 comes last
  const RunResult result = world_->run(3, [](Transport& transport) -> Output {
    const Rank rank = transport.rank();
    if (rank != 0) {
      if (rank == 2) transport.recv(0, 0);
      transport.send(0, 1, Message(bytes_of(2000, rank)));
      if (rank == 1) {
        transport.recv(0, 0);
        transport.send(0, 1, Message(bytes_of(1, 9)));
      }
      return {};
    }
    const Source sources[] = {{2, 1}, {1, 1}};
    Output received;
    for (const Rank next : {2, 1, 0}) {
      const std::size_t found = transport.wait_any(sources);
      received.push_back(transport.recv(sources[found].from, sources[found].tag).flatten()[0]);
      if (next != 0) transport.send(next, 0, Message());
    }
    return received;
  });
  EXPECT_EQ(result[0].output, (Output{bytes_of(1, 1)[0], bytes_of(1, 2)[0], bytes_of(1, 9)[0]}));
}

TEST_P(Contract, LooksAndWaitsOnAGroupNameItsMembers) {
  REQUIRE_RANKS(3);
  const RunResult result = world_->run(3, [](Transport& transport) -> Output {
    if (transport.rank() == 1) return {};
    Group group(transport, {2, 0});
    const Source peer{1 - group.rank(), 5};
    group.send(peer.from, 5, Message(bytes_of(1, 10 + transport.rank())));
    group.wait_any({&peer, 1});
    if (!group.arrived({&peer, 1})) return {};
    return group.recv(peer.from, 5).flatten();
  });
  EXPECT_EQ(result[0].output, bytes_of(1, 12));
  EXPECT_EQ(result[2].output, bytes_of(1, 10));
}

TEST_P(Contract, LooksAndWaitsRefuseSourcesThatDoNotExist) {
  REQUIRE_RANKS(2);
  const RunResult result = world_->run(2, [](Transport& transport) {
    int refused = 0;
    const Rank peer = 1 - transport.rank();
    for (const std::vector<Source>& sources : std::vector<std::vector<Source>>{
             {}, {{peer, 0}, {transport.rank(), 0}}, {{2, 0}}, {{peer, 0}, {peer, kTagLimit}}}) {
      try {
        transport.arrived(sources);
      } catch (const std::invalid_argument&) {
        ++refused;
      }
      try {
        transport.wait_any(sources);
      } catch (const std::invalid_argument&) {
        ++refused;
      }
    }
    return output_of(refused);
  });
  EXPECT_EQ(result[0].output, output_of(8));
  EXPECT_EQ(result[1].output, output_of(8));
}

TEST_P(Contract, AMessageThatWasLookedAtButNotReceivedIsAnError) {
  REQUIRE_RANKS(2);
  for (const std::size_t size : {std::size_t{0}, std::size_t{300000}}) {
    try {
      world_->run(2, [&](Transport& transport) -> Output {
        const Source source{0, 9};
        if (transport.rank() == 0) transport.send(1, 9, Message(bytes_of(size, 0)));
        if (transport.rank() == 1) transport.wait_any({&source, 1});
        return {};
      });
      ADD_FAILURE() << "no error";
    } catch (const UnreceivedError& error) {
      EXPECT_THAT(error.what(), HasSubstr("1 message from rank 0 to rank 1 (tag 9)"));
    }
  }
}

TEST_P(Contract, ADeadlockOfWaitsForAnyAndOfLooksNamesThem) {
  if (GetParam().failures_are_fatal) GTEST_SKIP() << "needs the timeout in this world: tests/mpi has it";
  try {
    world_->run(4, [](Transport& transport) -> Output {
      const Source sources[] = {{3, 4}, {transport.rank() == 0 ? 1 : 0, 5}};
      if (transport.rank() == 0) transport.wait_any(sources);
      if (transport.rank() == 1) transport.recv(0, 6);
      while (transport.rank() == 2 && !transport.arrived(sources))
        transport.compute(Work::of(WorkKind::merge, 10));
      return {};
    });
    ADD_FAILURE() << "no error";
  } catch (const DeadlockError& error) {
    EXPECT_STREQ(error.what(),
                 "deadlock: rank 0 waits for rank 3 (tag 4) or rank 1 (tag 5); rank 1 waits for rank 0 (tag "
                 "6); rank 2 looks in vain for rank 3 (tag 4) or rank 0 (tag 5)");
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, Contract, ::testing::ValuesIn(worlds()),
                         [](const auto& world) { return test_name(world.param.name); });

}  // namespace
}  // namespace sparsewire::test
