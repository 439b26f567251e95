#include "algorithms/codec/quantised.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "algorithms/payload/coded.hpp"

namespace sparsewire::test {
namespace {

constexpr std::uint64_t kBits[] = {2, 4, 8};

float levels_of(std::uint64_t bits) {
  return static_cast<float>((1 << (bits - 1)) - 1);
}

Stream<float> dense_stream(std::uint64_t begin, const std::vector<float>& values) {
  return Stream<float>::dense(begin, begin + values.size(), values);
}

std::vector<float> normal_values(std::size_t count) {
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal(0.1f, 3);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<float> rounded(const std::vector<float>& values, const Quantisation& quantisation,
                           std::uint64_t begin = 0) {
  const Stream<float> stream = decode_quantised(encode_quantised(dense_stream(begin, values), quantisation));
  EXPECT_EQ(stream.begin(), begin);
  return {stream.values().begin(), stream.values().end()};
}

// The scale of value i's bucket.
float scale_at(const std::vector<float>& values, std::size_t i, std::size_t bucket) {
  float scale = 0;
  for (std::size_t j = i / bucket * bucket; j < std::min(values.size(), (i / bucket + 1) * bucket); ++j)
    scale = std::max(scale, std::abs(values[j]));
  return scale;
}

TEST(Quantised, ValuesOnLevelsComeBackExactly) {
  for (const std::uint64_t bits : kBits) {
    const int most = static_cast<int>(levels_of(bits));
    std::vector<float> values;
    for (int level = -most; level <= most; ++level) values.push_back(static_cast<float>(level) * 0.5f);
    for (const std::uint64_t begin : {0u, 1000u})
      EXPECT_EQ(rounded(values, {bits, 512, 9}, begin), values) << bits << " bits";
  }
}

TEST(Quantised, ErrorsStayBelowALevelOfTheirBucket) {
  const std::vector<float> values = normal_values(1000);
  for (const std::uint64_t bits : kBits)
    for (const std::size_t bucket : {1u, 7u, 512u, 4096u}) {
      const std::vector<float> found = rounded(values, {bits, bucket, 1});
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_LE(std::abs(found[i] - values[i]), scale_at(values, i, bucket) / levels_of(bits) * (1 + 1e-6f))
            << bits << " bits, bucket " << bucket << ", value " << i;
    }
}

TEST(Quantised, ZerosStayZeros) {
  std::vector<float> values = normal_values(100);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = i % 2 == 0 ? 0.0f : -0.0f;
  for (const std::uint64_t bits : kBits)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::vector<float> found = rounded(values, {bits, 16, seed});
      for (std::size_t i = 0; i < values.size(); i += 3) EXPECT_EQ(found[i], 0.0f);
    }
  EXPECT_EQ(rounded(std::vector<float>(70, 0.0f), {4, 16, 1}), std::vector<float>(70, 0.0f));
}

// A rounding is off by less than a level, so its standard deviation is at most half a level; the mean of n is
// within five of its own standard deviations in all but 6 of 10^7 cases.
TEST(Quantised, RoundingIsUnbiased) {
  constexpr std::uint64_t kSeeds = 4000, kBucket = 50;
  const std::vector<float> values = normal_values(100);
  for (const std::uint64_t bits : kBits) {
    std::vector<double> sums(values.size());
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const std::vector<float> found = rounded(values, {bits, kBucket, seed});
      for (std::size_t i = 0; i < values.size(); ++i) sums[i] += static_cast<double>(found[i]);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double level = static_cast<double>(scale_at(values, i, kBucket) / levels_of(bits));
      EXPECT_NEAR(sums[i] / kSeeds, static_cast<double>(values[i]), 5 * level / 2 / std::sqrt(double{kSeeds}))
          << bits << " bits, value " << i;
    }
  }
}

TEST(Quantised, SeedAndRangeDecideTheRounding) {
  const std::vector<float> values = normal_values(300);
  const Quantisation quantisation{4, 128, 7};
  const auto bytes = [&](const Quantisation& q) {
    return encode_quantised(dense_stream(0, values), q).flatten();
  };
  EXPECT_EQ(bytes(quantisation), bytes(quantisation));
  EXPECT_NE(bytes(quantisation), bytes({4, 128, 8}));
  EXPECT_NE(rounded(values, quantisation, 0), rounded(values, quantisation, 300));
}

TEST(Quantised, TakesTheBytesItIsToTake) {
  for (const std::uint64_t bits : kBits) {
    const Message message = encode_quantised(dense_stream(64, normal_values(4096)), {bits, 512, 1});
    EXPECT_EQ(message.size(), 32 + 4096 * bits / 8 + 4096 / 512 * 4);
    EXPECT_EQ(quantised_size(message.chunk(0)), message.size());
  }
  EXPECT_EQ(encode_quantised(dense_stream(0, normal_values(3)), {2, 2, 1}).size(), 32u + 8 + 8);
  EXPECT_EQ(encode_quantised(Stream<float>(), {2, 2, 1}).size(), 32u);
}

TEST(Quantised, WhatIsNotFiniteIsNotRounded) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    std::vector<float> values = normal_values(100);
    values[50] = bad;
    const Stream<float> stream = dense_stream(0, values);
    EXPECT_FALSE(can_be_quantised(stream));
    const Coded<float> coded(stream, {Codec::pairs, {8, 512, 1}});
    EXPECT_EQ(pack_result(coded).flatten(), stream.packed().flatten());
  }
  EXPECT_FALSE(can_be_quantised(Stream<float>::sparse(0, 100, std::vector<Index>{3}, std::vector<float>{1})));
}

TEST(Quantised, OnlyFinishedDensePartsAreRounded) {
  const Stream<float> dense = dense_stream(0, normal_values(100));
  const Coding coding{Codec::bitmap, {8, 512, 1}};
  const Coded<float> value(dense, coding);
  EXPECT_EQ(Coded<float>::unpack(pack(value)).stream().packed().flatten(), dense.packed().flatten());
  const Message result = pack_result(value);
  EXPECT_TRUE(is_quantised(result.chunk(0)));
  EXPECT_EQ(pack_result_work(value), Work::of(WorkKind::encode, 100));
  const Coded<float> received = Coded<float>::unpack(result);
  EXPECT_EQ(unpack_work(received), Work::of(WorkKind::decode, 25));
  EXPECT_FALSE(is_quantised(pack_result(received).chunk(0)));  // it is passed on as it is
  // a sum on its way is to be rounded in the end, whichever operand has been received
  EXPECT_EQ(sum(received, value).value.coding().quantisation.bits, 8u);
  EXPECT_EQ(sum(value, received).value.coding().quantisation.bits, 8u);
}

RC_GTEST_PROP(QuantisedProperty, DamagedBlocksAreRefusedOrValid, ()) {
  const auto length = *rc::gen::inRange<std::size_t>(0, 200);
  const Quantisation quantisation{*rc::gen::elementOf(std::vector<std::uint64_t>{2, 4, 8}), 16, 1};
  std::vector<std::byte> bytes =
      encode_quantised(dense_stream(40, normal_values(length)), quantisation).flatten();
  RC_ASSERT(is_quantised(bytes));
  const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size());
  RC_ASSERT_THROWS_AS(decode_quantised(Message(std::vector<std::byte>(
                          bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut)))),
                      std::runtime_error);
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = static_cast<std::byte>(*rc::gen::inRange(0, 256));
  try {
    const Stream<float> stream = decode_quantised(Message(std::move(bytes)));
    RC_ASSERT(stream.is_dense() && stream.end() <= kMaxDimension);
  } catch (const std::runtime_error& error) {
    RC_ASSERT(std::string(error.what()).starts_with("malformed block: "));
  }
}

}  // namespace
}  // namespace sparsewire::test
