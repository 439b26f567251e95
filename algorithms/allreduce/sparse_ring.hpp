// Ring reduce-scatter and ring allgather of sparse segments, each of which turns dense on its own (in
// SparCML's code, doi:10.1145/3295500.3356222). 2(P-1) messages to one neighbour: no incast, more volume than
// a direct split.
#pragma once

#include "algorithms/phase/ring.hpp"

namespace sparsewire {

template <Summable S>
S sparse_ring(Transport& transport, S mine) {
  const S owned = ring_reduce_scatter(transport, mine);
  return concatenated<S>(transport, ring_allgather(transport, packed_result(transport, owned)));
}

}  // namespace sparsewire
