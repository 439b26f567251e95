// Ranks in nodes of consecutive ranks.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "model/units.hpp"

namespace sparsewire {

// The ranks of the node of `rank`, where nodes have `size` ranks and the last one what is left.
inline std::vector<Rank> node_of(Rank ranks, Rank size, Rank rank) {
  const Rank first = rank / size * size;
  std::vector<Rank> members(static_cast<std::size_t>(std::min(size, ranks - first)));
  std::iota(members.begin(), members.end(), first);
  return members;
}

// The first rank of each node.
inline std::vector<Rank> node_leaders(Rank ranks, Rank size) {
  std::vector<Rank> leaders;
  for (Rank first = 0; first < ranks; first += size) leaders.push_back(first);
  return leaders;
}

}  // namespace sparsewire
