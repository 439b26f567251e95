// A butterfly of mixed radix, after Kylix (Zhao, Canny, ICPP 2014, doi:10.1109/ICPP.2014.36;
// arXiv:1312.3020): reduce-scatter down layers of given degrees, allgather up the same edges. Degree 2
// throughout is recursive halving and doubling; one degree of at least P is the direct split with a direct
// gather. In between, messages stay large enough for the network while the number of rounds falls. Best where
// P - 1 direct messages are too many and too small. Unlike the original every rank wants the whole sum,
// ranges take the place of hashed indices, and any number of ranks works.
#pragma once

#include "algorithms/phase/butterfly.hpp"
#include "model/algorithm_spec.hpp"

namespace sparsewire {

template <Summable S>
S kylix(Transport& transport, S mine, const AlgorithmSpec& spec) {
  const std::vector<ButterflyLayer> layers =
      butterfly_layers(transport.size(), transport.rank(), spec.numbers("degrees"));
  const S owned = butterfly_reduce_scatter(transport, layers, std::move(mine));
  return concatenated<S>(transport,
                         butterfly_allgather<S>(transport, layers, packed_result(transport, owned)));
}

}  // namespace sparsewire
