// How any number of ranks is brought to a power of two (Thakur, Rabenseifner, Gropp 2005,
// doi:10.1177/1094342005051521).
#pragma once

#include <bit>
#include <cstdint>

#include "model/units.hpp"

namespace sparsewire {

// Of the first 2 * `pairs` ranks each even one hands its data to the odd one after it and waits for the
// result; the others have the virtual ranks 0 .. `power` - 1, in rank order.
struct Fold {
  Rank power = 1;  // largest power of two that is not above the number of ranks
  Rank pairs = 0;

  static constexpr Fold of(Rank ranks) {
    const Rank power = static_cast<Rank>(std::bit_floor(static_cast<std::uint32_t>(ranks)));
    return {power, ranks - power};
  }
  constexpr bool hands_over(Rank rank) const { return rank < 2 * pairs && rank % 2 == 0; }
  constexpr bool takes_over(Rank rank) const { return rank < 2 * pairs && rank % 2 == 1; }
  constexpr Rank virtual_rank(Rank rank) const { return rank < 2 * pairs ? rank / 2 : rank - pairs; }
  constexpr Rank real_rank(Rank virtual_rank) const {
    return virtual_rank < pairs ? 2 * virtual_rank + 1 : virtual_rank + pairs;
  }
  // The first of the ranks whose data a virtual rank holds: the one that handed over, or itself. They follow
  // one another; that of virtual rank `power` is the number of ranks.
  constexpr Rank first_rank(Rank virtual_rank) const {
    return virtual_rank < pairs ? 2 * virtual_rank : virtual_rank + pairs;
  }
};

}  // namespace sparsewire
