// How a vector is divided among owners.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/units.hpp"

namespace sparsewire {

// Where the part of owner `owner` begins when [0, dimension) is cut into `owners` ranges of equal length; the
// first `dimension % owners` are one element longer. Owner `owners` begins at the end. Parts are empty where
// dimension < owners.
constexpr std::uint64_t part_begin(std::uint64_t dimension, Rank owners, Rank owner) {
  const auto parts = static_cast<std::uint64_t>(owners), part = static_cast<std::uint64_t>(owner);
  return part * (dimension / parts) + std::min(part, dimension % parts);
}

}  // namespace sparsewire
