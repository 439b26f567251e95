#include "algorithms/payload/sparse_vector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sparsewire::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(std::uint64_t dimension, std::vector<std::pair<std::int64_t, float>> pairs) {
  try {
    sparse_vector<float>(dimension, std::move(pairs));
  } catch (const InvalidVector& error) {
    return error.what();
  }
  return "accepted";
}

// pytorch/pytorch#109462: {9, 2, 5} claimed to be sorted.
TEST(SparseVector, D31SortsItsInput) {
  const auto vector = sparse_vector<float>(10, {{9, 1}, {2, 2}, {5, 3}});
  EXPECT_THAT(vector.indices, ElementsAre(2, 5, 9));
  EXPECT_THAT(vector.values, ElementsAre(2, 3, 1));
}

TEST(SparseVector, AddsEqualIndicesInTheOrderGiven) {
  const auto vector = sparse_vector<double>(10, {{5, 1e16}, {3, 1}, {5, 1}, {5, -1e16}});
  EXPECT_THAT(vector.indices, ElementsAre(3, 5));
  EXPECT_THAT(vector.values, ElementsAre(1, 0));
}

// pytorch PR#163535: a negative index, or one at the end, corrupted the heap.
TEST(SparseVector, D30RefusesIndicesOutsideOfTheVector) {
  EXPECT_EQ(refusal(10, {{-1, 1}}), "index -1 is not in [0, 10)");
  EXPECT_EQ(refusal(10, {{3, 1}, {10, 1}}), "index 10 is not in [0, 10)");
  EXPECT_EQ(refusal(0, {{0, 1}}), "index 0 is not in [0, 0)");
  EXPECT_THAT(refusal((std::uint64_t{1} << 32) + 1, {}), HasSubstr("4294967297 is above 2^32"));
  EXPECT_EQ(refusal(std::uint64_t{1} << 32, {{4294967295, 1}}), "accepted");
}

TEST(SparseVector, ChecksItsInvariant) {
  require_valid(SparseVector<float>{4, {0, 3}, {1, 1}});
  EXPECT_THROW(require_valid(SparseVector<float>{4, {3, 0}, {1, 1}}), InvalidVector);
  EXPECT_THROW(require_valid(SparseVector<float>{4, {1, 1}, {1, 1}}), InvalidVector);
  EXPECT_THROW(require_valid(SparseVector<float>{4, {4}, {1}}), InvalidVector);
  EXPECT_THROW(require_valid(SparseVector<float>{4, {1}, {}}), InvalidVector);
}

TEST(SparseVector, DropsZerosOfEitherSign) {
  const auto vector = without_zeros(SparseVector<float>{9, {1, 2, 3}, {0.0f, -0.0f, 5.0f}});
  EXPECT_THAT(vector.indices, ElementsAre(3));
}

}  // namespace
}  // namespace sparsewire::test
