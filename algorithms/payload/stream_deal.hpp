// A stream dealt out among the owners of a hash, and put together again.
#pragma once

#include <bit>

#include "algorithms/pattern/hash_deal.hpp"
#include "algorithms/payload/stream.hpp"

namespace sparsewire {

namespace stream_detail {

template <class T>
struct Element {
  Index index;
  T value;
};

template <class T, class Op>
std::vector<Stream<T, Op>> dealt_dense(const Stream<T, Op>& stream, const HashDeal& deal) {
  std::vector<Stream<T, Op>> shares;
  for (Rank owner = 0; owner < deal.owners(); ++owner) {
    const std::uint64_t begin = deal.begin_of(owner), end = deal.begin_of(owner + 1);
    StreamDraft<T, Op> draft = StreamDraft<T, Op>::dense(begin, end);
    for (std::uint64_t n = 0; n < end - begin; ++n)
      draft.values()[n] = stream.values()[deal.index_of(owner, n)];
    shares.push_back(Stream<T, Op>::unpack(std::move(draft).finish(end - begin)));
  }
  return shares;
}

// A counting sort by owner; indices of one owner keep their order.
template <class T, class Op>
std::vector<Stream<T, Op>> dealt_sparse(const Stream<T, Op>& stream, const HashDeal& deal) {
  const std::span<const Index> indices = stream.indices();
  std::vector<Rank> owners;
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(deal.owners())), begins;
  for (const Index index : indices)
    ++counts[static_cast<std::size_t>(owners.emplace_back(deal.owner_of(index)))];
  std::vector<StreamDraft<T, Op>> drafts;
  for (Rank owner = 0; owner < deal.owners(); ++owner) {
    begins.push_back(deal.begin_of(owner));
    drafts.push_back(StreamDraft<T, Op>::sparse(begins.back(), deal.begin_of(owner + 1),
                                                counts[static_cast<std::size_t>(owner)]));
  }
  std::vector<std::uint64_t> filled(counts.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto owner = static_cast<std::size_t>(owners[i]);
    const std::uint64_t place = filled[owner]++;
    drafts[owner].indices()[place] = static_cast<Index>(begins[owner] + deal.number_of(indices[i]));
    drafts[owner].values()[place] = stream.values()[i];
  }
  std::vector<Stream<T, Op>> shares;
  for (std::size_t owner = 0; owner < drafts.size(); ++owner)
    shares.push_back(Stream<T, Op>::unpack(std::move(drafts[owner]).finish(counts[owner])));
  return shares;
}

// Calls visit(index, value) for each element of the shares, in order of owners; elements of dense ones that
// equal the operator's identity are none.
template <class T, class Op, class Visit>
void for_each_dealt(const std::vector<Stream<T, Op>>& shares, const HashDeal& deal, const Visit& visit) {
  for (Rank owner = 0; owner < deal.owners(); ++owner) {
    const Stream<T, Op>& share = shares[static_cast<std::size_t>(owner)];
    for (std::size_t i = 0; i < share.values().size(); ++i) {
      const T value = share.values()[i];
      if (share.is_dense() && value == Op::template identity<T>()) continue;
      const std::uint64_t n = share.is_dense() ? i : share.indices()[i] - share.begin();
      visit(deal.index_of(owner, n), value);
    }
  }
}

// By index: a pass over as many buckets of equal length as there are elements leaves next to nothing to sort.
template <class T>
std::vector<Element<T>> sorted(const std::vector<Element<T>>& elements, std::uint64_t dimension) {
  const std::uint64_t buckets = std::bit_ceil(elements.size() + 1);
  const auto bucket_of = [&](const Element<T>& element) { return element.index * buckets / dimension; };
  std::vector<std::size_t> ends(buckets + 1);
  for (const Element<T>& element : elements) ++ends[bucket_of(element) + 1];
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  std::vector<Element<T>> placed(elements.size());
  std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
  for (const Element<T>& element : elements) placed[next[bucket_of(element)]++] = element;
  const auto by_index = [](const Element<T>& a, const Element<T>& b) { return a.index < b.index; };
  for (std::size_t i = 0; i < buckets; ++i)
    std::sort(placed.begin() + static_cast<std::ptrdiff_t>(ends[i]),
              placed.begin() + static_cast<std::ptrdiff_t>(ends[i + 1]), by_index);
  return placed;
}

}  // namespace stream_detail

// The shares of all owners, by owner, each over the owner's places; dense where it reaches break-even. A move
// of an element to where the hash wants it is charged as a scatter-add.
template <class T, class Op>
Worked<std::vector<Stream<T, Op>>> dealt(const Stream<T, Op>& stream, const HashDeal& deal) {
  Work work = Work::of(WorkKind::scatter_add, stream.count());
  if (stream.is_dense()) return {stream_detail::dealt_dense(stream, deal), work};
  std::vector<Stream<T, Op>> shares = stream_detail::dealt_sparse(stream, deal);
  for (Stream<T, Op>& share : shares) {
    if (!dense_is_smaller(share.count(), share.length(), sizeof(T))) continue;
    Worked<Stream<T, Op>> dense = densified(std::move(share));
    share = std::move(dense.value);
    work += dense.work;
  }
  return {std::move(shares), work};
}

// The inverse of dealt(): all shares, by owner, as one stream over all indices; dense if the elements held
// reach break-even. Charged as scatter-adds: one an element into a dense vector, two to sort it into a sparse
// one.
template <class T, class Op>
Worked<Stream<T, Op>> undealt(const std::vector<Stream<T, Op>>& shares, const HashDeal& deal) {
  const std::uint64_t dimension = deal.dimension();
  std::uint64_t count = 0;
  Work work;
  for (const Stream<T, Op>& share : shares) {
    count += share.count();
    if (share.is_dense()) work += Work::of(WorkKind::scan, share.length());
  }
  if (dense_is_smaller(count, dimension, sizeof(T))) {
    StreamDraft<T, Op> draft = StreamDraft<T, Op>::dense(0, dimension);
    std::fill_n(draft.values(), dimension, Op::template identity<T>());
    stream_detail::for_each_dealt(shares, deal,
                                  [&](std::uint64_t index, T value) { draft.values()[index] = value; });
    work += Work::of(WorkKind::fill, dimension) + Work::of(WorkKind::scatter_add, count);
    return {Stream<T, Op>::unpack(std::move(draft).finish(dimension)), work};
  }
  std::vector<stream_detail::Element<T>> elements;
  elements.reserve(count);
  stream_detail::for_each_dealt(shares, deal, [&](std::uint64_t index, T value) {
    elements.push_back({static_cast<Index>(index), value});
  });
  work += Work::of(WorkKind::scatter_add, 2 * elements.size());
  StreamDraft<T, Op> draft = StreamDraft<T, Op>::sparse(0, dimension, elements.size());
  std::size_t place = 0;
  for (const auto& [index, value] : stream_detail::sorted(elements, dimension)) {
    draft.indices()[place] = index;
    draft.values()[place++] = value;
  }
  return {Stream<T, Op>::unpack(std::move(draft).finish(elements.size())), work};
}

}  // namespace sparsewire
