// Lossy allreduces as points of an experiment.
#include "experiments/lossy_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/names.hpp"
#include "experiments/simulated_run.hpp"
#include "sim/loggp_world.hpp"
#include "tests/experiments/example_experiment.hpp"

namespace sparsewire {
namespace {

Inputs<float> uniform_inputs(Rank ranks, double density) {
  return make_inputs<float>({{"uniform", Uniform{}}, ranks, 400, density, "fp32", {}}, 3);
}

Trial trial_of(const LossyAllreduce<float>& method, const Inputs<float>& inputs) {
  LogGPWorld world(test::cluster_machine());
  return run_lossy_trial(world, method, inputs, 1);
}

TEST(LossyRun, KeepsWhatEveryMethodPromises) {
  for (const Rank ranks : {1, 5, 8})
    for (const double density : {0.0, 0.05, 1.0})
      for (const auto& method : lossy_variants<float>()) {
        const Trial trial = trial_of(method, uniform_inputs(ranks, density));
        EXPECT_TRUE(trial.ranks_agree) << method.name;
        EXPECT_EQ(trial.worst_excess, 0) << method.name << ", P=" << ranks << ", density " << density;
        EXPECT_TRUE(trial.relative_error.has_value()) << method.name;
      }
}

TEST(LossyRun, HasNoErrorWhereAllIsSent) {
  const Inputs<float> inputs = uniform_inputs(4, 0.1);
  EXPECT_EQ(trial_of(lossy_named<float>("topk-allgather"), inputs).relative_error, 0);
  const auto part = lossy_named<float>("topk-allgather(keep=0.3)");
  EXPECT_GT(trial_of(part, inputs).relative_error.value(), 0.01);
  EXPECT_LT(trial_of(part, inputs).relative_error.value(), 1);
}

TEST(LossyRun, CountsOneIteration) {
  const Inputs<float> inputs = uniform_inputs(4, 0.1);
  const Trial one = trial_of(lossy_named<float>("spardl(iterations=1)"), inputs);
  const Trial eight = trial_of(lossy_named<float>("spardl(iterations=8)"), inputs);
  EXPECT_EQ(one.counters[0].messages, 4u);
  EXPECT_EQ(eight.counters[0].messages, 4u);
  EXPECT_NEAR(eight.time_s / one.time_s, 1, 0.1);
}

// A method that says that it conserves, and forgets what it does not send.
TEST(LossyRun, NoticesALoss) {
  LossyAllreduce<float> forgetful = lossy_named<float>("topk-allgather(keep=0.5)");
  forgetful.start = [start = forgetful.start](const LossySetup& setup) {
    LossyState<float> state = start(setup);
    state.unsent = [setup] { return Residual<float>(setup.dimension); };
    return state;
  };
  EXPECT_GT(trial_of(forgetful, uniform_inputs(4, 0.3)).worst_excess, 1);
}

TEST(LossyRun, NoticesRanksThatDiffer) {
  LossyAllreduce<float> own = lossy_named<float>("topk-allgather");
  own.start = [](const LossySetup& setup) {
    return LossyState<float>{[](Transport&, std::span<const float> gradient) {
                               return Stream<float>::dense(0, gradient.size(), gradient);
                             },
                             [setup] { return Residual<float>(setup.dimension); }};
  };
  EXPECT_FALSE(trial_of(own, uniform_inputs(4, 0.3)).ranks_agree);
}

TEST(LossyRun, IsAPointOfASimulatedSweep) {
  Experiment e = test::example_experiment();
  e.algorithms = {"ssar-split-allgather", "oktopk(tau=2)", "gtopk(iterations=3)"};
  std::size_t lossy = 0;
  const std::atomic<bool> stop{false};
  run_simulated(
      e, cells_of(e, e.backends, "v"), {}, 2, stop,
      [&](const Measurement& m) {
        EXPECT_EQ(m.status, "ok") << m.algorithm << ": " << m.reason;
        EXPECT_EQ(m.relative_error.has_value(), m.family == "lossy") << m.algorithm;
        EXPECT_TRUE(m.model.has_value()) << m.algorithm;
        lossy += m.family == "lossy" ? 1 : 0;
      },
      [] {});
  EXPECT_EQ(lossy, 16u);
}

TEST(LossyNames, AreApartFromTheExactOnes) {
  EXPECT_EQ(family_of("spardl(teams=2)"), "lossy");
  EXPECT_EQ(family_of("dense-ring"), "dense");
  EXPECT_THAT(algorithm_names(), testing::Not(testing::Contains("gtopk")));
  EXPECT_THAT(lossy_names(), testing::Contains("gtopk"));
  EXPECT_NO_THROW(require_algorithm("scalecom(beta=0.5,iterations=2)"));
  EXPECT_THROW(require_algorithm("scalecom(beta=2)"), std::invalid_argument);
  EXPECT_THROW(require_algorithm("scalecom(teams=2)"), std::invalid_argument);
  EXPECT_THROW(require_exact_algorithm("gtopk"), std::invalid_argument);
}

}  // namespace
}  // namespace sparsewire
