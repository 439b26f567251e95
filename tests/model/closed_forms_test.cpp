// The closed forms against the engine that runs the real algorithms.
#include "model/closed_forms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "algorithms/pattern/butterfly.hpp"
#include "algorithms/payload/stream.hpp"
#include "model/fill_in.hpp"
#include "model/wire_format.hpp"
#include "sim/loggp_world.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/cost_inputs.hpp"
#include "tests/support/patterns.hpp"

namespace sparsewire::test {
namespace {

constexpr std::uint64_t kDimension = 4096;

Seconds simulated(const Machine& machine, const Allreduce<Stream<float>>& algorithm, Vectors<float> inputs) {
  LogGPWorld world(machine);
  const auto start = [&](Rank rank) {
    Stream<float> mine = stream_of(inputs[static_cast<std::size_t>(rank)]);
    return algorithm.family == Family::dense ? densified(std::move(mine)).value : mine;
  };
  return finish_time(world.run(static_cast<Rank>(inputs.size()), [&](Transport& transport) -> Output {
    algorithm.run(transport, start(transport.rank()));
    return {};
  }));
}

// The variants that every test tries, and more whose forms have branches of their own.
std::vector<Allreduce<Stream<float>>> algorithms_with_forms() {
  std::vector<Allreduce<Stream<float>>> algorithms = allreduce_variants<Stream<float>>();
  for (const char* name :
       {"ssar-split-allgather(throttle=4)", "dsar-split-allgather(order=by-rank)",
        "dsar-split-allgather(order=by-rank,throttle=1)", "kylix(degrees=64)", "omnireduce(slots=1)",
        "two-level(node=2)", "two-level(node=8,inner=dense-ring,outer=dense-ring)"})
    algorithms.push_back(allreduce_named<Stream<float>>(name));
  return algorithms;
}

// Whether all of `ranks` ranks do the same at the same time, if their supports are alike: then the form is
// exact.
bool is_in_step(const AlgorithmSpec& algorithm, Rank ranks) {
  const std::set<std::string> out_of_step = {"balanced-split-allgather", "omnireduce", "two-level", "zen"};
  if (out_of_step.contains(algorithm.name)) return false;
  if (algorithm.parameters.contains("order")) return algorithm.text("order") == "rotated";
  if (algorithm.name != "kylix") return true;
  for (const ButterflyLayer& layer : butterfly_layers(ranks, 0, algorithm.numbers("degrees")))
    if (layer.size % layer.degree != 0) return false;
  return true;
}

// How far a form may be off for uniform supports.
double tolerance_of(const AlgorithmSpec& algorithm, Rank ranks) {
  const std::map<std::string, double> tolerances = {
      {"balanced-split-allgather", 0.1}, {"omnireduce", 0.5}, {"zen", 0.1}};
  const auto found = tolerances.find(algorithm.name);
  const bool folds = !std::has_single_bit(static_cast<std::uint32_t>(ranks));
  if (algorithm.name == "two-level")
    return folds || ranks % static_cast<Rank>(algorithm.number("node")) != 0 ? 0.5 : 0.25;
  if (found != tolerances.end()) return folds ? std::max(found->second, 0.25) : found->second;
  if (!is_in_step(algorithm, ranks)) return 0.3;
  return folds ? 0.25 : 0.05;
}

void expect_equal(const Vectors<float>& inputs) {
  const CostInput input = cost_input(inputs);
  for (const Machine& machine : machines())
    for (const auto& algorithm : algorithms_with_forms()) {
      if (!is_in_step(algorithm.spec, input.ranks)) continue;
      const Terms terms = predict(algorithm.spec, machine, input).value();
      EXPECT_NEAR(terms.total, simulated(machine, algorithm, inputs), 1e-12 * terms.total)
          << algorithm.name << " P=" << inputs.size() << " count=" << inputs.front().count();
      EXPECT_NEAR(terms.total, terms.latency + terms.overhead + terms.bandwidth + terms.compute,
                  1e-12 * terms.total);
    }
}

TEST(ClosedForms, AreExactForEqualSupports) {
  for (const Rank ranks : {1, 2, 4, 8, 16, 32})
    for (const std::uint64_t count : {64u, 512u, 2048u})
      expect_equal(spread_vectors(ranks, kDimension, count, 0));
}

TEST(ClosedForms, AreExactForDisjointSupports) {
  for (const Rank ranks : {1, 2, 4, 8, 16, 32})
    for (const std::uint64_t count : {32u, 64u}) expect_equal(spread_vectors(ranks, kDimension, count, 1));
}

TEST(ClosedForms, AreExactForEmptyVectors) {
  for (const Rank ranks : {1, 2, 8})
    expect_equal(Vectors<float>(static_cast<std::size_t>(ranks), {kDimension, {}, {}}));
}

// Split, ring and gather algorithms treat all ranks alike for any P that divides N.
TEST(ClosedForms, AreExactForAnyNumberOfRanksWithoutFold) {
  const Machine machine = cluster_machine();
  for (const Rank ranks : {3, 5, 7, 13}) {
    const std::uint64_t dimension = static_cast<std::uint64_t>(ranks) * 256,
                        count = static_cast<std::uint64_t>(ranks) * 16;
    const Vectors<float> inputs = spread_vectors(ranks, dimension, count, 0);
    for (const auto& algorithm : algorithms_with_forms()) {
      if (algorithm.name.find("recursive") != std::string::npos || algorithm.name == "dense-rabenseifner" ||
          !is_in_step(algorithm.spec, ranks))
        continue;
      const Seconds expected = predict(algorithm.spec, machine, cost_input(inputs)).value().total;
      EXPECT_NEAR(expected, simulated(machine, algorithm, inputs), 1e-12 * expected)
          << algorithm.name << " P=" << ranks;
    }
  }
}

// The form's time over the engine's.
double ratio(const Machine& machine, const Allreduce<Stream<float>>& algorithm,
             const Vectors<float>& inputs) {
  const CostInput input{
      static_cast<Rank>(inputs.size()), inputs.front().dimension, 4,
      uniform_union_sizes(inputs.front().dimension, static_cast<double>(inputs.front().count()),
                          static_cast<Rank>(inputs.size()))};
  return predict(algorithm.spec, machine, input).value().total / simulated(machine, algorithm, inputs);
}

// Random supports: sizes scatter around their expectation, and the ring and the split wait for the largest.
TEST(ClosedForms, AreWithinFivePercentForUniformSupports) {
  for (const Rank ranks : {2, 4, 8, 16, 32})
    for (const std::uint64_t count : {100u, 2000u, 10000u}) {
      const Vectors<float> inputs = random_vectors(ranks, count, 1 << 15);
      for (const auto& algorithm : algorithms_with_forms())
        EXPECT_NEAR(ratio(cluster_machine(), algorithm, inputs), 1, tolerance_of(algorithm.spec, ranks))
            << algorithm.name << " P=" << ranks << " count=" << count;
    }
}

// A fold makes ranks differ in time; the form charges every round as if all were as late as the folded ones,
// so it is high by up to a quarter, and never low by more than random supports explain.
TEST(ClosedForms, AreAtMostAQuarterHighForFoldedRanks) {
  for (const Rank ranks : {3, 5, 7, 9, 13})
    for (const std::uint64_t count : {100u, 10000u}) {
      const Vectors<float> inputs = random_vectors(ranks, count, 1 << 15);
      for (const auto& algorithm : algorithms_with_forms())
        EXPECT_NEAR(ratio(cluster_machine(), algorithm, inputs), 1, tolerance_of(algorithm.spec, ranks))
            << algorithm.name << " P=" << ranks << " count=" << count;
    }
}

TEST(ClosedForms, LowerBoundsHold) {
  for (const Machine& machine : machines())
    for (const Rank ranks : {1, 2, 3, 8, 16})
      for (const auto& inputs :
           {spread_vectors(ranks, kDimension, 64, 0), spread_vectors(ranks, kDimension, 64, 1),
            spread_vectors(ranks, kDimension, 4096, 0)})
        for (const auto& algorithm : algorithms_with_forms())
          EXPECT_LE(lower_bound(machine, cost_input(inputs)).total,
                    simulated(machine, algorithm, inputs) * (1 + 1e-12))
              << algorithm.name << " P=" << ranks;
}

// Every rank hands its only element to all others at once: fewer than log2 P messages one after another.
TEST(ClosedForms, LowerBoundHoldsWhereMessagesOverlap) {
  Machine machine = loggopsim_machine();
  machine.network.L = 1e-3;
  const Vectors<float> inputs(64, sparse_vector<float>(1, {{0, 1.0f}}));
  LogGPWorld world(machine);
  EXPECT_LE(lower_bound(machine, cost_input(inputs)).total,
            finish_time(world.run(64, linear_all_to_all(sizeof(float)))));
}

// The first byte of a message takes none of G: where messages cost nothing, bytes sent one by one are free.
TEST(ClosedForms, LowerBoundHoldsForTinyMessages) {
  constexpr std::size_t kCount = 100;
  const Program exchange = [](Transport& transport) -> Output {
    for (std::size_t i = 0; i < kCount * sizeof(float); ++i)
      transport.exchange(1 - transport.rank(), 0, message_of(1));
    return {};
  };
  Machine machine = loggopsim_machine();
  machine.network.L = 0;
  for (const Seconds gap : {0.0, 1e-9, 5e-9, 6e-9, 7e-9}) {
    machine.network.o = 0;
    machine.network.g = gap;
    LogGPWorld world(machine);
    const CostInput input = cost_input(spread_vectors(2, kDimension, kCount, 0));
    EXPECT_LE(lower_bound(machine, input).total, finish_time(world.run(2, exchange))) << gap;
  }
}

TEST(ClosedForms, LowerBoundIsReachedByTheBestOnes) {
  const Machine machine = loggopsim_machine();
  const Vectors<float> tiny(2, SparseVector<float>{1, {}, {}});
  EXPECT_DOUBLE_EQ(lower_bound(machine, cost_input(tiny)).total, machine.network.L + 2 * machine.network.o);
  // of 8 ranks the first one sends to 1, 2, 3, 4 and 6, and the second one to 5 and 7
  const Vectors<float> eight(8, SparseVector<float>{1, {}, {}});
  EXPECT_NEAR(lower_bound(machine, cost_input(eight)).total, 12500e-9, 1e-18);
  const Vectors<float> full = spread_vectors(8, 1 << 20, 1 << 20, 0);
  const Seconds ring = predict("dense-ring", machine, cost_input(full)).value().total;
  EXPECT_LT(ring, 1.01 * lower_bound(machine, cost_input(full)).total);
}

TEST(ClosedForms, MpiAllreduceIsTheBestDenseForm) {
  const CostInput input = cost_input(spread_vectors(8, kDimension, 64, 0));
  Seconds best = 1e9;
  for (const char* name : {"dense-recursive-double", "dense-rabenseifner", "dense-ring"})
    best = std::min(best, predict(name, cluster_machine(), input).value().total);
  EXPECT_EQ(predict("mpi-allreduce", cluster_machine(), input).value().total, best);
  EXPECT_FALSE(predict("no-such", cluster_machine(), input).has_value());
}

TEST(ClosedForms, RefuseImpossibleUnions) {
  const Machine machine = cluster_machine();
  EXPECT_THROW(predict("dense-ring", machine, {2, 10, 4, {3}}), std::invalid_argument);
  EXPECT_THROW(predict("dense-ring", machine, {2, 10, 4, {3, 2}}), std::invalid_argument);
  EXPECT_THROW(predict("dense-ring", machine, {2, 10, 4, {3, 11}}), std::invalid_argument);
  EXPECT_THROW(predict("dense-ring", machine, {0, 10, 4, {}}), std::invalid_argument);
}

TEST(WireFormat, IsThatOfTheStreams) {
  for (const std::uint64_t count : {0u, 1u, 2u, 7u, 64u}) {
    const SparseVector<float> f = spread_vectors(1, 128, std::max<std::uint64_t>(count, 1), 0)[0];
    SparseVector<float> vector{128,
                               {f.indices.begin(), f.indices.begin() + static_cast<std::ptrdiff_t>(count)},
                               std::vector<float>(count, 1.0f)};
    const Stream<float> stream = Stream<float>::sparse(0, 128, vector.indices, vector.values);
    EXPECT_EQ(sparse_stream_bytes(count, 4), pack(stream).wire_size());
    EXPECT_EQ(dense_stream_bytes(128, 4), pack(densified(stream).value).wire_size());
    EXPECT_EQ(reaches_break_even(count, 128, 4), dense_is_smaller(count, 128, 4)) << count;
    EXPECT_EQ(reaches_break_even(count, 128, 8), dense_is_smaller(count, 128, 8)) << count;
  }
  EXPECT_EQ(dense_stream_bytes(3, 4), 48u);
}

TEST(FillIn, FollowsTheExpectationOfUniformSupports) {
  const std::vector<double> sizes = uniform_union_sizes(1000, 100, 3);
  EXPECT_THAT(sizes,
              ::testing::ElementsAre(::testing::DoubleNear(100, 1e-9), ::testing::DoubleNear(190, 1e-9),
                                     ::testing::DoubleNear(271, 1e-9)));
  EXPECT_THAT(uniform_union_sizes(10, 10, 2), ::testing::ElementsAre(10, 10));
  EXPECT_THAT(uniform_union_sizes(10, 0, 2), ::testing::ElementsAre(0, 0));
  EXPECT_NEAR(uniform_union_sizes(std::uint64_t{1} << 32, 1, 2)[1], 2, 1e-6);
  EXPECT_THROW(uniform_union_sizes(10, 11, 2), std::invalid_argument);
  EXPECT_THROW(uniform_union_sizes(10, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace sparsewire::test
