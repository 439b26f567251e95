// Indices as 32-bit numbers: the pairs of SparCML's streams (doi:10.1145/3295500.3356222).
#pragma once

#include "algorithms/codec/index_set.hpp"

namespace sparsewire::codec {

struct Pairs {
  static std::uint64_t bytes(const IndexSet& set) { return set.count() * sizeof(Index); }
  static void write(const IndexSet& set, std::span<std::byte> out) {
    if (!set.indices.empty()) std::memcpy(out.data(), set.indices.data(), set.indices.size_bytes());
  }
  static std::vector<Index> read(std::span<const std::byte> in, const Expected& expected) {
    IndexReader indices(expected);
    for (std::uint64_t i = 0; i < expected.count; ++i) indices.add(load<Index>(in, i * sizeof(Index)));
    return std::move(indices).finish();
  }
};

}  // namespace sparsewire::codec
