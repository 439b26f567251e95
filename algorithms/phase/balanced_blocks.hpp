// Sparse elements that the ranks hold in index order, moved so that all hold the same number of them (the
// balancing of Ok-Topk, arXiv:2201.07598).
#pragma once

#include <algorithm>
#include <numeric>

#include "algorithms/pattern/partition.hpp"
#include "algorithms/payload/stream.hpp"
#include "algorithms/phase/count_exchange.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

inline std::uint64_t total_of(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

// The sparse vector whose elements the blocks hold one after another; all blocks are sparse streams over the
// whole vector.
template <class T>
SparseVector<T> joined(Transport& transport, const std::vector<Message>& blocks) {
  SparseVector<T> whole;
  for (const Stream<T>& block : unpacked<Stream<T>>(transport, blocks)) {
    whole.dimension = block.end();
    whole.indices.insert(whole.indices.end(), block.indices().begin(), block.indices().end());
    whole.values.insert(whole.values.end(), block.values().begin(), block.values().end());
  }
  return whole;
}

// Places of elements in the order of all ranks.
struct Places {
  std::uint64_t first = 0, last = 0;
  bool empty() const { return first >= last; }
};

inline Places overlap(const Places& a, const Places& b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

// Where the elements of `rank` are, if it has counts[rank] of them; where they are to go.
inline Places held_places(const Counts& counts, Rank rank) {
  const auto begin = counts.begin() + rank;
  const std::uint64_t first = std::accumulate(counts.begin(), begin, std::uint64_t{0});
  return {first, first + *begin};
}
inline Places wanted_places(const Counts& counts, Rank rank) {
  const auto ranks = static_cast<Rank>(counts.size());
  const std::uint64_t total = total_of(counts);
  return {part_begin(total, ranks, rank), part_begin(total, ranks, rank + 1)};
}

// This rank's share of all elements, as a sparse stream: it holds `mine`, counts[rank] elements, and all of
// lower ranks come before them. A message for each pair of ranks between which elements move.
template <class T>
Stream<T> balanced_block(Transport& transport, const SparseVector<T>& mine, const Counts& counts) {
  const Rank ranks = transport.size(), rank = transport.rank();
  const Places held = held_places(counts, rank), wanted = wanted_places(counts, rank);
  const auto part = [&](const Places& places) {
    const std::size_t first = places.first - held.first, count = places.last - places.first;
    return Stream<T>::sparse(0, mine.dimension, std::span(mine.indices).subspan(first, count),
                             std::span(mine.values).subspan(first, count));
  };
  for (Rank step = 1; step < ranks; ++step) {
    const Rank receiver = (rank + step) % ranks;
    const Places moved = overlap(held, wanted_places(counts, receiver));
    if (!moved.empty()) send_value(transport, receiver, tags::kBalance, part(moved));
  }
  std::vector<Message> parts;
  for (Rank sender = 0; sender < ranks; ++sender) {
    const Places moved = overlap(held_places(counts, sender), wanted);
    if (moved.empty()) continue;
    parts.push_back(sender == rank ? pack(part(moved)) : transport.recv(sender, tags::kBalance));
  }
  SparseVector<T> block = joined<T>(transport, parts);
  return Stream<T>::sparse(0, mine.dimension, block.indices, block.values);
}

}  // namespace sparsewire
