// Gaps between indices in blocks of 128, each written with the bits that its largest gap needs (frame of
// reference coding; Lemire, Boytsov 2015, doi:10.1002/spe.2203). A block is one byte, the width of 0 to 32
// bits, and its gaps.
#pragma once

#include <algorithm>
#include <array>

#include "algorithms/codec/delta.hpp"
#include "model/codec.hpp"

namespace sparsewire::codec {

class BitPacked {
 public:
  static std::uint64_t bytes(const IndexSet& set) {
    std::uint64_t total = 0;
    for_each_block(
        set, [&](std::span<const std::uint32_t> gaps) { total += block_bytes(gaps.size(), width_of(gaps)); });
    return total;
  }

  static void write(const IndexSet& set, std::span<std::byte> out) {
    std::size_t at = 0;
    for_each_block(set, [&](std::span<const std::uint32_t> gaps) {
      const std::uint64_t width = width_of(gaps), size = block_bytes(gaps.size(), width);
      out[at] = static_cast<std::byte>(width);
      write_bits(gaps, width, out.subspan(at + 1, size - 1));
      at += size;
    });
  }

  static std::vector<Index> read(std::span<const std::byte> in, const Expected& expected) {
    IndexReader indices(expected);
    std::size_t at = 0;
    for (std::uint64_t left = expected.count; left > 0;) {
      const std::uint64_t gaps = std::min(left, kPackedBlock);
      if (at == in.size()) malformed("blocks of gaps that end early");
      const auto width = static_cast<std::uint64_t>(in[at]);
      if (width > 32) malformed("gaps of " + std::to_string(width) + " bits");
      const std::uint64_t size = block_bytes(gaps, width);
      if (size > in.size() - at) malformed("blocks of gaps that end early");
      read_bits(in.subspan(at + 1, size - 1), gaps, width, indices);
      at += size;
      left -= gaps;
    }
    if (at != in.size()) malformed("blocks of gaps with bytes left over");
    return std::move(indices).finish();
  }

 private:
  static std::uint64_t block_bytes(std::uint64_t gaps, std::uint64_t width) {
    return 1 + quotient_up(gaps * width, 8);
  }
  static std::uint64_t width_of(std::span<const std::uint32_t> gaps) {
    return static_cast<std::uint64_t>(std::bit_width(*std::max_element(gaps.begin(), gaps.end())));
  }

  template <class Visit>
  static void for_each_block(const IndexSet& set, const Visit& visit) {
    std::array<std::uint32_t, kPackedBlock> gaps{};
    std::size_t filled = 0;
    for_each_gap(set, [&](std::uint32_t gap) {
      gaps[filled++] = gap;
      if (filled < gaps.size()) return;
      visit(std::span<const std::uint32_t>(gaps));
      filled = 0;
    });
    if (filled > 0) visit(std::span<const std::uint32_t>(gaps).first(filled));
  }

  static void write_bits(std::span<const std::uint32_t> gaps, std::uint64_t width, std::span<std::byte> out) {
    std::uint64_t pending = 0, bits = 0;
    std::size_t at = 0;
    for (const std::uint32_t gap : gaps) {
      pending |= std::uint64_t{gap} << bits;
      for (bits += width; bits >= 8; bits -= 8, pending >>= 8) out[at++] = static_cast<std::byte>(pending);
    }
    if (bits > 0) out[at] = static_cast<std::byte>(pending);
  }

  static void read_bits(std::span<const std::byte> in, std::uint64_t gaps, std::uint64_t width,
                        IndexReader& indices) {
    std::uint64_t pending = 0, bits = 0;
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < gaps; ++i) {
      for (; bits < width; bits += 8) pending |= static_cast<std::uint64_t>(in[at++]) << bits;
      indices.add(indices.next() + (pending & ((std::uint64_t{1} << width) - 1)));
      pending >>= width;
      bits -= width;
    }
  }
};

}  // namespace sparsewire::codec
