// Indices as one bit each of the range: N/8 bytes, however many there are (the bitmap of Zen,
// arXiv:2309.13254).
#pragma once

#include "algorithms/codec/index_set.hpp"
#include "model/codec.hpp"

namespace sparsewire::codec {

// Calls visit(word, bits) for each word of 64 indices that has elements, in rising order.
template <class Visit>
void for_each_word(const IndexSet& set, const Visit& visit) {
  std::uint64_t word = 0, bits = 0;
  for (const Index index : set.indices) {
    const std::uint64_t offset = index - set.begin;
    if (offset / 64 != word) {
      if (bits != 0) visit(word, bits);
      word = offset / 64, bits = 0;
    }
    bits |= std::uint64_t{1} << (offset % 64);
  }
  if (bits != 0) visit(word, bits);
}

struct Bitmap {
  static std::uint64_t bytes(const IndexSet& set) { return quotient_up(set.length(), 64) * 8; }
  static void write(const IndexSet& set, std::span<std::byte> out) {
    for_each_word(set, [&](std::uint64_t word, std::uint64_t bits) { store(out, word * 8, bits); });
  }
  static std::vector<Index> read(std::span<const std::byte> in, const Expected& expected) {
    IndexReader indices(expected);
    for (std::size_t at = 0; at < in.size(); at += 8)
      indices.add_bits(load<std::uint64_t>(in, at), expected.begin + at * 8);
    return std::move(indices).finish();
  }
};

}  // namespace sparsewire::codec
