// A Bloom filter of the indices (Bloom 1970, doi:10.1145/362686.362692). What it holds is found by asking it
// for every index of the range; with policy P0 of DeepReduce (arXiv:2102.03112) the values of all positives
// follow, so that false ones do no harm.
#pragma once

#include "algorithms/codec/index_set.hpp"
#include "algorithms/pattern/hash.hpp"
#include "model/codec.hpp"

namespace sparsewire::codec {

// The words of a filter and the number of its hashes.
struct Bloom {
  std::uint64_t hashes = 0;
  std::vector<std::uint64_t> words;

  static Bloom of(const IndexSet& set, std::size_t value_bytes) {
    const BloomShape shape = bloom_shape(set.count(), set.length(), value_bytes);
    Bloom filter{shape.hashes, std::vector<std::uint64_t>(shape.words)};
    for (const Index index : set.indices)
      filter.visit(index, [&](std::uint64_t bit) {
        filter.words[bit / 64] |= std::uint64_t{1} << (bit % 64);
        return true;
      });
    return filter;
  }

  bool holds(std::uint64_t index) const {
    return !words.empty() &&
           visit(index, [&](std::uint64_t bit) { return (words[bit / 64] >> (bit % 64) & 1) != 0; });
  }

  // Every index of the range that the filter holds, in rising order.
  std::vector<Index> positives(std::uint64_t begin, std::uint64_t end) const {
    std::vector<Index> found;
    for (std::uint64_t index = begin; index < end; ++index)
      if (holds(index)) found.push_back(static_cast<Index>(index));
    return found;
  }

 private:
  __extension__ typedef unsigned __int128 Wide;

  // Calls test(bit) for the bits of an index until one fails; whether all succeeded. Two hashes make all
  // (Kirsch, Mitzenmacher 2008, doi:10.1002/rsa.20208).
  template <class Test>
  bool visit(std::uint64_t index, const Test& test) const {
    std::uint64_t hash = mixed_bits(index);
    const std::uint64_t step = mixed_bits(hash) | 1;
    for (std::uint64_t i = 0; i < hashes; ++i, hash += step)
      if (!test(static_cast<std::uint64_t>(static_cast<Wide>(hash) * (words.size() * 64) >> 64)))
        return false;
    return true;
  }
};

}  // namespace sparsewire::codec
