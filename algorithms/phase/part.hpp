// The part of a vector that belongs to one of all ranks.
#pragma once

#include "algorithms/pattern/partition.hpp"
#include "algorithms/payload/summable.hpp"

namespace sparsewire {

// The elements of `whole` that `owner` owns when every rank owns a range of equal length.
template <Summable S>
S part_of(Transport& transport, const S& whole, Rank owner) {
  const std::uint64_t dimension = whole.end();
  return charged(transport, slice(whole, part_begin(dimension, transport.size(), owner),
                                  part_begin(dimension, transport.size(), owner + 1)));
}

}  // namespace sparsewire
