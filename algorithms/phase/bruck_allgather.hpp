// Bruck's allgather: ceil(log2 P) rounds for any P (Bruck, Ho, Kipnis, Upfal, Weathersby 1997,
// doi:10.1109/71.642949).
#pragma once

#include <algorithm>

#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

// The packed blocks of all ranks, by rank; `mine` is one packed S. In round s rank r sends its first
// min(2^s, P - 2^s) blocks to r - 2^s and receives as many from r + 2^s. Blocks are passed on as they are.
template <SelfSized S>
std::vector<Message> bruck_allgather(Transport& transport, Message mine) {
  const Rank ranks = transport.size(), rank = transport.rank();
  std::vector<Message> blocks = {std::move(mine)};  // of ranks r, r+1, ...
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    const Rank count = std::min(distance, ranks - distance);
    Message bundle;
    for (Rank i = 0; i < count; ++i) bundle.append(blocks[static_cast<std::size_t>(i)]);
    transport.send((rank + ranks - distance) % ranks, tags::kBruck, std::move(bundle));
    for (Message& block : split_packed<S>(transport.recv((rank + distance) % ranks, tags::kBruck)))
      blocks.push_back(std::move(block));
  }
  std::rotate(blocks.begin(), blocks.end() - rank, blocks.end());
  return blocks;
}

}  // namespace sparsewire
