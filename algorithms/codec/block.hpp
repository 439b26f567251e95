// A range of a vector as a block of bytes that says what it is: a header, what the codec makes of the
// indices, and the values; each part padded to 8 bytes, so that one block can be put behind another. Here is
// what does not depend on the type of the values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/codec/bloom.hpp"
#include "algorithms/codec/index_set.hpp"
#include "model/codec.hpp"

namespace sparsewire::codec {

// As long as the header of a stream, so that blocks of pairs and of dense ranges are as long as streams.
struct BlockHeader {
  std::uint16_t seal = 0;            // of all the rest, so that damage shows before a size is believed
  std::uint8_t codec = 0;            // that it is written in; never `automatic`
  std::uint8_t wanted = 0;           // that its sender asked for
  std::uint8_t held_dense = 0;       // how its sender held it: it becomes that again
  std::uint8_t value_kind = 0;       // see value_kind_of()
  std::uint16_t operation = 0;       // kCode of the operator
  std::uint64_t begin = 0, end = 0;  // the range, elements
  std::uint64_t count = 0;           // elements: those held sparse, those of a dense range that are not fill
};
static_assert(sizeof(BlockHeader) == 32);

BlockHeader sealed(BlockHeader header);

// Elements as the codecs see them. The fill is the value that a dense range has where no rank has an element,
// by its bits: +0 for the sum.
struct Shape {
  std::uint64_t begin = 0, end = 0;
  bool held_dense = false;
  std::uint64_t value_bytes = 0;
  std::span<const Index> indices;  // of the elements; of a dense range those that are not fill
  std::uint64_t fills = 0;         // elements that are fill: explicit zeros, held sparse

  std::uint64_t length() const { return end - begin; }
  IndexSet set() const { return {begin, end, indices}; }
};

// Bytes of the block that `used`, not `automatic`, makes of these elements. A Bloom filter has to be built
// for it.
std::uint64_t block_bytes(Codec used, const Shape& shape);

// The codec that they travel in if `wanted` is asked for: that one, or dense where dense is smaller; pairs
// keep a dense range dense. Of equals the first in the order of Codec.
Codec chosen(Codec wanted, const Shape& shape);

// Which of a block's parts lie where: after the header come `index_bytes` of the codec, `value_count` values,
// and the indices of `listed` elements that are fill.
struct Layout {
  std::uint64_t index_at = sizeof(BlockHeader), index_bytes = 0;
  std::uint64_t value_at = 0, value_count = 0;
  std::uint64_t listed_at = 0, listed = 0;
  std::uint64_t size = 0;
};

// A block in the making: all but the values is written. Of a Bloom filter the values of `positives` follow,
// of a dense block those of the range, and else those of the elements.
struct Draft {
  std::vector<std::byte> bytes;
  Layout layout;
  std::vector<Index> positives;
};
Draft draft_block(const BlockHeader& header, const Shape& shape);

// The header at the front of `bytes` and where its parts lie. Throws std::runtime_error, saying what is
// wrong, if they are not all inside.
struct Found {
  BlockHeader header;
  Layout layout;
};
Found find_block(std::span<const std::byte> bytes, std::uint8_t value_kind, std::uint64_t value_bytes,
                 std::uint16_t operation);

// Indices that have a value in the block, in the order of the values. Not for dense blocks. Throws likewise.
std::vector<Index> read_positions(std::span<const std::byte> bytes, const Found& found);

// The elements that are fill, of blocks that do not tell them from indices without an element.
std::vector<Index> read_listed(std::span<const std::byte> bytes, const Found& found);

}  // namespace sparsewire::codec
