// SSAR_Recursive_double of SparCML (doi:10.1145/3295500.3356222): whole sparse vectors by recursive doubling.
// log2 P messages; best while latency dominates. A vector turns dense where it reaches break-even.
#pragma once

#include "algorithms/phase/recursive_doubling.hpp"

namespace sparsewire {

template <Summable S>
S ssar_recursive_double(Transport& transport, S mine) {
  return recursive_doubling(transport, std::move(mine));
}

}  // namespace sparsewire
