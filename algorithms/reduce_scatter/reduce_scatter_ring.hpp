// Reduce-scatter around a ring (Patarasuk and Yuan 2009, doi:10.1016/j.jpdc.2008.09.002). P - 1 messages to
// one neighbour; partial sums travel, so it sends more than a direct split where supports differ.
#pragma once

#include "algorithms/phase/ring.hpp"

namespace sparsewire {

template <Summable S>
S reduce_scatter_ring(Transport& transport, S mine) {
  return ring_reduce_scatter(transport, mine, 0);
}

}  // namespace sparsewire
