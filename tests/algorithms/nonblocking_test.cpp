// Non-blocking collectives on every world: the bits of the blocking ones, whatever the ranks do meanwhile.
#include "tests/support/nonblocking.hpp"

#include "algorithms/transport/group.hpp"
#include "tests/support/worlds.hpp"

namespace sparsewire::test {
namespace {

constexpr Rank kFewRankCounts[] = {1, 2, 3, 4, 8, 9, 16};

class NonBlockings : public ::testing::TestWithParam<WorldUnderTest> {
 protected:
  std::unique_ptr<World> world_ = GetParam().make();

  template <class Body>
  void for_each_size(const Body& body) {
    for (const Rank ranks : kFewRankCounts) {
      if (ranks > GetParam().most_ranks) continue;
      SCOPED_TRACE("P=" + std::to_string(ranks));
      body(ranks);
    }
  }
  void expect_equal(Rank ranks, const Program& nonblocking, const Program& blocking) {
    const RunResult expected = world_->run(ranks, blocking), found = world_->run(ranks, nonblocking);
    for (std::size_t rank = 0; rank < expected.size(); ++rank) {
      EXPECT_EQ(found[rank].output, expected[rank].output) << "rank " << rank;
      EXPECT_EQ(found[rank].counters.messages, expected[rank].counters.messages) << "rank " << rank;
      EXPECT_EQ(found[rank].counters.wire_bytes, expected[rank].counters.wire_bytes) << "rank " << rank;
    }
  }
};

// A message around the ring: every rank has the number that the one before brought in.
Rank passed_on(Transport& transport, Rank mine) {
  const Rank ranks = transport.size(), rank = transport.rank();
  if (ranks == 1) return mine;
  std::vector<std::byte> bytes(sizeof mine);
  std::memcpy(bytes.data(), &mine, sizeof mine);
  transport.send((rank + 1) % ranks, 0, Message(std::move(bytes)));
  const std::vector<std::byte> received = transport.recv((rank + ranks - 1) % ranks, 0).flatten();
  std::memcpy(&mine, received.data(), sizeof mine);
  return mine;
}

Output output_of(bool value) {
  return {static_cast<std::byte>(value)};
}

void expect_true_everywhere(const RunResult& result) {
  for (std::size_t rank = 0; rank < result.size(); ++rank)
    EXPECT_EQ(result[rank].output, output_of(true)) << "rank " << rank;
}

TEST_P(NonBlockings, EveryAlgorithmGivesTheBitsOfTheBlockingOne) {
  for_each_size([&](Rank ranks) {
    const std::size_t algorithms = allreduce_variants<Stream<float>>().size();
    for (const Task& task : random_tasks(algorithms, ranks, 8)) {
      SCOPED_TRACE(task.algorithm.name);
      expect_equal(
          ranks,
          [&](Transport& transport) {
            NonBlocking nonblocking(transport);
            Output output;
            append(output, nonblocking.start(task.algorithm, task.input_of(transport.rank())).wait());
            return output;
          },
          one_by_one({task}));
    }
  });
}

TEST_P(NonBlockings, SeveralInFlightDoNotDisturbOneAnother) {
  for_each_size([&](Rank ranks) {
    for (const std::size_t count : {2u, 5u})
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        const std::vector<Task> tasks = random_tasks(count, ranks, seed);
        expect_equal(ranks, all_at_once(tasks, seed), one_by_one(tasks));
      }
  });
}

TEST_P(NonBlockings, RanksWaitInOppositeOrders) {
  for_each_size([&](Rank ranks) {
    const std::vector<Task> tasks = random_tasks(2, ranks, 5);
    expect_equal(
        ranks,
        [&](Transport& transport) {
          NonBlocking nonblocking(transport);
          auto first = nonblocking.start(tasks[0].algorithm, tasks[0].input_of(transport.rank()));
          auto second = nonblocking.start(tasks[1].algorithm, tasks[1].input_of(transport.rank()));
          Output output;
          if (transport.rank() % 2 == 0) append(output, first.wait());
          const Stream<float> last = second.wait();
          if (transport.rank() % 2 == 1) append(output, first.wait());
          append(output, last);
          return output;
        },
        one_by_one(tasks));
  });
}

// A wait for a blocking collective that was started too goes on with the other.
TEST_P(NonBlockings, AWaitGoesOnWithWhatOthersNeed) {
  for_each_size([&](Rank ranks) {
    expect_true_everywhere(world_->run(ranks, [](Transport& transport) {
      const auto pass = [&](Transport& inner) { return passed_on(inner, transport.rank()); };
      NonBlocking nonblocking(transport);
      auto early = nonblocking.start([&](Transport& inner) { return passed_on(inner, pass(inner)); });
      if (transport.rank() % 2 == 1) early.wait();
      const Rank previous = nonblocking.start(pass).wait();
      if (transport.rank() % 2 == 0) early.wait();
      return output_of(previous == (transport.rank() + transport.size() - 1) % transport.size());
    }));
  });
}

TEST_P(NonBlockings, D50LoopsOfTestsEndWithoutAWait) {
  for_each_size([&](Rank ranks) {
    for (const Task& task : random_tasks(2, ranks, 3))
      for (const std::uint64_t work : {0u, 1000u})
        expect_equal(
            ranks,
            [&](Transport& transport) {
              NonBlocking nonblocking(transport);
              auto started = nonblocking.start(task.algorithm, task.input_of(transport.rank()));
              while (!started.test())
                if (work > 0) transport.compute(Work::of(WorkKind::merge, work));
              Output output;
              append(output, started.wait());
              return output;
            },
            one_by_one({task}));
  });
}

TEST_P(NonBlockings, ACollectiveOfAGroupIsStartedByAll) {
  for_each_size([&](Rank ranks) {
    expect_true_everywhere(world_->run(ranks, [](Transport& transport) {
      const Rank size = transport.size(), members = (size + 1) / 2;
      NonBlocking nonblocking(transport);
      auto odd_one_out = nonblocking.start([&](Transport& inner) {
        if (inner.rank() >= members) return Rank{-1};
        std::vector<Rank> lower(static_cast<std::size_t>(members));
        std::iota(lower.begin(), lower.end(), 0);
        Group group(inner, lower);
        return passed_on(group, 100 + group.rank());
      });
      auto all = nonblocking.start([&](Transport& inner) { return passed_on(inner, inner.rank()); });
      const bool is_right = all.wait() == (transport.rank() + size - 1) % size;
      const Rank before = (transport.rank() + members - 1) % members;
      return output_of(is_right && odd_one_out.wait() == (transport.rank() < members ? 100 + before : -1));
    }));
  });
}

TEST_P(NonBlockings, AGroupHasCollectivesInFlightOfItsOwn) {
  for_each_size([&](Rank ranks) {
    expect_true_everywhere(world_->run(ranks, [](Transport& transport) {
      std::vector<Rank> members;
      for (Rank rank = transport.rank() % 2; rank < transport.size(); rank += 2) members.push_back(rank);
      Group group(transport, members);
      NonBlocking nonblocking(group);
      auto first = nonblocking.start([](Transport& inner) { return passed_on(inner, inner.rank()); });
      auto second = nonblocking.start([](Transport& inner) { return passed_on(inner, 50 + inner.rank()); });
      const Rank previous = (group.rank() + group.size() - 1) % group.size();
      if (group.rank() % 2 == 1) return output_of(second.wait() == 50 + previous && first.wait() == previous);
      return output_of(first.wait() == previous && second.wait() == 50 + previous);
    }));
  });
}

// More than there are tags for, one after another, with fast and slow ranks.
TEST_P(NonBlockings, TagsAreUsedAgain) {
  const Rank ranks = std::min(GetParam().most_ranks, 4);
  expect_true_everywhere(world_->run(ranks, [](Transport& transport) {
    const Rank size = transport.size(), previous = (transport.rank() + size - 1) % size;
    NonBlocking nonblocking(transport);
    std::vector<Started<Rank>> window;
    bool is_right = true;
    for (int i = 0; i < 1500; ++i) {
      window.push_back(
          nonblocking.start([&, i](Transport& inner) { return passed_on(inner, 10 * i + inner.rank()); }));
      if (transport.rank() == i % size) transport.compute(Work::of(WorkKind::merge, 10000));
      if (window.size() < 5) continue;
      is_right = is_right && window.front().wait() == 10 * (i - 4) + previous;
      window.erase(window.begin());
    }
    for (Started<Rank>& rest : window) rest.wait();
    return output_of(is_right);
  }));
}

TEST_P(NonBlockings, MoreInFlightThanThereAreTagsForAreRefused) {
  const Rank ranks = std::min(GetParam().most_ranks, 2);
  if (ranks < 2) GTEST_SKIP() << "needs 2 ranks";
  expect_true_everywhere(world_->run(ranks, [](Transport& transport) {
    NonBlocking nonblocking(transport);
    std::vector<Started<Rank>> started;
    const auto pass = [](Transport& inner) { return passed_on(inner, inner.rank()); };
    bool is_refused = false;
    for (std::uint64_t i = 0; i < NonBlocking::kInFlight; ++i) started.push_back(nonblocking.start(pass));
    try {
      started.push_back(nonblocking.start(pass));
    } catch (const std::runtime_error& error) {
      is_refused = std::string(error.what()) ==
                   "rank " + std::to_string(transport.rank()) +
                       " starts collective 511, but collective 0 has not ended well and there are tags for "
                       "511 in flight";
    }
    for (Started<Rank>& each : started) is_refused = is_refused && each.wait() == 1 - transport.rank();
    return output_of(is_refused && nonblocking.start(pass).wait() == 1 - transport.rank());
  }));
}

TEST_P(NonBlockings, WhatACollectiveThrowsComesOutOfItsOwnHandle) {
  for_each_size([&](Rank ranks) {
    expect_true_everywhere(world_->run(ranks, [](Transport& transport) {
      NonBlocking nonblocking(transport);
      auto bad = nonblocking.start([](Transport& inner) -> int {
        passed_on(inner, 0);
        throw std::domain_error("no such thing");
      });
      auto good = nonblocking.start([](Transport& inner) { return passed_on(inner, 7); });
      int caught = 0;
      bool is_right = good.wait() == 7;
      for (const bool waits : {true, false, true}) {
        try {
          if (waits) bad.wait();
          while (!waits && !bad.test()) continue;
        } catch (const std::domain_error& error) {
          if (std::string(error.what()) == "no such thing") ++caught;
        }
      }
      try {
        good.wait();
        is_right = false;
      } catch (const std::logic_error&) {
      }
      return output_of(is_right && caught == 3 && good.test());
    }));
  });
}

TEST_P(NonBlockings, TagsBeyondThoseOfOneCollectiveAreRefused) {
  if (GetParam().most_ranks < 2) GTEST_SKIP() << "needs 2 ranks";
  expect_true_everywhere(world_->run(2, [](Transport& transport) {
    NonBlocking nonblocking(transport);
    try {
      nonblocking
          .start(
              [](Transport& inner) { return inner.recv(1 - inner.rank(), NonBlocking::kTagsOfOne).size(); })
          .wait();
    } catch (const std::invalid_argument&) {
      return output_of(true);
    }
    return output_of(false);
  }));
}

// An algorithm may itself look, and wait for any of several.
TEST_P(NonBlockings, CollectivesLookAndWaitForAnyThemselves) {
  for_each_size([&](Rank ranks) {
    expect_true_everywhere(world_->run(ranks, [](Transport& transport) {
      const auto gather = [](Transport& inner) {
        std::vector<Source> left;
        for (Rank peer = 0; peer < inner.size(); ++peer) {
          if (peer == inner.rank()) continue;
          inner.send(peer, 7, Message(std::vector<std::byte>(static_cast<std::size_t>(inner.rank()))));
          left.push_back({peer, 7});
        }
        std::size_t total = 0;
        while (!left.empty()) {
          const auto seen = left.size() % 2 == 0 ? inner.arrived(left) : std::nullopt;
          const std::size_t next = seen ? *seen : inner.wait_any(left);
          total += inner.recv(left[next].from, 7).size();
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(next));
        }
        return total;
      };
      NonBlocking nonblocking(transport);
      auto first = nonblocking.start(gather), second = nonblocking.start(gather);
      const auto expected =
          static_cast<std::size_t>(transport.size() * (transport.size() - 1) / 2 - transport.rank());
      return output_of(second.wait() == expected && first.wait() == expected);
    }));
  });
}

TEST_P(NonBlockings, ADroppedCollectiveIsUnwoundAndLeavesUnreceivedMessages) {
  if (GetParam().most_ranks < 2) GTEST_SKIP() << "needs 2 ranks";
  EXPECT_THROW(
      world_->run(
          2,
          [](Transport& transport) -> Output {
            NonBlocking nonblocking(transport);
            bool is_unwound = false;
            struct Guard {
              ~Guard() { flag = true; }
              bool& flag;
            };
            {
              auto dropped = nonblocking.start([&](Transport& inner) {
                const Guard guard{is_unwound};
                return passed_on(inner, 0);
              });
            }
            if (!is_unwound) throw std::logic_error("not unwound");
            const Rank previous = 1 - transport.rank();
            if (nonblocking.start([](Transport& inner) { return passed_on(inner, inner.rank()); }).wait() !=
                previous)
              throw std::logic_error("disturbed");
            return {};
          }),
      UnreceivedError);
}

TEST_P(NonBlockings, ADeadlockWithCollectivesInFlightIsReported) {
  if (GetParam().failures_are_fatal) GTEST_SKIP() << "needs the timeout in this world: tests/mpi has it";
  for (const bool tests : {false, true}) {
    try {
      world_->run(2, [&](Transport& transport) -> Output {
        NonBlocking nonblocking(transport);
        auto first = nonblocking.start(
            [](Transport& inner) { return inner.rank() == 0 ? inner.recv(1, 3).size() : 0; });
        auto second =
            nonblocking.start([](Transport& inner) { return inner.recv(1 - inner.rank(), 2).size(); });
        while (tests && !second.test()) continue;
        second.wait();
        return {};
      });
      ADD_FAILURE() << "no error";
    } catch (const DeadlockError& error) {
      const std::string verb = tests ? "looks in vain for" : "waits for";
      EXPECT_EQ(error.what(), "deadlock: rank 0 " + verb + " rank 1 (tag 67) or rank 1 (tag 130); rank 1 " +
                                  verb + " rank 0 (tag 130)");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, NonBlockings, ::testing::ValuesIn(worlds()),
                         [](const auto& world) { return test_name(world.param.name); });

}  // namespace
}  // namespace sparsewire::test
