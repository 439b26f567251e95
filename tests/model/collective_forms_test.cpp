// The closed forms of reduce-scatter, allgather, reduce and broadcast against the engine that runs them.
#include <gtest/gtest.h>

#include <bit>

#include "algorithms/collectives.hpp"
#include "algorithms/payload/stream.hpp"
#include "model/closed_forms.hpp"
#include "sim/loggp_world.hpp"
#include "tests/support/cost_inputs.hpp"

namespace sparsewire::test {
namespace {

using S = Stream<float>;

// A collective whose result is dropped.
struct Timed {
  std::string name;
  std::function<void(Transport&, S)> run;
};

// Every row of the tables; with a root in the middle, as the time depends on none.
std::vector<Timed> all_collectives() {
  std::vector<Timed> all;
  for (const auto& row : reduce_scatter_table<S>()) all.push_back({std::string(row.name), row.run});
  for (const auto& row : allgather_table<S>()) all.push_back({std::string(row.name), row.run});
  for (const auto& row : reduce_table<S>())
    all.push_back({std::string(row.name), [run = row.run](Transport& transport, S mine) {
                     run(transport, std::move(mine), transport.size() / 2);
                   }});
  for (const auto& row : broadcast_table<S>())
    all.push_back({std::string(row.name), [run = row.run](Transport& transport, S mine) {
                     run(transport, std::move(mine), transport.size() / 2);
                   }});
  return all;
}

Seconds simulated(const Machine& machine, const Timed& collective, const Vectors<float>& inputs) {
  LogGPWorld world(machine);
  return finish_time(world.run(static_cast<Rank>(inputs.size()), [&](Transport& transport) -> Output {
    collective.run(transport, stream_of(inputs[static_cast<std::size_t>(transport.rank())]));
    return {};
  }));
}

Seconds predicted(const Machine& machine, const Timed& collective, const Vectors<float>& inputs) {
  const Terms terms = predict(collective.name, machine, cost_input(inputs)).value();
  EXPECT_NEAR(terms.total, terms.latency + terms.overhead + terms.bandwidth + terms.compute,
              1e-12 * terms.total);
  return terms.total;
}

// For a broadcast in parts see below.
bool waits_for_the_last(const Timed& collective) {
  return collective.name == "broadcast-scatter-allgather";
}

void expect_equal(const Vectors<float>& inputs, const Timed& collective) {
  for (const Machine& machine : machines()) {
    const Seconds expected = predicted(machine, collective, inputs);
    EXPECT_NEAR(expected, simulated(machine, collective, inputs), 1e-12 * expected)
        << collective.name << " P=" << inputs.size() << " count=" << inputs.front().count();
  }
}

TEST(CollectiveForms, AreExactForEqualSupports) {
  for (const Timed& collective : all_collectives())
    for (const Rank ranks : {1, 2, 4, 8, 16, 32})
      for (const std::uint64_t count : {64u, 512u, 2048u})
        if (!waits_for_the_last(collective)) expect_equal(spread_vectors(ranks, 4096, count, 0), collective);
}

TEST(CollectiveForms, AreExactForDisjointSupports) {
  for (const Timed& collective : all_collectives())
    for (const Rank ranks : {1, 2, 4, 8, 16, 32})
      for (const std::uint64_t count : {32u, 64u})
        if (!waits_for_the_last(collective)) expect_equal(spread_vectors(ranks, 4096, count, 1), collective);
}

TEST(CollectiveForms, AreExactForEmptyVectors) {
  for (const Timed& collective : all_collectives())
    for (const Rank ranks : {1, 2, 8})
      if (!waits_for_the_last(collective))
        expect_equal(Vectors<float>(static_cast<std::size_t>(ranks), {4096, {}, {}}), collective);
}

// Those without a fold, for any P that divides N; trees are exact for any P.
TEST(CollectiveForms, AreExactForAnyNumberOfRanksWithoutFold) {
  for (const Timed& collective : all_collectives()) {
    if (waits_for_the_last(collective) || collective.name.ends_with("-halving") ||
        collective.name.ends_with("-doubling"))
      continue;
    for (const Rank ranks : {3, 5, 7, 13}) {
      const auto parts = static_cast<std::uint64_t>(ranks);
      expect_equal(spread_vectors(ranks, parts * 256, parts * 16, 0), collective);
    }
  }
}

TEST(CollectiveForms, AreWithinEightPercentForUniformSupports) {
  for (const Timed& collective : all_collectives())
    for (const Rank ranks : {2, 4, 8, 16, 32})
      for (const std::uint64_t count : {100u, 2000u, 10000u}) {
        if (waits_for_the_last(collective)) continue;
        const Vectors<float> inputs = random_vectors(ranks, count, 1 << 15);
        EXPECT_NEAR(predicted(cluster_machine(), collective, inputs) /
                        simulated(cluster_machine(), collective, inputs),
                    1, 0.08)
            << collective.name << " P=" << ranks << " count=" << count;
      }
}

// A fold makes ranks differ in time, and so does a scatter; the forms let all be as late as the latest.
TEST(CollectiveForms, AreHighForFoldsAndScatters) {
  for (const Timed& collective : all_collectives())
    for (const Rank ranks : {2, 3, 5, 7, 8, 9, 13, 32})
      for (const std::uint64_t count : {100u, 10000u}) {
        const Vectors<float> inputs = random_vectors(ranks, count, 1 << 15);
        const Seconds ratio = predicted(cluster_machine(), collective, inputs) /
                              simulated(cluster_machine(), collective, inputs);
        EXPECT_GT(ratio, 0.92) << collective.name << " P=" << ranks << " count=" << count;
        EXPECT_LT(ratio, waits_for_the_last(collective) ? 1.25 : 1.4)
            << collective.name << " P=" << ranks << " count=" << count;
      }
}

// The reduce of LogGOPSim's documentation has another tree of the same shape: P=8, 1024 bytes.
TEST(CollectiveForms, ReduceHasTheKnownTimeOfABinomialTree) {
  SparseVector<float> full{248, {}, std::vector<float>(248, 1.0f)};  // 32 + 4 * 248 bytes
  for (Index i = 0; i < 248; ++i) full.indices.push_back(i);
  const Vectors<float> inputs(8, full);
  EXPECT_NEAR(predict("reduce-binomial", loggopsim_machine(), cost_input(inputs)).value().total, 34914e-9,
              1e-15);
}

}  // namespace
}  // namespace sparsewire::test
