// The reduce-scatter of SparDL: blocks travel in bags, ceil(log2 P) rounds for any number of ranks without a
// fold (Zhao, Yin, Mao, Liu, Chen, Gao 2024, arXiv:2304.00737).
#pragma once

#include <bit>

#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

// In one round rank r sends the blocks r + distance, ..., r + distance + blocks - 1 (mod P) to rank
// r + distance, and receives the blocks r, ..., r + blocks - 1 from rank r - distance.
struct Bag {
  Rank distance = 0, blocks = 0;
};

// First what is above a power of two, then half of what is left: P - 1 blocks in all.
inline std::vector<Bag> bags(Rank ranks) {
  std::vector<Bag> rounds;
  if (ranks < 2) return rounds;
  const auto power = static_cast<Rank>(std::bit_ceil(static_cast<std::uint32_t>(ranks)) / 2);
  rounds.push_back({power, ranks - power});
  for (Rank distance = power / 2; distance >= 1; distance /= 2) rounds.push_back({distance, distance});
  return rounds;
}

// Ends when every rank has all ranks' contributions to its own block. `give(block)` hands over what this rank
// has gathered of a block, once for each but its own; `keep(part)` takes a part of a block that has arrived.
// The blocks of a bag are one message.
template <Summable S, class Give, class Keep>
void reduce_in_bags(Transport& transport, const Give& give, const Keep& keep) {
  const Rank ranks = transport.size(), rank = transport.rank();
  for (const Bag& bag : bags(ranks)) {
    Message bundle;
    for (Rank i = 0; i < bag.blocks; ++i)
      bundle.append(packed(transport, S(give((rank + bag.distance + i) % ranks))));
    transport.send((rank + bag.distance) % ranks, tags::kBags, std::move(bundle));
    const Message arrived = transport.recv((rank + ranks - bag.distance) % ranks, tags::kBags);
    for (const Message& part : split_packed<S>(arrived)) keep(unpacked<S>(transport, part));
  }
}

}  // namespace sparsewire
