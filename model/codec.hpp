// The codecs that a stream can travel in, and what they are charged for. Shared by the packages like
// model/units.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/units.hpp"

namespace sparsewire {

// How the elements of a range are written down. All are exact.
//   pairs         a stream as it is held: 32-bit indices and values, or the dense range
//   bitmap        a bit for each index of the range, and the values
//   tiled_bitmap  tiles of 64 words of 64 bits with a prefix count; words and tiles without elements are left
//                 out (after the format of Pici, hpcgroup/spccl-reproducer-sc26)
//   delta         gaps between indices as LEB128 numbers of 1 to 5 bytes
//   bit_packed    gaps in blocks of 128, each of the width that its largest needs
//   bloom         a Bloom filter of the indices and the values of all its positives, false ones included:
//                 policy P0 of DeepReduce (arXiv:2102.03112)
//   dense         the values of the whole range
//   automatic     the smallest of all, for each block
enum class Codec : std::uint8_t { pairs, bitmap, tiled_bitmap, delta, bit_packed, bloom, dense, automatic };

inline constexpr std::array<std::string_view, 8> kCodecNames = {
    "pairs", "bitmap", "tiled-bitmap", "delta", "bit-packed", "bloom", "dense", "auto"};

inline constexpr std::uint64_t kTileWords = 64;     // of a tiled bitmap; a word has 64 bits
inline constexpr std::uint64_t kPackedBlock = 128;  // gaps of one width

// How the dense part of a result that its only owner hands to all ranks is rounded, once (QSGD: Alistarh,
// Grubic, Li, Tomioka, Vojnovic 2017, arXiv:1610.02132).
struct Quantisation {
  std::uint64_t bits = 0;      // of a value, its sign included: 2, 4 or 8; 0 leaves values as they are
  std::uint64_t bucket = 512;  // consecutive values of one scale
  std::uint64_t seed = 0;      // of the rounding; another one on each rank
};

// What is done to a stream that is sent.
struct Coding {
  Codec codec = Codec::pairs;
  Quantisation quantisation{};
};

constexpr std::string_view name_of(Codec codec) {
  return kCodecNames[static_cast<std::size_t>(codec)];
}

constexpr std::optional<Codec> codec_named(std::string_view name) {
  const auto found = std::find(kCodecNames.begin(), kCodecNames.end(), name);
  if (found == kCodecNames.end()) return std::nullopt;
  return static_cast<Codec>(found - kCodecNames.begin());
}

constexpr std::uint64_t quotient_up(std::uint64_t dividend, std::uint64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

// A Bloom filter for `count` of `length` indices: the false positive rate at which its bits and the values of
// its false positives together are fewest, and as many bits and hashes as that takes.
struct BloomShape {
  std::uint64_t words = 0;  // of 64 bits
  std::uint64_t hashes = 0;
};
inline BloomShape bloom_shape(std::uint64_t count, std::uint64_t length, std::uint64_t value_bytes) {
  if (count == 0) return {};
  const double members = static_cast<double>(count), others = static_cast<double>(length - count);
  const double ln2 = std::log(2.0);
  const double rate = members / (ln2 * ln2 * static_cast<double>(8 * value_bytes) * std::max(others, 1.0));
  const double hashes = std::max(1.0, std::round(-std::log2(std::min(rate, 0.5))));
  return {quotient_up(static_cast<std::uint64_t>(std::ceil(hashes * members / ln2)), 64),
          static_cast<std::uint64_t>(hashes)};
}

// Steps of encoding or decoding `count` elements of `length` indices: one for each element, and for each
// word, tile or index that is looked at besides. Pairs and dense ranges are only copied.
constexpr std::uint64_t coding_steps(Codec codec, std::uint64_t count, std::uint64_t length) {
  switch (codec) {
    case Codec::bitmap:
      return count + quotient_up(length, 64);
    case Codec::tiled_bitmap:
      return count + quotient_up(length, 64 * kTileWords);
    case Codec::delta:
    case Codec::bit_packed:
      return count;
    case Codec::bloom:
      return count + 4 * length;
    default:
      return 0;
  }
}

// Local work of writing a block in codec `used`, where codec `wanted` was asked for: a dense range is scanned
// for its elements unless it is known to stay dense, and `automatic` passes over the indices to find the
// smallest. Of a sparse stream that is written dense, its fill and scatter.
inline Work encode_work(Codec wanted, Codec used, std::uint64_t count, std::uint64_t length,
                        bool held_dense) {
  Work work = Work::of(WorkKind::encode, coding_steps(used, count, length));
  if (wanted == Codec::automatic) work += Work::of(WorkKind::encode, count);
  if (held_dense && wanted != Codec::pairs && wanted != Codec::dense)
    work += Work::of(WorkKind::scan, length);
  if (!held_dense && used == Codec::dense)
    work += Work::of(WorkKind::fill, length) + Work::of(WorkKind::scatter_add, count);
  return work;
}

// The same of reading it: a range that its sender held dense becomes dense again, and a sparse one sparse.
inline Work decode_work(Codec used, std::uint64_t count, std::uint64_t length, bool held_dense) {
  Work work = Work::of(WorkKind::decode, coding_steps(used, count, length));
  if (held_dense && used != Codec::dense)
    work += Work::of(WorkKind::fill, length) + Work::of(WorkKind::scatter_add, count);
  if (!held_dense && used == Codec::dense) work += Work::of(WorkKind::scan, length);
  return work;
}

// Of rounding `length` values and of reading them: to look one up takes a quarter of a step
// (bench/payload_benchmark).
inline Work quantise_work(std::uint64_t length) {
  return Work::of(WorkKind::encode, length);
}
inline Work dequantise_work(std::uint64_t length) {
  return Work::of(WorkKind::decode, quotient_up(length, 4));
}

}  // namespace sparsewire
