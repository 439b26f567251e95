// Owners by a universal hash: every owner gets an equal share of any set of indices, however skewed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algorithms/pattern/hash.hpp"
#include "model/units.hpp"

namespace sparsewire {

// Deals out the indices [0, dimension) in groups of one for each owner. A hash of the group says by how many
// places the owners are turned; so two indices of one group never have the same owner, and two of different
// groups have it with probability 1 / owners. Owner o holds its n-th index, which is of group n, at place
// begin_of(o) + n; all places of all owners are [0, dimension) again. Nothing is tabulated: what Zen
// (arXiv:2309.13254) precomputes in O(N), which indices an owner has, is computed in both directions.
class HashDeal {
 public:
  HashDeal(std::uint64_t dimension, Rank owners, std::uint64_t seed)
      : dimension_(dimension), owners_(static_cast<std::uint64_t>(owners)), seed_(seed) {}

  std::uint64_t dimension() const { return dimension_; }
  Rank owners() const { return static_cast<Rank>(owners_); }

  Rank owner_of(std::uint64_t index) const {
    return static_cast<Rank>((index % owners_ + turn_of(index / owners_)) % owners_);
  }
  // Where owner's places begin. Owner `owners` begins at the end. Shares differ by one at most.
  std::uint64_t begin_of(Rank owner) const {
    const std::uint64_t before = static_cast<std::uint64_t>(owner), full = dimension_ / owners_;
    const std::uint64_t first = turn_of(full), last = first + dimension_ % owners_;  // of the group cut short
    const std::uint64_t straight = std::min({before, last, owners_});
    return before * full + (straight > first ? straight - first : 0) +
           (last > owners_ ? std::min(before, last - owners_) : 0);
  }
  // The n-th index of an owner.
  std::uint64_t index_of(Rank owner, std::uint64_t n) const {
    return n * owners_ + (static_cast<std::uint64_t>(owner) + owners_ - turn_of(n)) % owners_;
  }
  // How many indices of the owner of `index` are below it.
  std::uint64_t number_of(std::uint64_t index) const { return index / owners_; }

 private:
  std::uint64_t turn_of(std::uint64_t group) const { return hash_of(seed_, 0, group) % owners_; }

  std::uint64_t dimension_, owners_, seed_;
};

}  // namespace sparsewire
