// A bitmap in tiles, after the format of Pici (hpcgroup/spccl-reproducer-sc26): a tile is 64 words of 64
// indices. Each tile has a 32-bit count of the elements before it, by which readers find their values; a tile
// with elements has a mask of its words that have some, and these words. Unlike the original, words are of
// neighbouring indices and empty ones are left out, so that an empty tile takes 4 bytes.
#pragma once

#include "algorithms/codec/bitmap.hpp"

namespace sparsewire::codec {

struct TiledBitmap {
  static std::uint64_t bytes(const IndexSet& set) {
    std::uint64_t words = 0, tiles = 0, last = ~std::uint64_t{0};
    for_each_word(set, [&](std::uint64_t word, std::uint64_t) {
      ++words;
      tiles += word / kTileWords != last ? 1 : 0;
      last = word / kTileWords;
    });
    return counts_bytes(set.length()) + 8 * (tiles + words);
  }

  static void write(const IndexSet& set, std::span<std::byte> out) {
    std::uint64_t next_tile = 0, elements = 0, mask_at = 0, at = counts_bytes(set.length());
    const auto count_up_to = [&](std::uint64_t tile) {
      for (; next_tile <= tile && next_tile < tiles_of(set.length()); ++next_tile)
        store(out, next_tile * 4, static_cast<std::uint32_t>(elements));
    };
    for_each_word(set, [&](std::uint64_t word, std::uint64_t bits) {
      if (word / kTileWords >= next_tile) {
        count_up_to(word / kTileWords);
        mask_at = at;
        at += 8;
      }
      store(out, mask_at, load<std::uint64_t>(out, mask_at) | std::uint64_t{1} << (word % kTileWords));
      store(out, at, bits);
      at += 8;
      elements += static_cast<std::uint64_t>(std::popcount(bits));
    });
    count_up_to(tiles_of(set.length()));
  }

  static std::vector<Index> read(std::span<const std::byte> in, const Expected& expected) {
    const std::uint64_t length = expected.end - expected.begin, tiles = tiles_of(length);
    std::size_t at = counts_bytes(length);
    if (at > in.size()) malformed("a tiled bitmap that is shorter than its counts");
    IndexReader indices(expected);
    for (std::uint64_t tile = 0; tile < tiles; ++tile) {
      const std::uint64_t before = load<std::uint32_t>(in, tile * 4);
      const std::uint64_t after = tile + 1 < tiles ? load<std::uint32_t>(in, tile * 4 + 4) : expected.count;
      if (before > after) malformed("counts of a tiled bitmap that decrease");
      if (before == after) continue;
      for (std::uint64_t mask = next_word(in, at); mask != 0; mask &= mask - 1) {
        const std::uint64_t word = tile * kTileWords + static_cast<std::uint64_t>(std::countr_zero(mask));
        indices.add_bits(next_word(in, at), expected.begin + word * 64);
      }
    }
    if (at != in.size()) malformed("a tiled bitmap with bytes left over");
    return std::move(indices).finish();
  }

 private:
  static std::uint64_t tiles_of(std::uint64_t length) { return quotient_up(length, 64 * kTileWords); }
  static std::uint64_t counts_bytes(std::uint64_t length) { return quotient_up(tiles_of(length), 2) * 8; }
  static std::uint64_t next_word(std::span<const std::byte> in, std::size_t& at) {
    if (at + 8 > in.size()) malformed("a tiled bitmap that ends early");
    at += 8;
    return load<std::uint64_t>(in, at - 8);
  }
};

}  // namespace sparsewire::codec
