// A binomial tree over any number of ranks, with any of them as its root (as in Thakur, Rabenseifner, Gropp
// 2005, doi:10.1177/1094342005051521).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "model/units.hpp"

namespace sparsewire {

// Places count from the root, which has place 0, in rank order. The children of a place v are v + 1, v + 2,
// v + 4, ... below v + span(v), as far as there are ranks; its subtree is the places v .. v + size(v) - 1.
class BinomialTree {
 public:
  // Throws std::invalid_argument if `root` is not a rank.
  BinomialTree(Rank ranks, Rank root) : ranks_(ranks), root_(root) {
    if (root < 0 || root >= ranks)
      throw std::invalid_argument("root is rank " + std::to_string(root) + ", expected a rank in [0, " +
                                  std::to_string(ranks) + ")");
  }

  Rank ranks() const { return ranks_; }
  Rank root() const { return root_; }
  Rank place(Rank rank) const { return rank < root_ ? rank + (ranks_ - root_) : rank - root_; }
  Rank rank(Rank place) const { return place < ranks_ - root_ ? place + root_ : place - (ranks_ - root_); }

  // Of no use for the root.
  Rank parent(Rank place) const { return place - lowest_bit(place); }
  Rank span(Rank place) const {
    return place == 0 ? static_cast<Rank>(std::bit_ceil(static_cast<std::uint32_t>(ranks_)))
                      : lowest_bit(place);
  }
  Rank size(Rank place) const { return std::min(span(place), ranks_ - place); }

 private:
  static Rank lowest_bit(Rank place) { return place & -place; }

  Rank ranks_, root_;
};

}  // namespace sparsewire
