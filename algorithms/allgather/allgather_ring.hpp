// Allgather around a ring (Patarasuk and Yuan 2009, doi:10.1016/j.jpdc.2008.09.002). P - 1 messages to one
// neighbour; no two messages share a link of a ring of links.
#pragma once

#include "algorithms/phase/ring.hpp"

namespace sparsewire {

template <Summable S>
std::vector<S> allgather_ring(Transport& transport, S mine) {
  return unpacked<S>(transport, ring_allgather(transport, packed(transport, mine), 0));
}

}  // namespace sparsewire
