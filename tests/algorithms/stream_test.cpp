#include "algorithms/payload/stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

namespace sparsewire::test {
namespace {

using ::testing::ElementsAre;

static_assert(Summable<Stream<float>>);
static_assert(Summable<Stream<double>>);

Stream<float> sparse(std::uint64_t dimension, std::vector<std::pair<std::int64_t, float>> pairs) {
  SparseVector<float> vector = sparse_vector<float>(dimension, std::move(pairs));
  return Stream<float>::sparse(0, dimension, vector.indices, vector.values);
}

std::vector<float> dense_values(const Stream<float>& stream) {
  const Stream<float> dense = densified(stream).value;
  return {dense.values().begin(), dense.values().end()};
}

// Any stream of `dimension` elements, in a representation of its own.
rc::Gen<Stream<float>> any_stream(std::uint64_t dimension) {
  const auto pairs = rc::gen::container<std::map<std::int64_t, int>>(
      rc::gen::inRange<std::int64_t>(0, static_cast<std::int64_t>(dimension)), rc::gen::inRange(-5, 6));
  return rc::gen::apply(
      [dimension](const std::map<std::int64_t, int>& elements, bool dense) {
        std::vector<std::pair<std::int64_t, float>> list;
        for (const auto& [index, value] : elements) list.emplace_back(index, static_cast<float>(value));
        Stream<float> stream = sparse(dimension, list);
        return dense ? densified(std::move(stream)).value : stream;
      },
      pairs, rc::gen::arbitrary<bool>());
}

RC_GTEST_PROP(StreamProperty, SumIsThatOfTheDenseVectors, ()) {
  const auto dimension = *rc::gen::inRange<std::uint64_t>(1, 60);
  const Stream<float> a = *any_stream(dimension), b = *any_stream(dimension);
  const std::vector<float> total = dense_values(sum(a, b).value), left = dense_values(a),
                           right = dense_values(b);
  for (std::size_t i = 0; i < dimension; ++i) RC_ASSERT(total[i] == left[i] + right[i]);
}

RC_GTEST_PROP(StreamProperty, PackingLosesNothing, ()) {
  const Stream<float> stream = *any_stream(*rc::gen::inRange<std::uint64_t>(1, 60));
  const Message packed = pack(stream);
  const Stream<float> copy = Stream<float>::unpack(packed);
  RC_ASSERT(Stream<float>::packed_size(packed.chunk(0)) == packed.size());
  RC_ASSERT(copy.begin() == stream.begin() && copy.end() == stream.end() &&
            copy.is_dense() == stream.is_dense());
  RC_ASSERT(std::ranges::equal(copy.indices(), stream.indices()));
  RC_ASSERT(std::ranges::equal(copy.values(), stream.values()));
}

RC_GTEST_PROP(StreamProperty, SlicesConcatenateToTheWhole, ()) {
  const auto dimension = *rc::gen::inRange<std::uint64_t>(1, 60);
  const Stream<float> stream = *any_stream(dimension);
  std::vector<std::uint64_t> cuts =
      *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, dimension + 1));
  cuts.push_back(0);
  cuts.push_back(dimension);
  std::sort(cuts.begin(), cuts.end());
  std::vector<Stream<float>> parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    parts.push_back(slice(stream, cuts[i], cuts[i + 1]).value);
  RC_ASSERT(dense_values(concat(parts).value) == dense_values(stream));
}

RC_GTEST_PROP(StreamProperty, ConcatenatedPacksCanBeSplit, ()) {
  const Stream<float> a = *any_stream(20), b = *any_stream(30);
  Message both = pack(a);
  both.append(pack(b));
  for (const Message& received : {both, Message(both.flatten())}) {  // in chunks, or as one piece
    const std::vector<Message> parts = split_packed<Stream<float>>(received);
    RC_ASSERT(parts.size() == 2u);
    RC_ASSERT(parts[0].flatten() == pack(a).flatten());
    RC_ASSERT(parts[1].flatten() == pack(b).flatten());
  }
}

TEST(Stream, TurnsDenseAtBreakEven) {
  // fp32: a pair has 8 bytes, a value 4, so 8 of 16 elements break even
  const Stream<float> three = sparse(16, {{0, 1}, {1, 1}, {2, 1}}),
                      four = sparse(16, {{3, 1}, {4, 1}, {5, 1}, {6, 1}});
  EXPECT_FALSE(sum(three, four).value.is_dense());
  EXPECT_TRUE(sum(four, four).value.is_dense());  // by the bound on the union, though only 4 are distinct
  EXPECT_TRUE(dense_is_smaller(8, 16, 4));
  EXPECT_FALSE(dense_is_smaller(7, 16, 4));
  EXPECT_TRUE(dense_is_smaller(11, 16, 8));  // fp64: 12 bytes against 8
  EXPECT_FALSE(dense_is_smaller(10, 16, 8));
  EXPECT_FALSE(dense_is_smaller(0, 0, 4));
}

TEST(Stream, SmallVectorsSurviveTheOptimiser) {
  const Stream<double> two = stream_of(sparse_vector<double>(2, {{0, 3.0}, {1, 0.5}}));
  ASSERT_TRUE(two.is_dense());
  EXPECT_THAT(two.values(), ElementsAre(3.0, 0.5));
  const Stream<double> one = Stream<double>::sparse(0, 2, std::vector<Index>{1}, std::vector<double>{4});
  EXPECT_THAT(sum(two, one).value.values(), ElementsAre(3.0, 4.5));
  EXPECT_THAT(two.values(), ElementsAre(3.0, 0.5));  // a shared operand is not written to
}

TEST(Stream, ChargesTheWorkItDoes) {
  const Stream<float> two = sparse(100, {{0, 1}, {1, 1}}), full = densified(two).value;
  EXPECT_EQ(sum(two, two).work, Work::of(WorkKind::merge, 4));
  EXPECT_EQ(sum(two, full).work, Work::of(WorkKind::scatter_add, 2));
  EXPECT_EQ(sum(full, two).work, Work::of(WorkKind::scatter_add, 2));
  EXPECT_EQ(sum(full, full).work, Work::of(WorkKind::dense_add, 100));
  EXPECT_EQ(densified(two).work, Work::of(WorkKind::fill, 100) + Work::of(WorkKind::scatter_add, 2));
  EXPECT_EQ(densified(full).work, Work{});
  const Stream<float> third = sparse(100, {{0, 1}, {1, 1}, {2, 1}});
  EXPECT_EQ(slice(third, 0, 4).work, Work::of(WorkKind::fill, 4) + Work::of(WorkKind::scatter_add, 3));
}

TEST(Stream, SlicesOfSkewedVectorsTurnDenseOnTheirOwn) {
  const Stream<float> stream = sparse(100, {{0, 1}, {1, 2}, {60, 3}});
  EXPECT_TRUE(slice(stream, 0, 4).value.is_dense());
  EXPECT_FALSE(slice(stream, 50, 100).value.is_dense());
  EXPECT_THAT(slice(stream, 50, 100).value.indices(), ElementsAre(60));
  const Worked<Stream<float>> whole =
      concat(std::vector{slice(stream, 0, 4).value, slice(stream, 4, 100).value});
  EXPECT_FALSE(whole.value.is_dense());
  EXPECT_EQ(whole.work, Work::of(WorkKind::scan, 4));
  EXPECT_THAT(whole.value.indices(), ElementsAre(0, 1, 60));
}

TEST(Stream, RefusesWhatDoesNotFit) {
  const Stream<float> stream = sparse(16, {{1, 1}});
  EXPECT_THROW(sum(stream, sparse(17, {})), std::invalid_argument);
  EXPECT_THROW(slice(stream, 3, 17), std::invalid_argument);
  EXPECT_THROW(slice(stream, 5, 4), std::invalid_argument);
  EXPECT_THROW(concat(std::vector{slice(stream, 0, 4).value, slice(stream, 5, 16).value}),
               std::invalid_argument);
}

TEST(Stream, RefusesMalformedBytes) {
  const std::vector<std::byte> good = pack(sparse(16, {{1, 1}, {5, 1}, {9, 3}})).flatten();
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW(
        Stream<float>::unpack(Message({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)})),
        std::runtime_error)
        << length;
  EXPECT_THROW(Stream<double>::unpack(Message(good)), std::runtime_error);
  std::vector<std::byte> bad = good;
  bad[0] = std::byte{0};
  EXPECT_THROW(Stream<float>::unpack(Message(bad)), std::runtime_error);
}

TEST(Message, SharesItsParts) {
  const Message whole(std::vector<std::byte>(100));
  const Message part = whole.part(0, 40, 10);
  EXPECT_EQ(part.wire_size(), 10u);
  EXPECT_EQ(part.chunk(0).data(), whole.chunk(0).data() + 40);
  EXPECT_THROW(whole.part(0, 95, 6), std::out_of_range);
  EXPECT_THROW(whole.part(1, 0, 0), std::out_of_range);
}

}  // namespace
}  // namespace sparsewire::test
