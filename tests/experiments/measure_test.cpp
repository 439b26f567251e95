#include "experiments/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "experiments/failure.hpp"
#include "experiments/simulated_run.hpp"
#include "experiments/workload.hpp"
#include "sim/loggp_world.hpp"
#include "tests/experiments/example_experiment.hpp"

namespace sparsewire {
namespace {

using testing::HasSubstr;

template <class T>
Allreduce<Coded<T>> algorithm_named(std::string_view name) {
  for (auto& algorithm : allreduce_catalogue<Coded<T>>())
    if (algorithm.name == name) return algorithm;
  throw std::invalid_argument(std::string(name));
}

template <class T>
SparseVector<T> vector_of(std::vector<std::pair<std::int64_t, T>> pairs, std::uint64_t dimension = 10) {
  return sparse_vector<T>(dimension, std::move(pairs));
}

template <class T>
Trial trial_of(const Allreduce<Coded<T>>& algorithm, const Inputs<T>& inputs) {
  LogGPWorld world(test::cluster_machine());
  return run_trial<T>(world, algorithm, inputs, [&](Rank rank) {
    const SparseVector<T>& vector = inputs.vectors[static_cast<std::size_t>(rank)];
    return Coded<T>(starting_stream(vector, algorithm.family), {});
  });
}

// Two ranks that share index 3: a sum of 1:1, 3:5, 8:4.
Inputs<float> two_ranks() {
  return inputs_from<float>({vector_of<float>({{1, 1.F}, {3, 2.F}}), vector_of<float>({{3, 3.F}, {8, 4.F}})});
}

// An allreduce that does what it is told after summing rightly.
Allreduce<Coded<float>> wrong(std::function<Stream<float>(Transport&, Stream<float>)> spoil) {
  return {"wrong", Family::sparse, "", [spoil](Transport& transport, Coded<float> mine) -> Coded<float> {
            return {spoil(transport, ssar_recursive_double(transport, std::move(mine)).stream()), {}};
          }};
}

Stream<float> sparse_stream(std::vector<Index> indices, std::vector<float> values, std::uint64_t end = 10) {
  return Stream<float>::sparse(0, end, indices, values);
}

Measurement filled_in(const std::vector<Trial>& trials, const Inputs<float>& inputs,
                      const std::string& backend = "loggp") {
  Measurement measurement;
  measurement.backend = backend;
  fill_in(measurement, trials, inputs, std::nullopt);
  return measurement;
}

Measurement outcome_of(const Allreduce<Coded<float>>& algorithm, const Inputs<float>& inputs) {
  return filled_in({trial_of(algorithm, inputs)}, inputs);
}

TEST(Inputs, KnowTheirSumUnionsAndDensities) {
  const Inputs<float> inputs = two_ranks();
  EXPECT_EQ(inputs.dimension(), 10u);
  EXPECT_EQ(inputs.density(), 0.2);
  EXPECT_EQ(inputs.result_density(), 0.3);
  EXPECT_EQ(inputs.union_sizes, (std::vector<double>{2, 3}));
  EXPECT_EQ(inputs.expected.values, (std::vector<double>{0, 1, 0, 5, 0, 0, 0, 0, 4, 0}));
  EXPECT_EQ(inputs.expected.tolerance[0], 0);
  EXPECT_GT(inputs.expected.tolerance[3], 0);
}

TEST(Inputs, MayBeOfDimensionZero) {
  const auto inputs = inputs_from<float>({vector_of<float>({}, 0), vector_of<float>({}, 0)});
  EXPECT_EQ(inputs.density(), 0);
  EXPECT_EQ(inputs.result_density(), 0);
  EXPECT_EQ(outcome_of(algorithm_named<float>("dense-ring"), inputs).status, "ok");
}

template <class T>
class RightResults : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(RightResults, Precisions);

TYPED_TEST(RightResults, OfEveryAlgorithmAreVerified) {
  Experiment e = test::example_experiment();
  for (const Workload& workload : std::vector<Workload>{{"uniform", Uniform{}}, {"hot", PowerLaw{1}}})
    for (const Rank ranks : {1, 3, 8}) {
      const Inputs<TypeParam> inputs = make_inputs<TypeParam>({workload, ranks, 500, 0.1, "", {}}, 7);
      for (const auto& algorithm : allreduce_catalogue<Coded<TypeParam>>()) {
        const Trial trial = trial_of(algorithm, inputs);
        EXPECT_TRUE(trial.ranks_agree) << algorithm.name;
        EXPECT_EQ(trial.worst_excess, 0) << algorithm.name;  // the values are integers
        EXPECT_EQ(trial.finish_s.size(), inputs.vectors.size());
        EXPECT_EQ(trial.time_s, *std::max_element(trial.finish_s.begin(), trial.finish_s.end()));
      }
    }
}

TEST(WrongResult, OfFactorTwoFails) {
  const Measurement m =
      outcome_of(wrong([](Transport&, Stream<float> total) { return sum(total, total).value; }), two_ranks());
  EXPECT_EQ(m.status, "failed");
  EXPECT_TRUE(m.ranks_agree);
  EXPECT_THAT(m.reason, HasSubstr("times further from the serial sum than rounding explains"));
}

TEST(WrongResult, ThatLacksTheLastIndexFails) {
  const auto lacking = wrong([](Transport&, Stream<float>) { return sparse_stream({1, 3}, {1, 5}); });
  EXPECT_EQ(outcome_of(lacking, two_ranks()).status, "failed");
}

TEST(WrongResult, WithAnIndexTooManyFails) {
  const auto more = wrong([](Transport&, Stream<float>) {
    return sparse_stream({1, 3, 4, 8}, {1, 5, 1, 4});
  });
  EXPECT_EQ(outcome_of(more, two_ranks()).status, "failed");
}

TEST(WrongResult, BeyondTheDimensionFails) {
  const auto longer = wrong([](Transport&, Stream<float>) {
    return sparse_stream({1, 3, 8, 11}, {1, 5, 4, 1}, 12);
  });
  EXPECT_EQ(outcome_of(longer, two_ranks()).status, "failed");
}

TEST(WrongResult, ThatIsNotANumberFails) {
  const auto nan = wrong([](Transport&, Stream<float>) {
    return sparse_stream({1, 3, 8}, {1, std::numeric_limits<float>::quiet_NaN(), 4});
  });
  EXPECT_EQ(outcome_of(nan, two_ranks()).status, "failed");
}

TEST(RightResult, MayHoldZerosAndRoundingErrors) {
  const auto dense = wrong([](Transport&, Stream<float>) {
    return sparse_stream({0, 1, 3, 8}, {0, 1, std::nextafter(5.F, 6.F), 4});
  });
  const Measurement m = outcome_of(dense, two_ranks());
  EXPECT_EQ(m.status, "ok") << m.reason;
}

TEST(RightResult, HasNansAndInfinitiesWhereTheSumHas) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto inputs = inputs_from<float>({vector_of<float>({{1, nan}, {2, inf}, {3, inf}, {4, -inf}}),
                                          vector_of<float>({{1, 1.F}, {2, 1.F}, {3, -inf}, {5, 1.F}})});
  for (const auto& algorithm : allreduce_catalogue<Coded<float>>())
    EXPECT_EQ(outcome_of(algorithm, inputs).status, "ok") << algorithm.name;
}

TEST(RanksThatDisagree, AreFlagged) {
  const auto uneven = wrong([](Transport& transport, Stream<float> total) {
    return transport.rank() == 1 ? sparse_stream({1, 3, 8}, {1, 5, 5}) : total;
  });
  const Measurement m = outcome_of(uneven, two_ranks());
  EXPECT_EQ(m.status, "failed");
  EXPECT_FALSE(m.ranks_agree);
  EXPECT_EQ(m.reason, "ranks ended with different results");
}

TEST(RanksThatDisagree, AreFlaggedInAnyOfTheTrials) {
  const Inputs<float> inputs = two_ranks();
  std::vector<Trial> trials(3, trial_of(algorithm_named<float>("dense-ring"), inputs));
  trials[1].ranks_agree = false;
  EXPECT_EQ(filled_in(trials, inputs).status, "failed");
  trials[1].ranks_agree = true;
  trials[2].worst_excess = 1.5;
  EXPECT_EQ(filled_in(trials, inputs).status, "failed");
  trials[2].worst_excess = 1;
  EXPECT_EQ(filled_in(trials, inputs).status, "ok");
}

TEST(FillIn, AddsUpMessagesBytesAndWork) {
  const auto inputs = make_inputs<float>({{"uniform", Uniform{}}, 4, 1000, 0.01, "fp32", {}}, 1);
  const Trial trial = trial_of(algorithm_named<float>("dense-ring"), inputs);
  const Measurement m = filled_in({trial}, inputs);
  EXPECT_EQ(m.messages_max, 6u);  // 3 steps of reduce-scatter, 3 of allgather
  EXPECT_EQ(m.messages, 24u);
  EXPECT_GE(m.wire_bytes, 4u * 6 * 250 * 4);  // 250 floats a message
  EXPECT_LE(m.wire_bytes, 4u * 6 * (250 * 4 + 64));
  EXPECT_GE(4 * m.wire_bytes_max, m.wire_bytes);
  EXPECT_EQ(m.work.elements[static_cast<std::size_t>(WorkKind::dense_add)], 3u * 1000);
  EXPECT_EQ(m.time_s, trial.time_s);
  EXPECT_EQ(m.samples_s, std::vector<Seconds>{trial.time_s});
  EXPECT_FALSE(m.confidence_s.has_value());
}

TEST(FillIn, TakesTheMedianOfRepetitionsAndItsIntervalOverMpi) {
  const Inputs<float> inputs = two_ranks();
  std::vector<Trial> trials(9, trial_of(algorithm_named<float>("dense-ring"), inputs));
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i].time_s = 1 + static_cast<double>((i * 4) % 9);
  const Measurement m = filled_in(trials, inputs, "mpi");
  EXPECT_EQ(m.samples_s, (std::vector<Seconds>{1, 5, 9, 4, 8, 3, 7, 2, 6}));  // in the order of the runs
  EXPECT_EQ(m.time_s, 5);
  ASSERT_TRUE(m.confidence_s.has_value());
  EXPECT_LE((*m.confidence_s)[0], 5);
  EXPECT_GE((*m.confidence_s)[1], 5);
}

TEST(FillIn, HasThePredictionOfTheClosedForm) {
  const auto inputs = make_inputs<float>({{"uniform", Uniform{}}, 8, 1000, 0.01, "fp32", {}}, 1);
  for (const auto& algorithm : allreduce_catalogue<Coded<float>>()) {
    const auto prediction = predict_for(algorithm.spec, test::cluster_machine(), inputs);
    ASSERT_TRUE(prediction.has_value()) << algorithm.name;
    Measurement m;
    fill_in(m, {trial_of(algorithm, inputs)}, inputs, prediction);
    ASSERT_TRUE(m.model.has_value());
    const ModelPrediction& model = *m.model;
    EXPECT_GT(model.total, 0.2 * m.time_s) << algorithm.name;
    EXPECT_LT(model.total, 5 * m.time_s) << algorithm.name;
    EXPECT_GT(model.lower_bound, 0);
    EXPECT_LE(model.lower_bound, m.time_s * (1 + 1e-12)) << algorithm.name;
    EXPECT_NEAR(model.latency + model.overhead + model.bandwidth + model.compute, model.total,
                1e-9 * model.total);
  }
  EXPECT_FALSE(
      predict_for(parse_algorithm("no-such-algorithm"), test::cluster_machine(), inputs).has_value());
}

TEST(FillIn, TellsDimensionAndDensityOfAFile) {
  const Measurement m = filled_in({trial_of(algorithm_named<float>("dense-ring"), two_ranks())}, two_ranks());
  EXPECT_EQ(m.dimension, 10u);
  EXPECT_EQ(m.density, 0.2);
  EXPECT_EQ(m.result_density, 0.3);
}

// With 8 bits the result is off by up to 1/127 of the largest value near it, and not by more.
TEST(RunTrial, AllowsQuantisedResultsALevel) {
  const Cell cell{{"uniform", Uniform{}}, 4, 2000, 0.6, "qsgd8", {}};
  const auto inputs = make_inputs<float>(cell, 1);
  EXPECT_EQ(inputs.quantisation.bits, 8u);
  const auto algorithm = algorithm_named<float>("dsar-split-allgather");
  LogGPWorld world(test::cluster_machine());
  const auto coding = [&](Rank rank) { return coding_of(inputs, algorithm.family, "pairs", 1, rank); };
  const Trial trial = run_trial<float>(world, algorithm, inputs, [&](Rank rank) {
    const SparseVector<float>& vector = inputs.vectors[static_cast<std::size_t>(rank)];
    return Coded<float>(starting_stream(vector, algorithm.family), coding(rank));
  });
  EXPECT_TRUE(trial.ranks_agree);
  EXPECT_GT(trial.worst_excess, 0.5);  // it is rounded
  EXPECT_LE(trial.worst_excess, 1);
  auto shifted = inputs;
  for (double& value : shifted.expected.values) value += 1.5;  // the largest is 32
  EXPECT_GT(trial_of(algorithm, shifted).worst_excess, 1);
}

// Owners' indices are hashed there, so that a bucket spans many times its length.
TEST(RunTrial, AllowsQuantisedBucketsOfHashedIndices) {
  const auto algorithm = algorithm_named<float>("zen");
  LogGPWorld world(test::cluster_machine());
  for (const std::string precision : {"qsgd8", "qsgd4", "qsgd2"})
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto inputs = make_inputs<float>({{"uniform", Uniform{}}, 9, 8192, 0.4, precision, {}}, seed);
      const Trial trial = run_trial<float>(world, algorithm, inputs, [&](Rank rank) {
        const SparseVector<float>& vector = inputs.vectors[static_cast<std::size_t>(rank)];
        return Coded<float>(starting_stream(vector, algorithm.family),
                            coding_of(inputs, algorithm.family, "pairs", seed, rank));
      });
      EXPECT_GT(trial.worst_excess, 0.3) << precision;
      EXPECT_LE(trial.worst_excess, 1) << precision;
    }
}

TEST(CodingOf, GivesDenseAlgorithmsNoCodecAndEachRankASeed) {
  const auto inputs = make_inputs<float>({{"uniform", Uniform{}}, 4, 100, 0.5, "qsgd4", {}}, 1);
  EXPECT_EQ(coding_of(inputs, Family::sparse, "delta", 1, 0).codec, Codec::delta);
  EXPECT_EQ(coding_of(inputs, Family::dense, "delta", 1, 0).codec, Codec::pairs);
  EXPECT_EQ(coding_of(inputs, Family::dense, "delta", 1, 0).quantisation.bits, 4u);
  EXPECT_NE(coding_of(inputs, Family::sparse, "delta", 1, 0).quantisation.seed,
            coding_of(inputs, Family::sparse, "delta", 1, 1).quantisation.seed);
  EXPECT_NE(coding_of(inputs, Family::sparse, "delta", 1, 0).quantisation.seed,
            coding_of(inputs, Family::sparse, "delta", 2, 0).quantisation.seed);
}

TEST(StartingStream, IsDenseForTheDenseFamilyAndPastBreakEven) {
  const SparseVector<float> few = vector_of<float>({{1, 1.F}});
  EXPECT_FALSE(starting_stream(few, Family::sparse).is_dense());
  EXPECT_TRUE(starting_stream(few, Family::dense).is_dense());
  const SparseVector<float> many = vector_of<float>({{1, 1.F}, {2, 1.F}, {3, 1.F}, {4, 1.F}, {5, 1.F}});
  EXPECT_TRUE(starting_stream(many, Family::sparse).is_dense());
}

TEST(BlankMeasurement, NamesFamilyAndTopologyWhereTheyMatter) {
  const Experiment e = test::example_experiment();
  const Cell cell{e.workloads[0], 4, 100, 0.5, "fp64", {}};
  const Measurement simgrid = blank_measurement(e, cell, {"simgrid", "sparse-ring", "k"});
  EXPECT_EQ(simgrid.key, "k");
  EXPECT_EQ(simgrid.family, "sparse");
  EXPECT_EQ(simgrid.topology, "star");
  EXPECT_EQ(simgrid.machine, "cluster");
  EXPECT_EQ(simgrid.ranks, 4);
  EXPECT_EQ(simgrid.precision, "fp64");
  EXPECT_EQ(blank_measurement(e, cell, {"loggp", "dense-ring", "k"}).family, "dense");
  EXPECT_EQ(blank_measurement(e, cell, {"loggp", "dense-ring", "k"}).topology, "");
  EXPECT_EQ(blank_measurement(e, cell, {"mpi", "mpi-allreduce", "k"}).family, "dense");
}

TEST(Failure, TellsWhatCannotBeFromWhatWentWrong) {
  EXPECT_EQ(failure_of(std::invalid_argument("no room")).status, "skipped");
  EXPECT_EQ(failure_of(std::invalid_argument("no room")).reason, "no room");
  EXPECT_EQ(failure_of(NotEnoughData("too few rows")).status, "skipped");
  EXPECT_EQ(failure_of(InvalidVector("index 5")).status, "skipped");
  EXPECT_EQ(failure_of(std::runtime_error("broken")).status, "failed");
  EXPECT_EQ(failure_of(std::bad_alloc()).status, "failed");
  EXPECT_EQ(failure_of(std::bad_alloc()).reason, "out of memory");
}

}  // namespace
}  // namespace sparsewire
