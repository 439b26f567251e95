// Reduce-scatter down the layers of a butterfly and allgather up again, along the same edges (Zhao, Canny,
// "Kylix", ICPP 2014, doi:10.1109/ICPP.2014.36).
#pragma once

#include "algorithms/pattern/butterfly.hpp"
#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

// The sum over all ranks of this rank's part. At each layer a rank sends every other subgroup its elements of
// the range that the subgroup's ranks will own, rotated, and adds what it receives in a fixed order.
template <Summable S>
S butterfly_reduce_scatter(Transport& transport, const std::vector<ButterflyLayer>& layers, S mine) {
  const Rank ranks = transport.size(), rank = transport.rank();
  const std::uint64_t dimension = mine.end();
  for (const ButterflyLayer& layer : layers) {
    const Rank own = layer.subgroup_of(rank), degree = layer.degree;
    const auto slice_for = [&](Rank subgroup) {
      return charged(transport, slice(mine, part_begin(dimension, ranks, layer.begin_of(subgroup)),
                                      part_begin(dimension, ranks, layer.begin_of(subgroup + 1))));
    };
    for (Rank step = 1; step < degree; ++step) {
      const Rank subgroup = (own + step) % degree;
      send_value(transport, layer.receiver_in(subgroup, rank), tags::kButterflyDown, slice_for(subgroup));
    }
    S total = slice_for(own);
    for (Rank step = 1; step < degree; ++step)
      for (const Rank sender : layer.senders_in((own + degree - step) % degree, rank))
        total = charged(transport,
                        sum(std::move(total), receive_value<S>(transport, sender, tags::kButterflyDown)));
    mine = std::move(total);
  }
  return mine;
}

// The packed blocks of all ranks, by rank; `mine` is one packed S. Back through the layers every rank returns
// its subgroup's finished blocks to whom it has had elements from.
template <Summable S>
std::vector<Message> butterfly_allgather(Transport& transport, const std::vector<ButterflyLayer>& layers,
                                         Message mine) {
  const Rank rank = transport.rank();
  std::vector<Message> blocks(static_cast<std::size_t>(transport.size()));
  blocks[static_cast<std::size_t>(rank)] = std::move(mine);
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const Rank own = layer->subgroup_of(rank), degree = layer->degree;
    Message bundle;
    for (Rank owner = layer->begin_of(own); owner < layer->begin_of(own + 1); ++owner)
      bundle.append(blocks[static_cast<std::size_t>(owner)]);
    for (Rank step = 1; step < degree; ++step)
      for (const Rank receiver : layer->senders_in((own + step) % degree, rank))
        transport.send(receiver, tags::kButterflyUp, bundle);
    for (Rank step = 1; step < degree; ++step) {
      const Rank subgroup = (own + degree - step) % degree;
      const Message theirs = transport.recv(layer->receiver_in(subgroup, rank), tags::kButterflyUp);
      auto place = static_cast<std::size_t>(layer->begin_of(subgroup));
      for (Message& block : split_packed<S>(theirs)) blocks[place++] = std::move(block);
    }
  }
  return blocks;
}

}  // namespace sparsewire
