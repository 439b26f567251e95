// A set of numbers below a bound, one bit each.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace sparsewire {

class Bitmap {
 public:
  explicit Bitmap(std::uint64_t bound) : words_((bound + 63) / 64) {}

  // Adds i; true if it was not in the set. i must be below the bound.
  bool insert(std::uint64_t i) {
    std::uint64_t& word = words_[i / 64];
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }

  // Calls visit(i) for each member in rising order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        visit(64 * w + static_cast<std::uint64_t>(std::countr_zero(word)));
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace sparsewire
