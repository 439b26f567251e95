// How OmniReduce (Fei, Ho, Sahu, Canini, Sapio, SIGCOMM 2021, doi:10.1145/3452296.3472904) cuts a vector into
// blocks, and deals out the blocks to parallel streams and these to aggregators.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "algorithms/pattern/partition.hpp"
#include "model/units.hpp"

namespace sparsewire {

// What follows the last block of a stream.
inline constexpr std::uint64_t kNoBlock = std::numeric_limits<std::uint64_t>::max();

// Blocks of `block` elements, the last one shorter. Stream s has the blocks s, s + streams(), s + 2
// streams(),
// ...; every aggregator serves `slots` streams at once, fewer if there are not that many blocks.
struct BlockStreams {
  std::uint64_t dimension = 0, block = 1, slots = 1;
  Rank ranks = 1, aggregators = 1;  // 1 <= aggregators <= ranks

  // An empty vector has an empty block.
  std::uint64_t blocks() const { return std::max<std::uint64_t>(1, (dimension + block - 1) / block); }
  std::uint64_t streams() const {
    return std::min(blocks(), slots * static_cast<std::uint64_t>(aggregators));
  }
  std::uint64_t begin_of(std::uint64_t number) const { return std::min(number * block, dimension); }
  std::uint64_t stream_of(std::uint64_t number) const { return number % streams(); }

  // The rank that aggregates a stream. Aggregators are spread evenly over the ranks.
  Rank aggregator_of(std::uint64_t stream) const {
    const auto aggregator = static_cast<Rank>(stream % static_cast<std::uint64_t>(aggregators));
    return static_cast<Rank>(part_begin(static_cast<std::uint64_t>(ranks), aggregators, aggregator));
  }
};

// One worker's blocks of one stream that have elements, in rising order.
class OwnBlocks {
 public:
  void add(std::uint64_t number) { numbers_.push_back(number); }
  bool has(std::uint64_t number) const {
    return std::binary_search(numbers_.begin(), numbers_.end(), number);
  }
  // The first one after block `number`: what the worker tells the aggregator to expect next.
  std::uint64_t after(std::uint64_t number) const {
    const auto next = std::upper_bound(numbers_.begin(), numbers_.end(), number);
    return next == numbers_.end() ? kNoBlock : *next;
  }

 private:
  std::vector<std::uint64_t> numbers_;
};

}  // namespace sparsewire
