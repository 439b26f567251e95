#include "algorithms/codec/codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>
#include <random>

#include "algorithms/payload/coded.hpp"

namespace sparsewire::test {
namespace {

using ::testing::HasSubstr;

static_assert(Summable<Coded<float>>);
static_assert(Summable<Coded<double, Minimum>>);

std::vector<Codec> codecs() {
  std::vector<Codec> all;
  for (const std::string_view name : kCodecNames) all.push_back(*codec_named(name));
  return all;
}

template <class T, class Op>
Stream<T, Op> stream_from(std::uint64_t begin, std::uint64_t end,
                          const std::map<std::uint64_t, T>& elements) {
  std::vector<Index> indices;
  std::vector<T> values;
  for (const auto& [index, value] : elements) {
    indices.push_back(static_cast<Index>(begin + index));
    values.push_back(value);
  }
  return Stream<T, Op>::sparse(begin, end, indices, values);
}

template <class T, class Op>
void expect_round_trip(const Stream<T, Op>& stream) {
  for (const Codec codec : codecs()) {
    SCOPED_TRACE(std::string(name_of(codec)) + ", [" + std::to_string(stream.begin()) + ", " +
                 std::to_string(stream.end()) + ") with " + std::to_string(stream.count()));
    const Message message = encode(codec, stream);
    EXPECT_EQ(message.size(), encoded_bytes(codec, stream));
    EXPECT_EQ(message.size() % 8, 0u);
    EXPECT_EQ((encoded_size<T, Op>(message.chunk(0))), message.size());
    const Decoded<T, Op> decoded = decode<T, Op>(message);
    EXPECT_EQ(decoded.wanted, codec);
    EXPECT_EQ(decoded.used, encoding_of(codec, stream).codec);
    EXPECT_EQ(decoded.stream.packed().flatten(), stream.packed().flatten());
  }
}

// Both ways to hold the elements.
template <class T, class Op = Plus>
void expect_round_trips(std::uint64_t begin, std::uint64_t end, const std::map<std::uint64_t, T>& elements) {
  const Stream<T, Op> sparse = stream_from<T, Op>(begin, end, elements);
  expect_round_trip(sparse);
  expect_round_trip(densified(sparse).value);
}

constexpr std::uint64_t kLengths[] = {1, 2, 7, 8, 9, 63, 64, 65, 100, 129, 4095, 4096, 4097, 10000};

TEST(Codecs, RoundTripAtTheEdges) {
  for (const std::uint64_t begin : {0u, 5u, 64u, 12345u})
    for (const std::uint64_t length : kLengths) {
      expect_round_trips<float>(begin, begin + length, {});
      expect_round_trips<float>(begin, begin + length, {{0, 1.5f}});
      expect_round_trips<float>(begin, begin + length, {{length - 1, -2.5f}});
      std::map<std::uint64_t, float> full;
      for (std::uint64_t i = 0; i < length; ++i) full[i] = static_cast<float>(i + 1);
      expect_round_trips<float>(begin, begin + length, full);
    }
  expect_round_trips<double>(0, 0, {});
  expect_round_trips<double>(77, 77, {});
}

TEST(Codecs, RoundTripAtTheLargestIndices) {
  expect_round_trip(stream_from<double, Plus>(kMaxDimension - 300, kMaxDimension, {{0, 1.0}, {299, 2.0}}));
  // gaps of five bytes; without the codecs that write a bit or more for each index of 2^32
  const auto wide = stream_from<float, Plus>(0, kMaxDimension, {{0, 1}, {kMaxDimension - 1, 2}});
  for (const Codec codec : {Codec::pairs, Codec::delta, Codec::bit_packed})
    EXPECT_EQ(decode<float>(encode(codec, wide)).stream.packed().flatten(), wide.packed().flatten());
}

TEST(Codecs, KeepExplicitZerosAndTheSignOfZero) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::map<std::uint64_t, float> values = {
      {0, 0.0f}, {3, -0.0f}, {64, kNan}, {65, 0.0f}, {66, std::numeric_limits<float>::infinity()}};
  expect_round_trips<float>(10, 200, values);
  expect_round_trips<float>(10, 77, values);
  expect_round_trips<float>(0, 40, {{1, 0.0f}, {39, 0.0f}});  // nothing else
}

TEST(Codecs, FillDenseRangesWithTheIdentityOfTheOperator) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  expect_round_trips<double, Minimum>(3, 150, {{0, 1.0}, {7, kInfinity}, {8, 0.0}, {100, -kInfinity}});
  expect_round_trips<double, Product>(3, 150, {{0, 1.0}, {7, 0.0}, {100, 5.0}});
  const auto block = encode(Codec::bitmap, stream_from<double, Minimum>(0, 9, {{2, 3.0}}));
  EXPECT_THROW((decode<double, Maximum>(block)), std::runtime_error);
  EXPECT_THROW((decode<float, Minimum>(block)), std::runtime_error);
}

// A stream of any density, somewhere, held either way, with zeros of both signs among its values.
rc::Gen<Stream<float>> any_stream() {
  return rc::gen::apply(
      [](std::uint64_t begin, std::uint64_t length, unsigned percent, bool dense, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        std::map<std::uint64_t, float> elements;
        for (std::uint64_t i = 0; i < length; ++i)
          if (random() % 10000 < percent * percent)
            elements[i] =
                static_cast<float>(static_cast<int>(random() % 5) - 2) * (random() % 2 == 0 ? -1.0f : 1.0f);
        Stream<float> stream = stream_from<float, Plus>(begin, begin + length, elements);
        return dense ? densified(std::move(stream)).value : stream;
      },
      rc::gen::inRange<std::uint64_t>(0, 10000), rc::gen::element<std::uint64_t>(0, 1, 63, 70, 700, 9000),
      rc::gen::inRange(0u, 101u), rc::gen::arbitrary<bool>(), rc::gen::arbitrary<std::uint64_t>());
}

RC_GTEST_PROP(CodecProperty, EveryStreamComesBackBitForBit, ()) {
  expect_round_trip(*any_stream());
  RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(CodecProperty, AutoIsTheSmallest, ()) {
  const Stream<float> stream = *any_stream();
  const std::uint64_t least = encoded_bytes(Codec::automatic, stream);
  for (const Codec codec : codecs()) RC_ASSERT(least <= encoded_bytes(codec, stream));
}

RC_GTEST_PROP(CodecProperty, NoneIsLongerThanDense, ()) {
  const Stream<float> stream = *any_stream();
  for (const Codec codec : codecs())
    if (codec != Codec::pairs) RC_ASSERT(encoded_bytes(codec, stream) <= encoded_bytes(Codec::dense, stream));
}

RC_GTEST_PROP(CodecProperty, BlocksBehindOneAnotherCanBeSplit, ()) {
  const Codec codec = *rc::gen::elementOf(codecs());
  const Coded<float> a(*any_stream(), {codec, {}}), b(*any_stream(), {codec, {}});
  Message both = pack(a);
  both.append(pack(b));
  const std::vector<Message> parts = split_packed<Coded<float>>(Message(both.flatten()));
  RC_ASSERT(parts.size() == 2u);
  RC_ASSERT(parts[0].flatten() == pack(a).flatten() && parts[1].flatten() == pack(b).flatten());
}

// What decode() says of damaged bytes: that they are, or a stream that keeps its invariants.
void expect_refused_or_valid(std::vector<std::byte> bytes) {
  try {
    const Stream<float> stream = decode<float>(Message(std::move(bytes))).stream;
    RC_ASSERT(stream.end() <= kMaxDimension && stream.count() <= stream.length());
    for (std::size_t i = 0; i < stream.indices().size(); ++i) {
      RC_ASSERT(stream.indices()[i] >= stream.begin() && stream.indices()[i] < stream.end());
      if (i > 0) RC_ASSERT(stream.indices()[i] > stream.indices()[i - 1]);
    }
  } catch (const std::runtime_error& error) {
    RC_ASSERT(std::string(error.what()).starts_with("malformed block: "));
  }
}

RC_GTEST_PROP(CodecProperty, TruncatedBlocksAreRefused, ()) {
  const std::vector<std::byte> whole = encode(*rc::gen::elementOf(codecs()), *any_stream()).flatten();
  const auto length = *rc::gen::inRange<std::size_t>(0, whole.size());
  const auto end = whole.begin() + static_cast<std::ptrdiff_t>(length);
  RC_ASSERT_THROWS_AS(decode<float>(Message(std::vector<std::byte>(whole.begin(), end))), std::runtime_error);
}

RC_GTEST_PROP(CodecProperty, DamagedBlocksAreRefusedOrValid, ()) {
  std::vector<std::byte> bytes = encode(*rc::gen::elementOf(codecs()), *any_stream()).flatten();
  for (int flips = *rc::gen::inRange(1, 4); flips > 0; --flips)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^=
        static_cast<std::byte>(*rc::gen::inRange(1, 256));
  expect_refused_or_valid(bytes);
}

// Damage that hits the codec's own part for certain.
RC_GTEST_PROP(CodecProperty, DamagedIndicesAreRefusedOrValid, ()) {
  std::vector<std::byte> bytes = encode(*rc::gen::elementOf(codecs()), *any_stream()).flatten();
  const std::size_t header = sizeof(codec::BlockHeader);
  RC_PRE(bytes.size() > header);
  const std::size_t last = std::min(bytes.size(), header + 64);
  for (int flips = *rc::gen::inRange(1, 4); flips > 0; --flips)
    bytes[*rc::gen::inRange(header, last)] = static_cast<std::byte>(*rc::gen::inRange(0, 256));
  expect_refused_or_valid(bytes);
}

TEST(Codecs, SayWhatIsWrong) {
  const auto why = [](std::vector<std::byte> bytes) -> std::string {
    try {
      decode<float>(Message(std::move(bytes)));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  const std::vector<std::byte> good =
      encode(Codec::bitmap, stream_from<float, Plus>(0, 100, {{3, 1}, {70, 1}})).flatten();
  EXPECT_THAT(why({good.begin(), good.begin() + 20}), HasSubstr("shorter than its header"));
  EXPECT_THAT(why({good.begin(), good.end() - 8}), HasSubstr("56 bytes announced, 48 there"));
  std::vector<std::byte> bad = good;
  bad[9] = std::byte{1};
  EXPECT_THAT(why(bad), HasSubstr("damaged"));
  bad = good;
  bad[32] = std::byte{0};  // bits 0 to 7 of the bitmap
  EXPECT_THAT(why(bad), HasSubstr("1 indices, 2 announced"));
  bad = good;
  bad[40] = std::byte{0};
  bad[47] = std::byte{128};  // bit 127 of 100
  EXPECT_THAT(why(bad), HasSubstr("index 127 is not in [4, 100)"));
}

// 100 elements at equal distances of 100, as fp32: 32 bytes of header, 400 of values.
TEST(Codecs, TakeTheBytesTheyAreToTake) {
  std::map<std::uint64_t, float> elements;
  for (std::uint64_t i = 0; i < 100; ++i) elements[100 * i] = 1;
  const Stream<float> stream = stream_from<float, Plus>(0, 10000, elements);
  const std::map<Codec, std::uint64_t> expected = {
      {Codec::pairs, 32 + 400 + 400},
      {Codec::bitmap, 32 + 157 * 8 + 400},
      {Codec::tiled_bitmap, 32 + 8 + (16 + 3 * 8 + 100 * 8) + 400},  // counts of 3 tiles, masks, words
      {Codec::delta, 32 + 8 + 104 + 400},                            // a byte an element
      {Codec::bit_packed, 32 + 8 + 96 + 400},                        // 1 + 100 * 7 bits
      {Codec::dense, 32 + 8 + 40000},                                // and how many zeros are elements
      {Codec::automatic, 32 + 8 + 96 + 400},
  };
  for (const auto& [codec, bytes] : expected)
    EXPECT_EQ(encoded_bytes(codec, stream), bytes) << name_of(codec);
  const Stream<float> held_dense = densified(stream).value;
  EXPECT_EQ(encoded_bytes(Codec::pairs, held_dense), 32u + 40000);  // as it is held
  EXPECT_EQ(encoded_bytes(Codec::dense, held_dense), 32u + 40000);
  EXPECT_EQ(encoded_bytes(Codec::bitmap, held_dense), 32u + 157 * 8 + 400);
  EXPECT_EQ(encoded_bytes(Codec::pairs, stream), stream.packed().size());
}

TEST(Codecs, TheBloomFilterIsAsLargeAsItsShape) {
  std::map<std::uint64_t, float> elements;
  std::mt19937_64 random(3);
  while (elements.size() < 1000) elements[random() % 100000] = 1;
  const BloomShape shape = bloom_shape(1000, 100000, 4);
  EXPECT_EQ(shape.hashes, 11u);  // a rate of 1 in 1522
  EXPECT_EQ(shape.words, 248u);  // 11 / ln 2 bits an element
  const std::uint64_t bytes = encoded_bytes(Codec::bloom, stream_from<float, Plus>(0, 100000, elements));
  const std::uint64_t exact = 32 + 4 * 8 + 248 * 8 + 4000;
  EXPECT_GT(bytes, exact);
  EXPECT_LT(bytes, exact + 4 * 130);  // 48 false positives are expected
}

TEST(Codecs, EmptyTilesCostLittle) {
  std::map<std::uint64_t, float> cluster;
  for (std::uint64_t i = 0; i < 640; ++i) cluster[50 * 4096 + i] = 1;
  const Stream<float> stream = stream_from<float, Plus>(0, 100 * 4096, cluster);
  EXPECT_EQ(encoded_bytes(Codec::tiled_bitmap, stream), 32u + 8 + 400 + 8 + 80 + 2560);
  EXPECT_EQ(encoded_bytes(Codec::bitmap, stream), 32u + 100 * 512 + 2560);
}

TEST(Coded, ChargesWhatItsCodecTakes) {
  const Stream<float> stream = stream_from<float, Plus>(0, 1000, {{3, 1}, {70, 1}});
  const Stream<float> full = densified(stream).value;
  const auto work = [](Codec codec, const Stream<float>& held) {
    const Coded<float> coded(held, {codec, {}});
    return std::pair(pack_work(coded), unpack_work(Coded<float>::unpack(pack(coded))));
  };
  const auto encode = [](std::uint64_t steps) { return Work::of(WorkKind::encode, steps); };
  const auto decode = [](std::uint64_t steps) { return Work::of(WorkKind::decode, steps); };
  const auto fill = Work::of(WorkKind::fill, 1000), scan = Work::of(WorkKind::scan, 1000),
             scatter = Work::of(WorkKind::scatter_add, 2);
  EXPECT_EQ(work(Codec::pairs, stream), std::pair(Work{}, Work{}));
  EXPECT_EQ(work(Codec::pairs, full), std::pair(Work{}, Work{}));
  EXPECT_EQ(work(Codec::dense, full), std::pair(Work{}, Work{}));
  EXPECT_EQ(work(Codec::dense, stream), std::pair(fill + scatter, scan));
  EXPECT_EQ(work(Codec::bitmap, stream), std::pair(encode(2 + 16), decode(2 + 16)));
  EXPECT_EQ(work(Codec::bitmap, full), std::pair(scan + encode(2 + 16), fill + scatter + decode(2 + 16)));
  EXPECT_EQ(work(Codec::tiled_bitmap, stream), std::pair(encode(2 + 1), decode(2 + 1)));
  EXPECT_EQ(work(Codec::delta, stream), std::pair(encode(2), decode(2)));
  EXPECT_EQ(work(Codec::bloom, stream), std::pair(encode(2 + 4000), decode(2 + 4000)));
  EXPECT_EQ(work(Codec::automatic, stream), std::pair(encode(2), Work{}));  // as pairs
}

}  // namespace
}  // namespace sparsewire::test
