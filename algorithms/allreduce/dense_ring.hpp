// Dense ring: reduce-scatter and allgather around a ring. 2(P-1) messages of 1/P of the vector, least volume
// for any P (Patarasuk and Yuan 2009, doi:10.1016/j.jpdc.2008.09.002).
#pragma once

#include "algorithms/allreduce/sparse_ring.hpp"

namespace sparsewire {

template <Summable S>
S dense_ring(Transport& transport, S mine) {
  return sparse_ring(transport, charged(transport, densified(std::move(mine))));
}

}  // namespace sparsewire
