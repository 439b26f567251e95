// SSAR_Split_allgather with owners' ranges that follow the supports (the balanced split of Ok-Topk; Li,
// Hoefler 2022, doi:10.1145/3503221.3508399), here without loss. Best where non-zeros crowd into the same few
// ranges on all ranks: an owner of equal ranges would take in nearly everything there.
#pragma once

#include "algorithms/phase/balanced_cuts.hpp"
#include "algorithms/phase/bruck_allgather.hpp"
#include "algorithms/phase/direct_split.hpp"

namespace sparsewire {

template <SparseSummable S>
S balanced_split_allgather(Transport& transport, S mine) {
  const std::vector<std::uint64_t> cuts =
      balanced_cuts(transport, charged(transport, support(mine)), mine.end());
  const auto part = [&](Rank owner) {
    const auto place = static_cast<std::size_t>(owner);
    return charged(transport, slice(mine, cuts[place], cuts[place + 1]));
  };
  const S owned = direct_split<S>(transport, {}, part, unprepared<S>);
  return concatenated<S>(transport, bruck_allgather<S>(transport, packed_result(transport, owned)));
}

}  // namespace sparsewire
