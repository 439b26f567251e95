// Balanced parallelism of Zen (Wang et al., OSDI 2025, arXiv:2309.13254): a universal hash picks the owner of
// each index, so that owners are balanced whatever the skew; elements are pushed to them directly as pairs,
// and the sums are pulled as values and a bitmap over only the indices that hash to the owner. Best where
// non-zeros crowd into a few ranges and the sum fills up. Owners' indices are computed instead of looked up
// in a table, the pull is Bruck's allgather, and pairs are pulled where they are smaller than the bitmap (4 K
// bytes of indices against N/8).
#pragma once

#include "algorithms/pattern/hash_deal.hpp"
#include "algorithms/payload/coded.hpp"
#include "algorithms/phase/bruck_allgather.hpp"
#include "algorithms/phase/direct_split.hpp"
#include "model/algorithm_spec.hpp"

namespace sparsewire {

// How an owner's sum is pulled: a stream, and one whose codec is pairs, in the smaller of bitmap and pairs;
// other payloads as they are. `like` is what the sum becomes again.
template <Summable S>
struct Pull {
  using Block = S;
  static S block_of(S owned) { return owned; }
  static S value_of(S block, const S&) { return block; }
};
template <class T, class Op>
struct Pull<Stream<T, Op>> {
  using Block = Coded<T, Op>;
  static Block block_of(Stream<T, Op> owned) {
    const bool bitmap = encoded_bytes(Codec::bitmap, owned) < encoded_bytes(Codec::pairs, owned);
    return Block(std::move(owned), {bitmap ? Codec::bitmap : Codec::pairs, {}});
  }
  static Stream<T, Op> value_of(Block block, const Stream<T, Op>&) { return std::move(block).stream(); }
};
template <class T, class Op>
struct Pull<Coded<T, Op>> {
  using Block = Coded<T, Op>;
  static Block block_of(Block owned) {
    if (owned.coding().codec != Codec::pairs) return owned;
    const Quantisation quantisation = owned.coding().quantisation;
    Block block = Pull<Stream<T, Op>>::block_of(std::move(owned).stream());
    const Codec codec = block.coding().codec;
    return Block(std::move(block).stream(), {codec, quantisation});
  }
  static Block value_of(Block block, const Block& like) {
    return Block(std::move(block).stream(), like.coding());
  }
};

template <Summable S>
S zen(Transport& transport, S mine, const AlgorithmSpec& spec) {
  using Block = typename Pull<S>::Block;
  const HashDeal deal(mine.end(), transport.size(), spec.number("seed"));
  const std::vector<S> shares = charged(transport, dealt(mine, deal));
  const auto share_of = [&](Rank owner) { return shares[static_cast<std::size_t>(owner)]; };
  S owned = direct_split<S>(transport, {}, share_of, unprepared<S>);
  const Block block = Pull<S>::block_of(std::move(owned));
  std::vector<S> sums;
  for (Block& pulled :
       unpacked<Block>(transport, bruck_allgather<Block>(transport, packed_result(transport, block))))
    sums.push_back(Pull<S>::value_of(std::move(pulled), mine));
  return charged(transport, undealt(sums, deal));
}

}  // namespace sparsewire
