// Allgather by Bruck's algorithm (doi:10.1109/71.642949). ceil(log2 P) messages for any P.
#pragma once

#include "algorithms/phase/bruck_allgather.hpp"

namespace sparsewire {

template <Summable S>
std::vector<S> allgather_bruck(Transport& transport, S mine) {
  return unpacked<S>(transport, bruck_allgather<S>(transport, packed(transport, mine)));
}

}  // namespace sparsewire
