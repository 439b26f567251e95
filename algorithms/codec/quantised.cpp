#include "algorithms/codec/quantised.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "algorithms/codec/index_set.hpp"
#include "algorithms/pattern/hash.hpp"

namespace sparsewire {
namespace {

using codec::load;
using codec::malformed;
using codec::store;

struct QuantisedHeader {
  std::uint32_t format = 0;
  std::uint32_t bits = 0;
  std::uint64_t begin = 0, end = 0;  // the range, elements
  std::uint64_t bucket = 0;          // elements
};
static_assert(sizeof(QuantisedHeader) == 32);
constexpr std::uint32_t kQuantisedFormat = 0x51505357;

unsigned levels_of(std::uint64_t bits) {
  return (1u << (bits - 1)) - 1;
}

struct Layout {
  std::uint64_t buckets = 0, codes_at = 0, size = 0;
};
Layout layout_of(const QuantisedHeader& header) {
  const std::uint64_t length = header.end - header.begin, buckets = quotient_up(length, header.bucket);
  const std::uint64_t codes_at = sizeof header + padded(buckets * sizeof(float));
  return {buckets, codes_at, codes_at + padded(quotient_up(length * header.bits, 8))};
}

QuantisedHeader header_of(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(QuantisedHeader)) malformed("shorter than its header");
  const auto header = load<QuantisedHeader>(bytes, 0);
  const bool known = header.bits == 2 || header.bits == 4 || header.bits == 8;
  if (header.format != kQuantisedFormat || !known || header.bucket == 0 || header.bucket > kMaxDimension)
    malformed("not the header of quantised values");
  if (header.end < header.begin || header.end > kMaxDimension)
    malformed("the range [" + std::to_string(header.begin) + ", " + std::to_string(header.end) + ")");
  const std::uint64_t size = layout_of(header).size;
  if (size > bytes.size())
    malformed(std::to_string(size) + " bytes announced, " + std::to_string(bytes.size()) + " there");
  return header;
}

// In [0, 1), of the seed, mixed once, and an index alone.
float random_share(std::uint64_t mixed_seed, std::uint64_t index) {
  return static_cast<float>(mixed_bits(mixed_seed + index) >> 40) * 0x1p-24f;
}

// The sign in the highest bit, the level below.
unsigned code_of(float value, float scale, std::uint64_t bits, float share) {
  const auto levels = static_cast<float>(levels_of(bits));
  const float exact = std::abs(value) / scale * levels, lower = std::floor(exact);
  const auto level = static_cast<unsigned>(lower) + (share < exact - lower ? 1u : 0u);
  return level | (std::signbit(value) && level > 0 ? 1u << (bits - 1) : 0u);
}

// What the codes of `bits` bits stand for, where the scale is 1.
std::array<float, 256> shares_of(std::uint64_t bits) {
  std::array<float, 256> shares{};
  const unsigned sign = 1u << (bits - 1);
  for (unsigned code = 0; code < 1u << bits; ++code) {
    const float share = static_cast<float>(code & (sign - 1)) / static_cast<float>(levels_of(bits));
    shares[code] = (code & sign) != 0 ? -share : share;
  }
  return shares;
}

float scale_of(std::span<const float> bucket) {
  float scale = 0;
  for (const float value : bucket) scale = std::max(scale, std::abs(value));
  return scale;
}

}  // namespace

bool can_be_quantised(const Stream<float>& stream) {
  return stream.is_dense() &&
         std::ranges::all_of(stream.values(), [](float value) { return std::isfinite(value); });
}

Message encode_quantised(const Stream<float>& stream, const Quantisation& quantisation) {
  const std::uint64_t bits = quantisation.bits;
  const QuantisedHeader header{kQuantisedFormat, static_cast<std::uint32_t>(bits), stream.begin(),
                               stream.end(), quantisation.bucket};
  const Layout layout = layout_of(header);
  std::vector<std::byte> bytes(layout.size);
  store(std::span(bytes), 0, header);
  const std::span<const float> values = stream.values();
  const std::uint64_t seed = mixed_bits(quantisation.seed);
  for (std::uint64_t bucket = 0; bucket < layout.buckets; ++bucket) {
    const std::uint64_t first = bucket * header.bucket,
                        count = std::min(header.bucket, values.size() - first);
    const float scale = scale_of(values.subspan(first, count));
    store(std::span(bytes), sizeof header + bucket * sizeof scale, scale);
    if (scale == 0) continue;
    for (std::uint64_t i = first; i < first + count; ++i) {
      const unsigned code = code_of(values[i], scale, bits, random_share(seed, stream.begin() + i));
      bytes[layout.codes_at + i * bits / 8] |= static_cast<std::byte>(code << (i * bits % 8));
    }
  }
  return Message(std::move(bytes));
}

bool is_quantised(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof(std::uint32_t) && load<std::uint32_t>(bytes, 0) == kQuantisedFormat;
}

std::size_t quantised_size(std::span<const std::byte> bytes) {
  return layout_of(header_of(bytes)).size;
}

Stream<float> decode_quantised(const Message& message) {
  if (message.chunk_count() != 1) malformed("not in one piece");
  const std::span<const std::byte> bytes = message.chunk(0);
  const QuantisedHeader header = header_of(bytes);
  const Layout layout = layout_of(header);
  if (layout.size != bytes.size()) malformed("bytes left over");
  StreamDraft<float> draft = StreamDraft<float>::dense(header.begin, header.end);
  float* const values = draft.values();
  const std::array<float, 256> shares = shares_of(header.bits);
  const std::uint64_t length = header.end - header.begin, bits = header.bits, mask = (1u << bits) - 1;
  for (std::uint64_t bucket = 0; bucket < layout.buckets; ++bucket) {
    const auto scale = load<float>(bytes, sizeof header + bucket * sizeof(float));
    const std::uint64_t last = std::min(length, (bucket + 1) * header.bucket);
    for (std::uint64_t i = bucket * header.bucket; i < last; ++i) {
      const auto byte = static_cast<std::uint64_t>(bytes[layout.codes_at + i * bits / 8]);
      values[i] = shares[byte >> (i * bits % 8) & mask] * scale;
    }
  }
  return Stream<float>::unpack(std::move(draft).finish(length));
}

}  // namespace sparsewire
