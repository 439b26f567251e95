// SSAR_Split_allgather of SparCML (doi:10.1145/3295500.3356222): each rank owns a range; every rank sends
// each owner its elements directly, owners merge, and the sparse results are gathered. P - 1 + ceil(log2 P)
// messages; best for large data whose sum is still sparse. Unlike the original every rank is an owner, so any
// P works without a fold; sums follow a fixed order instead of that of arrival; and no small value is cut
// off.
#pragma once

#include "algorithms/phase/bruck_allgather.hpp"
#include "algorithms/phase/direct_split.hpp"

namespace sparsewire {

template <Summable S>
S ssar_split_allgather(Transport& transport, S mine) {
  const S owned = direct_split(transport, mine, [](S part) { return Worked<S>{std::move(part), {}}; });
  return concatenated<S>(transport, bruck_allgather<S>(transport, packed_result(transport, owned)));
}

}  // namespace sparsewire
