// Gathers every rank's whole sparse vector by Bruck's algorithm and sums locally, in a balanced tree in rank
// order (the TopkA baseline of Renggli et al. and of Li and Hoefler, arXiv:2201.07598). ceil(log2 P)
// messages; each rank receives (P-1)k elements, so it suits few ranks or very sparse vectors.
#pragma once

#include "algorithms/phase/bruck_allgather.hpp"

namespace sparsewire {

template <Summable S>
S sparse_allgather(Transport& transport, S mine) {
  std::vector<S> sums = unpacked<S>(transport, bruck_allgather<S>(transport, packed(transport, mine)));
  while (sums.size() > 1) {
    std::vector<S> halved;
    for (std::size_t i = 0; i + 1 < sums.size(); i += 2)
      halved.push_back(charged(transport, sum(std::move(sums[i]), std::move(sums[i + 1]))));
    if (sums.size() % 2 == 1) halved.push_back(std::move(sums.back()));
    sums = std::move(halved);
  }
  return std::move(sums.front());
}

}  // namespace sparsewire
