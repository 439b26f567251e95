// Gaps between indices as LEB128 numbers: seven bits a byte, the lowest first, the eighth bit says that more
// follow. One byte an element while gaps are below 128.
#pragma once

#include "algorithms/codec/index_set.hpp"

namespace sparsewire::codec {

// Calls visit(gap) for the number of indices left out before each index of the set.
template <class Visit>
void for_each_gap(const IndexSet& set, const Visit& visit) {
  std::uint64_t next = set.begin;
  for (const Index index : set.indices) {
    visit(static_cast<std::uint32_t>(index - next));
    next = std::uint64_t{index} + 1;
  }
}

struct Delta {
  static std::uint64_t bytes(const IndexSet& set) {
    std::uint64_t total = 0;
    for_each_gap(set, [&](std::uint32_t gap) {
      total += 1 + (gap >= 1u << 7) + (gap >= 1u << 14) + (gap >= 1u << 21) + (gap >= 1u << 28);
    });
    return total;
  }

  static void write(const IndexSet& set, std::span<std::byte> out) {
    std::size_t at = 0;
    for_each_gap(set, [&](std::uint32_t gap) {
      for (; gap >= 128; gap >>= 7) out[at++] = static_cast<std::byte>(gap & 127) | std::byte{128};
      out[at++] = static_cast<std::byte>(gap);
    });
  }

  static std::vector<Index> read(std::span<const std::byte> in, const Expected& expected) {
    IndexReader indices(expected);
    std::size_t at = 0;
    while (!indices.is_full()) {
      std::uint64_t gap = 0;
      std::byte byte{128};
      for (unsigned shift = 0; (byte & std::byte{128}) != std::byte{0}; shift += 7) {
        if (at == in.size()) malformed("gaps that end early");
        if (shift > 28) malformed("a gap of more than five bytes");
        byte = in[at++];
        gap |= static_cast<std::uint64_t>(byte & std::byte{127}) << shift;
      }
      indices.add(indices.next() + gap);
    }
    if (at != in.size()) malformed("gaps with bytes left over");
    return std::move(indices).finish();
  }
};

}  // namespace sparsewire::codec
