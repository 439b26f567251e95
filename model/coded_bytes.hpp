// Bytes of a block in a codec, expected for uniformly random indices; the formats themselves are in
// algorithms/codec.
#pragma once

#include <cstdint>

#include "model/codec.hpp"

namespace sparsewire {

// `count` elements of `length`, held sparse or dense, of which `count` are not zero.
struct BlockShape {
  std::uint64_t count = 0, length = 0;
  bool held_dense = false;
  std::uint64_t value_bytes = 4;
};

// Exact for pairs, bitmap and dense, whatever the indices. Others as expected for random ones: gaps are
// geometric, words and tiles are empty with the probability that all their indices are.
std::uint64_t expected_block_bytes(Codec used, const BlockShape& shape);

// The codec that such a block travels in if `wanted` is asked for, as algorithms/codec/block.hpp chooses it.
Codec expected_codec(Codec wanted, const BlockShape& shape);

// Of a dense range rounded by algorithms/codec/quantised.hpp.
std::uint64_t quantised_bytes(std::uint64_t length, const Quantisation& quantisation);

}  // namespace sparsewire
