// Reduce-scatter by direct sends: the split phase of SparCML's algorithms (doi:10.1145/3295500.3356222) as an
// operation of its own. P - 1 messages; each rank sends what others own of its vector, once.
#pragma once

#include "algorithms/phase/direct_split.hpp"
#include "algorithms/phase/part.hpp"

namespace sparsewire {

template <Summable S>
S reduce_scatter_direct(Transport& transport, S mine) {
  const auto part = [&](Rank owner) { return part_of(transport, mine, owner); };
  return direct_split<S>(transport, {}, part, unprepared<S>);
}

}  // namespace sparsewire
