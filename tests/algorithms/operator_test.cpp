#include "algorithms/payload/operator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "algorithms/payload/stream.hpp"

namespace sparsewire::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class T>
T nan_of(std::uint32_t payload, bool negative) {
  const T nan =
      std::bit_cast<T>(static_cast<FloatBits<T>>(float_bits(std::numeric_limits<T>::quiet_NaN()) + payload));
  return negative ? -nan : nan;
}

template <class T>
std::vector<T> awkward_values() {
  using Limits = std::numeric_limits<T>;
  return {T{0},
          -T{0},
          T{1},
          T{-1},
          T{3},
          Limits::max(),
          -Limits::max(),
          Limits::denorm_min(),
          Limits::infinity(),
          -Limits::infinity(),
          nan_of<T>(0, false),
          nan_of<T>(7, true)};
}

template <class T>
class Operators : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Operators, ValueTypes);

template <class Op, class T>
void expect_laws() {
  const T identity = Op::template identity<T>();
  for (const T raw : awkward_values<T>()) {
    const T a = Op::prepared(raw);
    EXPECT_EQ(float_bits(Op::prepared(a)), float_bits(a)) << Op::kName << " " << a;
    EXPECT_EQ(float_bits(Op::combined(identity, a)), float_bits(a)) << Op::kName << " " << a;
    for (const T other : awkward_values<T>()) {
      const T b = Op::prepared(other);
      EXPECT_EQ(float_bits(Op::combined(a, b)), float_bits(Op::combined(b, a)))
          << Op::kName << " " << a << " " << b;
      EXPECT_EQ(float_bits(Op::combined(raw, other)), float_bits(Op::combined(a, b)))
          << Op::kName << " " << raw << " " << other;
      for (const T third : {T{2}, -T{0}, nan_of<T>(9, false)}) {
        const T c = Op::prepared(third);
        EXPECT_EQ(float_bits(Op::combined(Op::combined(a, b), c)),
                  float_bits(Op::combined(a, Op::combined(b, c))))
            << Op::kName << " " << a << " " << b << " " << c;
      }
    }
  }
}

TYPED_TEST(Operators, AreCommutativeAssociativeAndKeepTheIdentity) {
  expect_laws<Minimum, TypeParam>();
  expect_laws<Maximum, TypeParam>();
  expect_laws<LogicalOr, TypeParam>();
}

TYPED_TEST(Operators, MinimumAndMaximumAreThoseOfIEEE754) {
  using T = TypeParam;
  const T nan = nan_of<T>(0, false), infinity = std::numeric_limits<T>::infinity();
  EXPECT_EQ(Minimum::combined(T{3}, T{-4}), T{-4});
  EXPECT_EQ(Maximum::combined(T{3}, T{-4}), T{3});
  EXPECT_EQ(Minimum::combined(infinity, T{5}), T{5});
  EXPECT_EQ(Maximum::combined(-infinity, T{5}), T{5});
  EXPECT_TRUE(std::signbit(Minimum::combined(T{0}, -T{0})));
  EXPECT_TRUE(std::signbit(Minimum::combined(-T{0}, T{0})));
  EXPECT_FALSE(std::signbit(Maximum::combined(T{0}, -T{0})));
  EXPECT_FALSE(std::signbit(Maximum::combined(-T{0}, T{0})));
  for (const T other : awkward_values<T>()) {
    EXPECT_EQ(float_bits(Minimum::combined(other, nan_of<T>(5, true))), float_bits(nan)) << other;
    EXPECT_EQ(float_bits(Maximum::combined(nan_of<T>(5, true), other)), float_bits(nan)) << other;
    EXPECT_EQ(float_bits(Product::combined(nan_of<T>(5, true), other)), float_bits(nan)) << other;
    EXPECT_EQ(LogicalOr::combined(nan_of<T>(5, true), other), T{1}) << other;
  }
  EXPECT_EQ(float_bits(Product::combined(infinity, T{0})), float_bits(nan));
}

TYPED_TEST(Operators, FillDenseRangesWithTheirIdentity) {
  using T = TypeParam;
  const auto dense_of = [](auto op, std::vector<T> values) {
    const SparseVector<T> vector{4, {0, 2}, std::move(values)};
    const auto dense = densified(stream_of<decltype(op)>(vector)).value;
    return std::vector<T>(dense.values().begin(), dense.values().end());
  };
  const T infinity = std::numeric_limits<T>::infinity();
  EXPECT_THAT(dense_of(Minimum{}, {5, -2}), ElementsAre(5, infinity, -2, infinity));
  EXPECT_THAT(dense_of(Maximum{}, {5, -2}), ElementsAre(5, -infinity, -2, -infinity));
  EXPECT_THAT(dense_of(Product{}, {5, -2}), ElementsAre(5, 1, -2, 1));
  EXPECT_THAT(dense_of(LogicalOr{}, {5, 0}), ElementsAre(1, 0, 0, 0));
}

TYPED_TEST(Operators, LeaveTheirIdentityOutOfResults) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  const SparseVector<T> vector{64, {1, 2, 3, 4, 5}, {0, 1, infinity, -infinity, 7}};
  const auto left = [&](auto op) { return sparse_vector_of(stream_of<decltype(op)>(vector)).indices; };
  EXPECT_THAT(left(Plus{}), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(left(Product{}), ElementsAre(1, 3, 4, 5));
  EXPECT_THAT(left(Minimum{}), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(left(Maximum{}), ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(left(LogicalOr{}), ElementsAre(2, 3, 4, 5));
}

TEST(Operator, CombinesEqualIndicesOfOneVector) {
  const std::vector<std::pair<std::int64_t, float>> pairs = {{5, 2.0f}, {3, 1.0f}, {5, 3.0f}};
  EXPECT_THAT((sparse_vector<float, Minimum>(8, pairs).values), ElementsAre(1, 2));
  EXPECT_THAT((sparse_vector<float, Product>(8, pairs).values), ElementsAre(1, 6));
}

TEST(Operator, IsToldApartOnTheWire) {
  const SparseVector<float> vector{8, {1}, {2}};
  const Message packed = pack(stream_of<Maximum>(vector));
  try {
    Stream<float, Minimum>::unpack(packed);
    ADD_FAILURE() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("another operator: code 2, expected 1 (min)"));
  }
  EXPECT_THROW(Stream<float>::unpack(packed), std::runtime_error);
  EXPECT_EQ((Stream<float, Maximum>::unpack(packed).count()), 1u);
}

// Any stream of `dimension` elements, in a representation of its own.
template <class Op>
rc::Gen<Stream<double, Op>> any_stream(std::uint64_t dimension) {
  return rc::gen::apply(
      [dimension](const std::vector<std::uint8_t>& kinds, bool dense) {
        const std::vector<double> values = awkward_values<double>();
        SparseVector<double> vector{dimension, {}, {}};
        for (std::size_t i = 0; i < std::min<std::size_t>(dimension, kinds.size()); ++i)
          if (kinds[i] < values.size()) {
            vector.indices.push_back(static_cast<Index>(i));
            vector.values.push_back(values[kinds[i]]);
          }
        Stream<double, Op> stream = stream_of<Op>(vector);
        return dense ? densified(std::move(stream)).value : stream;
      },
      rc::gen::container<std::vector<std::uint8_t>>(rc::gen::inRange<std::uint8_t>(0, 30)),
      rc::gen::arbitrary<bool>());
}

template <class Op>
std::vector<std::uint64_t> dense_bits(const Stream<double, Op>& stream) {
  const Stream<double, Op> dense = densified(stream).value;
  std::vector<std::uint64_t> all;
  for (const double value : dense.values()) all.push_back(float_bits(value));
  return all;
}

// Whatever the representations: merge, scatter and dense loop give what the operator gives for each index.
template <class Op>
void expect_combination_by_index() {
  const auto dimension = *rc::gen::inRange<std::uint64_t>(1, 60);
  const Stream<double, Op> a = *any_stream<Op>(dimension), b = *any_stream<Op>(dimension);
  const auto total = dense_bits(sum(a, b).value), left = dense_bits(a), right = dense_bits(b);
  for (std::size_t i = 0; i < dimension; ++i)
    RC_ASSERT(total[i] ==
              float_bits(Op::combined(std::bit_cast<double>(left[i]), std::bit_cast<double>(right[i]))));
}

RC_GTEST_PROP(OperatorProperty, MinimumByIndex, ()) {
  expect_combination_by_index<Minimum>();
}
RC_GTEST_PROP(OperatorProperty, MaximumByIndex, ()) {
  expect_combination_by_index<Maximum>();
}
RC_GTEST_PROP(OperatorProperty, ProductByIndex, ()) {
  expect_combination_by_index<Product>();
}
RC_GTEST_PROP(OperatorProperty, LogicalOrByIndex, ()) {
  expect_combination_by_index<LogicalOr>();
}

}  // namespace
}  // namespace sparsewire::test
