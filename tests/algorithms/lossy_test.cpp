// Every lossy allreduce, on every world, for every awkward number of ranks: the same bits on all ranks, and
// nothing lost where the method says so.
#include "tests/support/lossy.hpp"

#include <cmath>

#include "tests/support/allreduce.hpp"
#include "tests/support/worlds.hpp"

namespace sparsewire::test {
namespace {

struct Shape {
  std::uint64_t dimension, count;
  double density;
};

class LossyAllreduces : public ::testing::TestWithParam<WorldUnderTest> {
 protected:
  std::unique_ptr<World> world_ = GetParam().make();

  template <class T, class Value>
  void expect_promises(const Shape& shape, const Value& value, bool exact) {
    constexpr std::size_t kIterations = 3;
    std::mt19937_64 random(shape.dimension * 1000 + shape.count);
    const std::vector<LossyAllreduce<T>> methods = lossy_variants<T>();
    for (const Rank ranks : kRankCounts) {
      if (ranks > GetParam().most_ranks) continue;
      const auto gradients =
          random_gradients<T>(kIterations, ranks, shape.dimension, shape.density, random, value);
      const auto runs = run_lossy<T>(*world_, methods, gradients, shape.count);
      for (std::size_t i = 0; i < methods.size(); ++i) {
        SCOPED_TRACE(methods[i].name + ", P=" + std::to_string(ranks) +
                     ", N=" + std::to_string(shape.dimension) + ", k=" + std::to_string(shape.count));
        expect_same_sums(runs[i]);
        if (!exact || !methods[i].conserves) continue;
        EXPECT_THAT(lost(runs[i], gradients), ::testing::Each(T{0}));
      }
    }
  }
};

TEST_P(LossyAllreduces, ConserveSparseGradients) {
  expect_promises<float>({300, 12, 0.1}, small_integer<float>, true);
}
TEST_P(LossyAllreduces, ConserveDenseGradients) {
  expect_promises<double>({101, 17, 1}, small_integer<double>, true);
}
TEST_P(LossyAllreduces, ConserveWhereAllIsSelected) {
  expect_promises<float>({40, 40, 0.7}, small_integer<float>, true);
}
TEST_P(LossyAllreduces, ConserveVectorsShorterThanTheWorld) {
  expect_promises<double>({3, 1, 1}, small_integer<double>, true);
}
TEST_P(LossyAllreduces, ConserveWhereNothingIsToBeSent) {
  expect_promises<float>({20, 0, 0.5}, small_integer<float>, true);
}
TEST_P(LossyAllreduces, ConserveEmptyVectors) {
  expect_promises<float>({0, 0, 1}, small_integer<float>, true);
}
TEST_P(LossyAllreduces, ConserveEqualValues) {
  expect_promises<float>(
      {50, 5, 1}, [](std::mt19937_64&) { return 2.0f; }, true);
}

// Sums depend on their order, and not-a-number spreads.
TEST_P(LossyAllreduces, AgreeOnTheBitsOfAnyValues) {
  const auto any_value = [](std::mt19937_64& random) {
    constexpr float kOdd[] = {-0.0f, HUGE_VALF, -HUGE_VALF, NAN, 3e38f, -3e38f, 1e-45f};
    if (random() % 20 == 0) return kOdd[random() % std::size(kOdd)];
    return std::ldexp(static_cast<float>(random() % 1000) - 500, static_cast<int>(random() % 40) - 20);
  };
  expect_promises<float>({150, 15, 0.5}, any_value, false);
}

INSTANTIATE_TEST_SUITE_P(Worlds, LossyAllreduces, ::testing::ValuesIn(worlds()),
                         [](const auto& world) { return test_name(world.param.name); });

}  // namespace
}  // namespace sparsewire::test
