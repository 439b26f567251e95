// Reduce-scatter, allgather, reduce and broadcast, on every world, for every awkward number of ranks and
// several roots, against serial results.
#include "algorithms/collectives.hpp"

#include <random>

#include "model/wire_format.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/contributions.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/worlds.hpp"

namespace sparsewire::test {
namespace {

using S = Stream<float>;

// Ranks hold different numbers of elements, some none; values are small integers, so that sums are exact.
Vectors<float> random_inputs(Rank ranks, std::uint64_t dimension, std::uint64_t most) {
  std::mt19937_64 random(dimension * 100 + most + static_cast<std::uint64_t>(ranks));
  Vectors<float> inputs;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::map<std::int64_t, float> elements;
    const std::uint64_t count = random() % (most + 1);
    while (elements.size() < count)
      elements[static_cast<std::int64_t>(random() % dimension)] = static_cast<float>(random() % 9 + 1);
    inputs.push_back(sparse_vector<float>(dimension, {elements.begin(), elements.end()}));
  }
  return inputs;
}

std::vector<Rank> roots(Rank ranks) {
  std::set<Rank> all = {0, ranks / 2, ranks - 1};
  return {all.begin(), all.end()};
}

SparseVector<float> part_of(const SparseVector<float>& vector, std::uint64_t begin, std::uint64_t end) {
  SparseVector<float> part{end, {}, {}};
  for (std::size_t i = 0; i < vector.indices.size(); ++i)
    if (vector.indices[i] >= begin && vector.indices[i] < end) {
      part.indices.push_back(vector.indices[i]);
      part.values.push_back(vector.values[i]);
    }
  return part;
}

class Collectives : public ::testing::TestWithParam<WorldUnderTest> {
 protected:
  std::unique_ptr<World> world_ = GetParam().make();
  bool holds(Rank ranks) const { return ranks <= GetParam().most_ranks; }

  // Calls check(inputs) for vectors that stay sparse, fill in, are dense, and are shorter than the world.
  template <class Check>
  void for_all_inputs(const Check& check) {
    constexpr std::pair<std::uint64_t, std::uint64_t> kShapes[] = {{2000, 20}, {100, 30}, {64, 64}, {3, 2}};
    for (const Rank ranks : kRankCounts)
      for (const auto& [dimension, most] : kShapes) {
        SCOPED_TRACE("P=" + std::to_string(ranks) + ", N=" + std::to_string(dimension));
        if (holds(ranks)) check(random_inputs(ranks, dimension, most));
      }
  }

  // What each rank's `body` packs.
  template <class Body>
  RunResult run(Rank ranks, const Body& body) {
    return world_->run(ranks, [&](Transport& transport) { return body(transport).flatten(); });
  }
};

const SparseVector<float>& of_rank(const Vectors<float>& inputs, Rank rank) {
  return inputs[static_cast<std::size_t>(rank)];
}

TEST_P(Collectives, ReduceScatterGivesEachRankTheSumOfItsPart) {
  for_all_inputs([&](const Vectors<float>& inputs) {
    const auto ranks = static_cast<Rank>(inputs.size());
    const SparseVector<float> total = serial_sum(inputs);
    for (const auto& algorithm : reduce_scatter_table<S>()) {
      SCOPED_TRACE(algorithm.name);
      const RunResult result = run(ranks, [&](Transport& transport) {
        return pack(algorithm.run(transport, stream_of(of_rank(inputs, transport.rank()))));
      });
      for (Rank rank = 0; rank < ranks; ++rank) {
        const S found = S::unpack(Message(result[static_cast<std::size_t>(rank)].output));
        EXPECT_EQ(found.begin(), part_begin(total.dimension, ranks, rank));
        EXPECT_EQ(found.end(), part_begin(total.dimension, ranks, rank + 1));
        EXPECT_EQ(sparse_vector_of(found), part_of(total, found.begin(), found.end())) << rank;
      }
    }
  });
}

TEST_P(Collectives, ReduceScatterCountsEachRankExactlyOnce) {
  for (const Rank ranks : kRankCounts) {
    if (!holds(ranks)) continue;
    for (const auto& algorithm : reduce_scatter_table<Contributions>()) {
      SCOPED_TRACE(std::string(algorithm.name) + ", P=" + std::to_string(ranks));
      for (const RankResult& rank : run(ranks, [&](Transport& transport) {
             return pack(algorithm.run(transport, Contributions::of(transport.rank(), ranks, 40)));
           }))
        EXPECT_THAT(Contributions::unpack(Message(rank.output)).counts(), ::testing::Each(1u));
    }
  }
}

TEST_P(Collectives, AllgatherGivesAllRanksAllVectors) {
  for_all_inputs([&](const Vectors<float>& inputs) {
    const auto ranks = static_cast<Rank>(inputs.size());
    for (const auto& algorithm : allgather_table<S>()) {
      SCOPED_TRACE(algorithm.name);
      const RunResult result = run(ranks, [&](Transport& transport) {
        std::vector<Message> all;
        for (const S& one : algorithm.run(transport, stream_of(of_rank(inputs, transport.rank()))))
          all.push_back(pack(one));
        return joined(all);
      });
      expect_agreement(result);
      const std::vector<Message> found = split_packed<S>(Message(result[0].output));
      EXPECT_EQ(found.size(), inputs.size());
      for (std::size_t rank = 0; rank < std::min(found.size(), inputs.size()); ++rank)
        EXPECT_EQ(sparse_vector_of(S::unpack(found[rank])), inputs[rank]) << rank;
    }
  });
}

TEST_P(Collectives, ReduceGivesTheRootTheSum) {
  for_all_inputs([&](const Vectors<float>& inputs) {
    const auto ranks = static_cast<Rank>(inputs.size());
    const SparseVector<float> total = serial_sum(inputs);
    for (const auto& algorithm : reduce_table<S>())
      for (const Rank root : roots(ranks)) {
        SCOPED_TRACE(std::string(algorithm.name) + ", root " + std::to_string(root));
        const RunResult result = run(ranks, [&](Transport& transport) {
          const auto sum = algorithm.run(transport, stream_of(of_rank(inputs, transport.rank())), root);
          return sum ? pack(*sum) : Message();
        });
        for (Rank rank = 0; rank < ranks; ++rank) {
          const RankResult& found = result[static_cast<std::size_t>(rank)];
          if (rank == root)
            EXPECT_EQ(result_of<float>(found), total);
          else
            EXPECT_TRUE(found.output.empty()) << rank;
        }
      }
  });
}

TEST_P(Collectives, BroadcastGivesAllRanksTheRootsVector) {
  for_all_inputs([&](const Vectors<float>& inputs) {
    const auto ranks = static_cast<Rank>(inputs.size());
    for (const auto& algorithm : broadcast_table<S>())
      for (const Rank root : roots(ranks)) {
        SCOPED_TRACE(std::string(algorithm.name) + ", root " + std::to_string(root));
        const RunResult result = run(ranks, [&](Transport& transport) {
          std::optional<S> mine;
          if (transport.rank() == root) mine = stream_of(of_rank(inputs, root));
          return pack(algorithm.run(transport, mine, root));
        });
        expect_agreement(result);
        EXPECT_EQ(result_of<float>(result[0]), of_rank(inputs, root));
      }
  });
}

// Reduce-scatter and allgather, and reduce and broadcast, make an allreduce.
TEST_P(Collectives, ComposeToAnAllreduce) {
  for (const Rank ranks : {3, 4}) {
    if (!holds(ranks)) continue;
    const Vectors<float> inputs = random_inputs(ranks, 100, 30);
    const RunResult result = run(ranks, [&](Transport& transport) {
      const S mine = stream_of(of_rank(inputs, transport.rank()));
      const S scattered =
          charged(transport, concat(allgather_ring(transport, reduce_scatter_halving(transport, mine))));
      const S reduced = broadcast_binomial(transport, reduce_binomial(transport, mine, 1), 1);
      return joined({pack(scattered), pack(reduced)});
    });
    expect_agreement(result);
    for (const Message& total : split_packed<S>(Message(result[0].output)))
      EXPECT_EQ(sparse_vector_of(S::unpack(total)), serial_sum(inputs));
  }
}

TEST_P(Collectives, RefuseRootsThatAreNoRanks) {
  const auto refused = [&](Rank root) {
    const RunResult result = world_->run(1, [&](Transport& transport) {
      const S mine = stream_of(sparse_vector<float>(8, {{1, 1.0f}}));
      std::set<std::string> all;
      for (const auto& algorithm : reduce_table<S>())
        all.insert(error_of([&] { algorithm.run(transport, mine, root); }));
      for (const auto& algorithm : broadcast_table<S>())
        all.insert(error_of([&] { algorithm.run(transport, mine, root); }));
      const std::string text = all.size() == 1 ? *all.begin() : "they differ";
      const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
      return Output(bytes, bytes + text.size());
    });
    return std::string(reinterpret_cast<const char*>(result[0].output.data()), result[0].output.size());
  };
  EXPECT_EQ(refused(-1), "root is rank -1, expected a rank in [0, 1)");
  EXPECT_EQ(refused(1), "root is rank 1, expected a rank in [0, 1)");
  EXPECT_EQ(refused(0), "no error");
}

TEST_P(Collectives, BroadcastsOfNothingAreRefused) {
  const RunResult result = world_->run(1, [](Transport& transport) {
    Output refusals;
    for (const auto& algorithm : broadcast_table<S>())
      refusals.push_back(std::byte(error_of([&] { algorithm.run(transport, std::nullopt, 0); }) ==
                                   "the root of a broadcast has nothing to send"));
    return refusals;
  });
  EXPECT_THAT(result[0].output, ::testing::Each(std::byte{1}));
}

// Equal supports of k of N elements that P divides, so that all parts are alike; the bytes of each rank from
// algorithms/README.md.
class Volume {
 public:
  Volume(Rank ranks, std::uint64_t dimension, std::uint64_t count)
      : ranks_(static_cast<std::uint64_t>(ranks)), dimension_(dimension), count_(count) {}

  Vectors<float> inputs() const {
    SparseVector<float> vector{dimension_, {}, std::vector<float>(count_, 1.0f)};
    for (std::uint64_t i = 0; i < count_; ++i)
      vector.indices.push_back(static_cast<Index>(i * (dimension_ / count_)));
    return Vectors<float>(ranks_, vector);
  }

  // A stream with `parts` P-ths of the elements.
  std::uint64_t stream(std::uint64_t parts) const { return sparse_stream_bytes(count_ * parts / ranks_, 4); }
  std::uint64_t whole() const { return stream(ranks_); }
  std::uint64_t others() const { return ranks_ - 1; }

 private:
  std::uint64_t ranks_, dimension_, count_;
};

struct Sent {
  std::uint64_t messages = 0, bytes = 0;
  friend bool operator==(const Sent&, const Sent&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Sent& sent) {
    return out << sent.messages << " messages, " << sent.bytes << " bytes";
  }
};

std::uint64_t log2_of(Rank power) {
  return static_cast<std::uint64_t>(std::countr_zero(static_cast<std::uint32_t>(power)));
}

Sent sent_by_reduce_scatter(std::string_view name, const Volume& volume, Rank ranks) {
  if (name != "reduce-scatter-halving") return {volume.others(), volume.others() * volume.stream(1)};
  Sent sent{log2_of(ranks), 0};
  for (Rank parts = ranks / 2; parts >= 1; parts /= 2)
    sent.bytes += volume.stream(static_cast<std::uint64_t>(parts));
  return sent;
}

Sent sent_by_allgather(std::string_view name, const Volume& volume, Rank ranks) {
  return {name == "allgather-ring" ? volume.others() : log2_of(ranks), volume.others() * volume.whole()};
}

// `place` counts from the root; `each` is a message of the tree for each rank below.
Sent sent_by_tree(const BinomialTree& tree, Rank place, const std::function<std::uint64_t(Rank)>& bytes) {
  Sent sent;
  for (Rank distance = 1; distance < tree.size(place); distance *= 2) {
    ++sent.messages;
    sent.bytes += bytes(tree.size(place + distance));
  }
  return sent;
}

template <class Expected>
void expect_sent(const RunResult& result, const Expected& expected) {
  for (std::size_t rank = 0; rank < result.size(); ++rank) {
    const Counters& counters = result[rank].counters;
    EXPECT_EQ((Sent{counters.messages, counters.wire_bytes}), expected(static_cast<Rank>(rank))) << rank;
  }
}

TEST_P(Collectives, EachRankSendsTheMessagesAndBytesOfTheTable) {
  for (const Rank ranks : {1, 2, 4, 8, 16}) {
    if (!holds(ranks)) continue;
    const Volume volume(ranks, 4096, 64);
    const Vectors<float> inputs = volume.inputs();
    const auto mine = [&](Transport& transport) { return stream_of(of_rank(inputs, transport.rank())); };
    for (const auto& algorithm : reduce_scatter_table<S>()) {
      SCOPED_TRACE(std::string(algorithm.name) + ", P=" + std::to_string(ranks));
      expect_sent(
          run(ranks, [&](Transport& transport) { return pack(algorithm.run(transport, mine(transport))); }),
          [&](Rank) { return sent_by_reduce_scatter(algorithm.name, volume, ranks); });
    }
    for (const auto& algorithm : allgather_table<S>()) {
      SCOPED_TRACE(std::string(algorithm.name) + ", P=" + std::to_string(ranks));
      expect_sent(run(ranks,
                      [&](Transport& transport) {
                        algorithm.run(transport, mine(transport));
                        return Message();
                      }),
                  [&](Rank) { return sent_by_allgather(algorithm.name, volume, ranks); });
    }
  }
}

TEST_P(Collectives, EachRankSendsAlongTheTreeWhatTheTableSays) {
  for (const Rank ranks : {1, 2, 3, 4, 7, 8, 13}) {
    if (!holds(ranks)) continue;
    const Rank root = ranks / 2;
    const BinomialTree tree(ranks, root);
    const Volume volume(ranks, 4096 * static_cast<std::uint64_t>(ranks),
                        64 * static_cast<std::uint64_t>(ranks));
    const S mine = stream_of(volume.inputs().front());
    SCOPED_TRACE("P=" + std::to_string(ranks));
    expect_sent(run(ranks,
                    [&](Transport& transport) {
                      reduce_binomial(transport, mine, root);
                      return Message();
                    }),
                [&](Rank rank) {
                  return rank == root ? Sent{} : Sent{1, volume.whole()};
                });
    expect_sent(
        run(ranks, [&](Transport& transport) { return pack(broadcast_binomial<S>(transport, mine, root)); }),
        [&](Rank rank) {
          return sent_by_tree(tree, tree.place(rank), [&](Rank) { return volume.whole(); });
        });
    expect_sent(run(ranks,
                    [&](Transport& transport) {
                      return pack(broadcast_scatter_allgather<S>(transport, mine, root));
                    }),
                [&](Rank rank) {
                  Sent sent = sent_by_tree(tree, tree.place(rank), [&](Rank below) {
                    return static_cast<std::uint64_t>(below) * volume.stream(1);
                  });
                  sent.messages += static_cast<std::uint64_t>(std::bit_width(volume.others()));
                  sent.bytes += volume.others() * volume.stream(1);
                  return sent;
                });
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, Collectives, ::testing::ValuesIn(worlds()),
                         [](const auto& world) { return test_name(world.param.name); });

}  // namespace
}  // namespace sparsewire::test
