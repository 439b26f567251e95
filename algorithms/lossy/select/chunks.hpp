// Chunk-wise selection: the largest element of each chunk, in one pass (ScaleCom, Chen et al. 2020,
// arXiv:2104.11125).
#pragma once

#include "algorithms/lossy/select/top_k.hpp"

namespace sparsewire {

// The vector is cut in `count` chunks of equal length and the largest magnitude of each is selected, the
// first of equal ones, none of a chunk of zeros: at most `count` elements.
template <class T>
Selection largest_of_chunks(std::span<const T> values, std::uint64_t count) {
  count = std::min<std::uint64_t>(count, values.size());
  Selection selection;
  std::uint64_t next = 0;
  for (std::uint64_t chunk = 0; chunk < count; ++chunk) {
    const std::uint64_t length = values.size() / count + (chunk < values.size() % count ? 1 : 0);
    std::uint64_t best = next;
    for (std::uint64_t i = next + 1; i < next + length; ++i)
      if (magnitude_key(values[i]) > magnitude_key(values[best])) best = i;
    if (magnitude_key(values[best]) > 0) selection.push_back(static_cast<Index>(best));
    next += length;
  }
  return selection;
}

}  // namespace sparsewire
