// Conservation as a property: for any gradients, ranks, k and iterations.
#include <gtest/gtest.h>
// rapidcheck wants GoogleTest before it
#include <rapidcheck/gtest.h>

#include "sim/loggp_world.hpp"
#include "tests/support/lossy.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire::test {
namespace {

RC_GTEST_PROP(LossyConservation, SumsAndResidualsAreTheGradients, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(1, 14);
  const auto dimension = *rc::gen::inRange<std::uint64_t>(0, 80);
  const auto count = *rc::gen::inRange<std::uint64_t>(0, dimension + 1);
  const auto iterations = *rc::gen::inRange<std::size_t>(1, 8);
  const auto density = *rc::gen::inRange(0, 11) / 10.0;
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const auto gradients =
      random_gradients<double>(iterations, ranks, dimension, density, random, small_integer<double>);
  const std::vector<LossyAllreduce<double>> methods = lossy_variants<double>();
  LogGPWorld world(cluster_machine());
  const auto runs = run_lossy<double>(world, methods, gradients, count);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (!methods[i].conserves) continue;
    const std::vector<double> gone = lost(runs[i], gradients);
    if (std::ranges::any_of(gone, [](double value) { return value != 0; }))
      RC_FAIL(methods[i].name + " loses something");
  }
}

}  // namespace
}  // namespace sparsewire::test
