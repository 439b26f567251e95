// Every algorithm of the catalogue with every operator but the sum, on every world, for every awkward number
// of ranks, against definitions that share no code with the operators.
#include <cmath>
#include <random>
#include <set>

#include "tests/support/allreduce.hpp"
#include "tests/support/worlds.hpp"

namespace sparsewire::test {
namespace {

using Values = std::vector<float>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

bool any_nan(const Values& values) {
  return std::any_of(values.begin(), values.end(), [](float value) { return std::isnan(value); });
}

// The value of an index from the values of those ranks that hold it.
float expected_value(Minimum, const Values& values) {
  if (any_nan(values)) return kNan;
  return *std::min_element(values.begin(), values.end(), [](float a, float b) {
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  });
}
float expected_value(Maximum, const Values& values) {
  if (any_nan(values)) return kNan;
  return *std::max_element(values.begin(), values.end(), [](float a, float b) {
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  });
}
float expected_value(Product, const Values& values) {
  float product = 1;
  for (const float value : values) product *= value;
  return std::isnan(product) ? kNan : product;
}
float expected_value(LogicalOr, const Values& values) {
  return std::any_of(values.begin(), values.end(), [](float value) { return value != 0; }) ? 1.0f : 0.0f;
}

constexpr float left_out(Minimum) {
  return kInfinity;
}
constexpr float left_out(Maximum) {
  return -kInfinity;
}
constexpr float left_out(Product) {
  return 1;
}
constexpr float left_out(LogicalOr) {
  return 0;
}

// Values whose reduction is exact in any order.
Values choices(Product) {
  return {1, 2, -2, 0.5, -0.5, -1, 1, 2, -2, 0.5, 0, -0.0f, kInfinity, kNan};
}
template <class Op>
Values choices(Op) {
  return {1, -1, 2, -2, 3, -3, 0, -0.0f, kInfinity, -kInfinity, 5, 6, 7, 8, 9, -kNan};
}

std::vector<std::uint32_t> bits_of(const Values& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(float_bits(value));
  return bits;
}

template <class Op>
SparseVector<float> expected_result(const Vectors<float>& inputs) {
  std::map<Index, Values> by_index;
  for (const SparseVector<float>& input : inputs)
    for (std::size_t i = 0; i < input.indices.size(); ++i)
      by_index[input.indices[i]].push_back(input.values[i]);
  SparseVector<float> result{inputs.front().dimension, {}, {}};
  for (const auto& [index, values] : by_index) {
    const float value = expected_value(Op{}, values);
    if (value == left_out(Op{})) continue;
    result.indices.push_back(index);
    result.values.push_back(value);
  }
  return result;
}

template <class Op>
Vectors<float> random_inputs(Rank ranks, std::uint64_t dimension, std::uint64_t count) {
  std::mt19937_64 random(dimension * 1000 + count + static_cast<std::uint64_t>(ranks));
  const Values values = choices(Op{});
  Vectors<float> inputs;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::map<std::int64_t, float> elements;
    while (elements.size() < count)
      elements[static_cast<std::int64_t>(random() % dimension)] = values[random() % values.size()];
    inputs.push_back(sparse_vector<float, Op>(dimension, {elements.begin(), elements.end()}));
  }
  return inputs;
}

class Reductions : public ::testing::TestWithParam<WorldUnderTest> {
 protected:
  std::unique_ptr<World> world_ = GetParam().make();
  bool holds(Rank ranks) const { return ranks <= GetParam().most_ranks; }

  template <class Op>
  void expect_reductions(std::uint64_t dimension, std::uint64_t count) {
    for (const Rank ranks : kRankCounts) {
      if (!holds(ranks)) continue;
      const Vectors<float> inputs = random_inputs<Op>(ranks, dimension, count);
      const SparseVector<float> expected = expected_result<Op>(inputs);
      for (const auto& algorithm : allreduce_catalogue<Stream<float, Op>>()) {
        SCOPED_TRACE(std::string(algorithm.name) + ", " + std::string(Op::kName) +
                     ", P=" + std::to_string(ranks) + ", N=" + std::to_string(dimension));
        const RunResult result = run_allreduce(*world_, algorithm, inputs);
        expect_agreement(result);
        const SparseVector<float> found = result_of<float, Op>(result[0]);
        EXPECT_EQ(found.indices, expected.indices);
        EXPECT_EQ(bits_of(found.values), bits_of(expected.values));
      }
    }
  }
  template <class Op>
  void expect_all_shapes() {
    expect_reductions<Op>(1000, 20);  // stays sparse
    expect_reductions<Op>(100, 20);   // turns dense on the way
    expect_reductions<Op>(16, 16);    // is dense from the start
    expect_reductions<Op>(3, 1);      // shorter than the world
  }

  // The result at index 1 for every placement of a NaN among 1, 2, 3, 4, as bits of all algorithms.
  template <class Op>
  std::set<std::uint32_t> results_with_nan() {
    std::set<std::uint32_t> results;
    for (std::size_t holder = 0; holder < 4; ++holder) {
      Vectors<float> inputs;
      for (int rank = 0; rank < 4; ++rank)
        inputs.push_back(sparse_vector<float>(8, {{1, static_cast<float>(rank + 1)}, {6, 1.0f}}));
      inputs[holder].values[0] = std::bit_cast<float>(0xffc00123u);  // negative, with a payload
      for (const auto& algorithm : allreduce_catalogue<Stream<float, Op>>()) {
        const RunResult result = run_allreduce(*world_, algorithm, inputs);
        expect_agreement(result);
        const SparseVector<float> found = result_of<float, Op>(result[0]);
        EXPECT_TRUE(found.count() >= 1 && found.indices[0] == 1u) << algorithm.name;
        if (found.count() >= 1) results.insert(float_bits(found.values[0]));
      }
    }
    return results;
  }
};

TEST_P(Reductions, TakeTheMinimum) {
  expect_all_shapes<Minimum>();
}
TEST_P(Reductions, TakeTheMaximum) {
  expect_all_shapes<Maximum>();
}
TEST_P(Reductions, TakeTheProduct) {
  expect_all_shapes<Product>();
}
TEST_P(Reductions, TakeTheLogicalOr) {
  expect_all_shapes<LogicalOr>();
}

// ml-explore/mlx#4072: the minimum of 1, NaN, 3, 4 was 3. Whichever rank holds the NaN, all ranks and all
// algorithms give the same bits.
TEST_P(Reductions, D39NanOnAnyRank) {
  if (!holds(4)) GTEST_SKIP() << "needs 4 ranks, the world has " << GetParam().most_ranks;
  const std::set<std::uint32_t> one_nan = {float_bits(kNan)};
  EXPECT_EQ(results_with_nan<Minimum>(), one_nan);
  EXPECT_EQ(results_with_nan<Maximum>(), one_nan);
  EXPECT_EQ(results_with_nan<Product>(), one_nan);
  EXPECT_EQ(results_with_nan<LogicalOr>(), std::set<std::uint32_t>{float_bits(1.0f)});
  const std::set<std::uint32_t> sums = results_with_nan<Plus>();
  EXPECT_EQ(sums.size(), 1u);
  for (const std::uint32_t sum : sums) EXPECT_TRUE(std::isnan(std::bit_cast<float>(sum)));
}

// A NaN that no other rank's value meets is the one NaN, too.
TEST_P(Reductions, D39NanThatMeetsNothing) {
  if (!holds(2)) GTEST_SKIP() << "needs 2 ranks, the world has " << GetParam().most_ranks;
  const Vectors<float> inputs = {{8, {1}, {std::bit_cast<float>(0xffc00123u)}}, {8, {2}, {1}}};
  for (const auto& algorithm : allreduce_catalogue<Stream<float, Minimum>>()) {
    const RunResult result = run_allreduce(*world_, algorithm, inputs);
    EXPECT_EQ(bits_of(result_of<float, Minimum>(result[0]).values), bits_of({kNan, 1})) << algorithm.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, Reductions, ::testing::ValuesIn(worlds()),
                         [](const auto& world) { return test_name(world.param.name); });

}  // namespace
}  // namespace sparsewire::test
