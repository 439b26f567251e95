// DSAR_Split_allgather of SparCML (doi:10.1145/3295500.3356222): as ssar-split-allgather, but owners
// accumulate into a dense range and the dense ranges are gathered. Best once the sum is dense though the
// inputs are sparse.
#pragma once

#include "algorithms/phase/bruck_allgather.hpp"
#include "algorithms/phase/direct_split.hpp"
#include "algorithms/phase/part.hpp"

namespace sparsewire {

template <Summable S>
S dsar_split_allgather(Transport& transport, S mine, const SplitSchedule& schedule) {
  const auto part = [&](Rank owner) { return part_of(transport, mine, owner); };
  const S owned = direct_split<S>(transport, schedule, part, [](S own) { return densified(std::move(own)); });
  return concatenated<S>(transport, bruck_allgather<S>(transport, packed_result(transport, owned)));
}

}  // namespace sparsewire
