// SSAR_Split_allgather of SparCML (doi:10.1145/3295500.3356222): each rank owns a range; every rank sends
// each owner its elements directly, owners merge, and the sparse results are gathered. P - 1 + ceil(log2 P)
// messages; best for large data whose sum is still sparse. Unlike the original every rank is an owner, so any
// P works without a fold; sums follow a fixed order instead of that of arrival; no small value is cut
// off; and sends are rotated unless the order of the original, by rank, is asked for.
#pragma once

#include "algorithms/phase/bruck_allgather.hpp"
#include "algorithms/phase/direct_split.hpp"
#include "algorithms/phase/part.hpp"

namespace sparsewire {

template <Summable S>
S ssar_split_allgather(Transport& transport, S mine, const SplitSchedule& schedule) {
  const auto part = [&](Rank owner) { return part_of(transport, mine, owner); };
  const S owned = direct_split<S>(transport, schedule, part, unprepared<S>);
  return concatenated<S>(transport, bruck_allgather<S>(transport, packed_result(transport, owned)));
}

}  // namespace sparsewire
