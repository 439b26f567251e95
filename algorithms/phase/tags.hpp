// One tag for each phase, so that a diagnosis tells where a collective stood.
#pragma once

#include "algorithms/transport/message.hpp"

namespace sparsewire::tags {

inline constexpr Tag kFold = 1;
inline constexpr Tag kUnfold = 2;
inline constexpr Tag kDoubling = 3;
inline constexpr Tag kHalving = 4;
inline constexpr Tag kDirectSplit = 5;
inline constexpr Tag kRingReduce = 6;
inline constexpr Tag kRingGather = 7;
inline constexpr Tag kBruck = 8;
inline constexpr Tag kDoublingGather = 9;
inline constexpr Tag kButterflyDown = 10;
inline constexpr Tag kButterflyUp = 11;
inline constexpr Tag kBlockUp = 12;
inline constexpr Tag kBlockDown = 13;

// Of lossy allreduces.
inline constexpr Tag kCountExchange = 22;
inline constexpr Tag kCountGather = 23;
inline constexpr Tag kBalance = 24;
inline constexpr Tag kBags = 25;

// Along binomial trees.
inline constexpr Tag kTreeReduce = 40;
inline constexpr Tag kTreeBroadcast = 41;
inline constexpr Tag kTreeScatter = 42;

}  // namespace sparsewire::tags
