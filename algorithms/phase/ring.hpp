// The two halves of a ring allreduce: 2(P-1) rounds, neighbours only, any P.
#pragma once

#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/part.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

// The sum over all ranks of part r + `ahead` (mod P) on rank r. A partial sum of a part travels once around
// the ring and every rank adds its own elements to it; 0 <= ahead <= 1.
template <Summable S>
S ring_reduce_scatter(Transport& transport, const S& mine, Rank ahead = 1) {
  const Rank ranks = transport.size(), rank = transport.rank();
  const Rank next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  const Rank first = (rank + ranks + ahead - 1) % ranks;
  S travelling = part_of(transport, mine, first);
  for (Rank step = 1; step < ranks; ++step) {
    send_value(transport, next, tags::kRingReduce, travelling);
    S partial = receive_value<S>(transport, previous, tags::kRingReduce);
    travelling =
        charged(transport, sum(std::move(partial), part_of(transport, mine, (first + ranks - step) % ranks)));
  }
  return travelling;
}

// The packed blocks of all parts, by part, where rank r starts with that of part r + `ahead` (mod P).
inline std::vector<Message> ring_allgather(Transport& transport, Message mine, Rank ahead = 1) {
  const Rank ranks = transport.size(), rank = transport.rank();
  const Rank next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  std::vector<Message> blocks(static_cast<std::size_t>(ranks));
  const Rank own = (rank + ahead) % ranks;
  blocks[static_cast<std::size_t>(own)] = std::move(mine);
  for (Rank step = 1; step < ranks; ++step) {
    const Rank sent = (own + ranks - step + 1) % ranks, received = (own + ranks - step) % ranks;
    transport.send(next, tags::kRingGather, blocks[static_cast<std::size_t>(sent)]);
    blocks[static_cast<std::size_t>(received)] = transport.recv(previous, tags::kRingGather);
  }
  return blocks;
}

}  // namespace sparsewire
