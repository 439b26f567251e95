// Boundaries of owners' ranges that follow the ranks' supports.
#pragma once

#include <cmath>

#include "algorithms/pattern/partition.hpp"
#include "algorithms/payload/stream.hpp"
#include "algorithms/phase/recursive_doubling.hpp"

namespace sparsewire {

// Where `parts` parts of equal count begin among `support`, indices in rising order: parts - 1 of them. Parts
// beyond the last element begin behind it.
inline std::vector<double> quantiles(const std::vector<Index>& support, Rank parts) {
  std::vector<double> cuts;
  for (Rank part = 1; part < parts; ++part) {
    const std::uint64_t first = part_begin(support.size(), parts, part);
    cuts.push_back(first < support.size() ? support[first]
                   : support.empty()      ? 0.0
                                          : static_cast<double>(support.back()) + 1);
  }
  return cuts;
}

// P + 1 boundaries from 0 to the dimension, not decreasing, the same on all ranks: the averages over the
// ranks that have elements of the quantiles of their supports (step 3 of Ok-Topk; Li, Hoefler 2022,
// doi:10.1145/3503221.3508399), or equal ranges if none has. They balance owners' loads where the ranks'
// supports are alike. Costs a recursive doubling of P numbers: the P - 1 sums, and how many ranks are in
// them.
inline std::vector<std::uint64_t> balanced_cuts(Transport& transport, const std::vector<Index>& support,
                                                std::uint64_t dimension) {
  const Rank ranks = transport.size();
  std::vector<double> numbers = quantiles(support, ranks);
  numbers.push_back(support.empty() ? 0 : 1);
  const Stream<double> sums =
      recursive_doubling(transport, Stream<double>::dense(0, numbers.size(), numbers));
  const double holders = sums.values().back();
  std::vector<std::uint64_t> cuts = {0};
  for (Rank owner = 1; owner < ranks; ++owner)
    cuts.push_back(holders == 0 ? part_begin(dimension, ranks, owner)
                                : static_cast<std::uint64_t>(std::llround(
                                      sums.values()[static_cast<std::size_t>(owner - 1)] / holders)));
  cuts.push_back(dimension);
  return cuts;
}

}  // namespace sparsewire
