// In which order a rank sends to all others and receives from them.
#pragma once

#include <algorithm>
#include <vector>

#include "model/units.hpp"

namespace sparsewire {

//   rotated  to r+1, r+2, ... and from r-1, r-2, ...: in each step every rank is the target of one sender
//            (Li, Hoefler 2022, "Ok-Topk", doi:10.1145/3503221.3508399)
//   by_rank  to and from 0, 1, 2, ...: all ranks send to the same one at the same time
enum class SplitOrder { rotated, by_rank };

struct SplitSchedule {
  SplitOrder order = SplitOrder::rotated;
  std::uint64_t throttle = 0;  // sends that may be ahead of the receives; 0: all
};

// The other ranks, in the order in which `rank` sends to them.
inline std::vector<Rank> split_receivers(SplitOrder order, Rank ranks, Rank rank) {
  std::vector<Rank> others;
  for (Rank step = 1; step < ranks; ++step)
    others.push_back(order == SplitOrder::rotated ? (rank + step) % ranks : step - (step <= rank ? 1 : 0));
  return others;
}

// The other ranks, in the order in which `rank` receives from them.
inline std::vector<Rank> split_senders(SplitOrder order, Rank ranks, Rank rank) {
  std::vector<Rank> others = split_receivers(order, ranks, rank);
  if (order == SplitOrder::rotated) std::reverse(others.begin(), others.end());
  return others;
}

}  // namespace sparsewire
