// Block streaming of OmniReduce (Fei, Ho, Sahu, Canini, Sapio, SIGCOMM 2021, doi:10.1145/3452296.3472904):
// only blocks that have elements travel, dense, and a pointer with each says which one comes next. Best for
// sparsity in runs, such as the rows of an embedding, on networks with little latency; element-wise random
// sparsity fills every block and gains nothing. Aggregators are ranks, all of them unless told otherwise. The
// original's recovery of lost packets is not there, as transports lose none.
#pragma once

#include "algorithms/phase/block_streaming.hpp"
#include "model/algorithm_spec.hpp"

namespace sparsewire {

template <SparseSummable S>
S omnireduce(Transport& transport, S mine, const AlgorithmSpec& spec) {
  const auto ranks = static_cast<std::uint64_t>(transport.size());
  const std::uint64_t wanted = spec.number("aggregators");
  BlockStreams streams{mine.end(), spec.number("block"), spec.number("slots"), transport.size(), 1};
  streams.aggregators = static_cast<Rank>(wanted == 0 ? ranks : std::min(wanted, ranks));
  return BlockStreaming<S>(transport, streams, mine).run();
}

}  // namespace sparsewire
