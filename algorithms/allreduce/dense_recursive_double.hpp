// Dense recursive doubling: log2 P exchanges of the whole vector. Least latency;
// doi:10.1177/1094342005051521.
#pragma once

#include "algorithms/phase/recursive_doubling.hpp"

namespace sparsewire {

template <Summable S>
S dense_recursive_double(Transport& transport, S mine) {
  return recursive_doubling(transport, charged(transport, densified(std::move(mine))));
}

}  // namespace sparsewire
