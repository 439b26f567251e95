#include "model/coded_bytes.hpp"

#include <algorithm>
#include <cmath>

#include "model/wire_format.hpp"

namespace sparsewire {
namespace {

constexpr std::uint64_t kWord = 8;

std::uint64_t rounded(double bytes) {
  return static_cast<std::uint64_t>(std::llround(bytes));
}

double density_of(const BlockShape& shape) {
  return shape.length == 0 ? 0 : static_cast<double>(shape.count) / static_cast<double>(shape.length);
}

// That all of `many` indices have no element.
double all_empty(const BlockShape& shape, double many) {
  return std::pow(1 - density_of(shape), many);
}

double bitmap_bytes(const BlockShape& shape) {
  return static_cast<double>(quotient_up(shape.length, 64) * kWord);
}

double tiled_bitmap_bytes(const BlockShape& shape) {
  const std::uint64_t tiles = quotient_up(shape.length, 64 * kTileWords),
                      words = quotient_up(shape.length, 64);
  const double occupied_tiles = static_cast<double>(tiles) * (1 - all_empty(shape, 64 * kTileWords)),
               occupied_words = static_cast<double>(words) * (1 - all_empty(shape, 64));
  return static_cast<double>(quotient_up(tiles, 2) * kWord) + kWord * (occupied_tiles + occupied_words);
}

// A gap takes a further byte for each power of 128 that it reaches.
double delta_bytes(const BlockShape& shape) {
  double bytes = 0;
  for (double reach = 1; reach <= 0x1p28; reach *= 128) bytes += reach == 1 ? 1 : all_empty(shape, reach);
  return bytes * static_cast<double>(shape.count);
}

// A block's width is at least w + 1 bits unless all its gaps are below 2^w.
double bit_packed_bytes(const BlockShape& shape) {
  if (shape.count == 0) return 0;
  const double gaps = static_cast<double>(std::min(shape.count, kPackedBlock));
  double width = 0;
  for (int bits = 0; bits < 32; ++bits)
    width += 1 - std::pow(1 - all_empty(shape, std::ldexp(1, bits)), gaps);
  return static_cast<double>(shape.count) / gaps * (1 + gaps * width / 8);
}

double index_bytes(Codec used, const BlockShape& shape) {
  switch (used) {
    case Codec::bitmap:
      return bitmap_bytes(shape);
    case Codec::tiled_bitmap:
      return kWord + tiled_bitmap_bytes(shape);
    case Codec::delta:
      return kWord + delta_bytes(shape);
    case Codec::bit_packed:
      return kWord + bit_packed_bytes(shape);
    default:
      return static_cast<double>(shape.count * kIndexBytes);
  }
}

std::uint64_t bloom_bytes(const BlockShape& shape) {
  const BloomShape filter = bloom_shape(shape.count, shape.length, shape.value_bytes);
  const double hashes = static_cast<double>(filter.hashes), bits = static_cast<double>(64 * filter.words);
  const double filled = bits == 0 ? 0 : 1 - std::exp(-hashes * static_cast<double>(shape.count) / bits);
  const double false_positives =
      bits == 0 ? 0 : std::pow(filled, hashes) * static_cast<double>(shape.length - shape.count);
  return kStreamHeaderBytes + (shape.held_dense ? 3 : 4) * kWord + filter.words * kWord +
         padded_to_8((shape.count + rounded(false_positives)) * shape.value_bytes);
}

}  // namespace

std::uint64_t expected_block_bytes(Codec used, const BlockShape& shape) {
  if (used == Codec::bloom) return bloom_bytes(shape);
  if (used == Codec::dense)
    return dense_stream_bytes(shape.length, shape.value_bytes) + (shape.held_dense ? 0 : kWord);
  return kStreamHeaderBytes + padded_to_8(rounded(index_bytes(used, shape))) +
         padded_to_8(shape.count * shape.value_bytes);
}

Codec expected_codec(Codec wanted, const BlockShape& shape) {
  if (wanted == Codec::dense || (wanted == Codec::pairs && shape.held_dense)) return Codec::dense;
  if (wanted != Codec::automatic) {
    const bool gives_way = expected_block_bytes(Codec::dense, shape) < expected_block_bytes(wanted, shape);
    return gives_way && wanted != Codec::pairs ? Codec::dense : wanted;
  }
  Codec best = Codec::pairs;
  for (const Codec codec :
       {Codec::bitmap, Codec::tiled_bitmap, Codec::delta, Codec::bit_packed, Codec::bloom, Codec::dense})
    if (expected_block_bytes(codec, shape) < expected_block_bytes(best, shape)) best = codec;
  return best;
}

std::uint64_t quantised_bytes(std::uint64_t length, const Quantisation& quantisation) {
  return kStreamHeaderBytes + padded_to_8(quotient_up(length, quantisation.bucket) * 4) +
         padded_to_8(quotient_up(length * quantisation.bits, 8));
}

}  // namespace sparsewire
