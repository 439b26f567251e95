// What the exclusive-partition methods share: the ranks have selected disjoint indices, and all ranks add
// their values at all of these, so that sums there are complete.
#pragma once

#include "algorithms/lossy/index_list.hpp"
#include "algorithms/phase/bruck_allgather.hpp"
#include "algorithms/phase/count_exchange.hpp"

namespace sparsewire {

// Moves the elements at the indices of all ranks out of the residual and returns their sum over all ranks. An
// allgather of the counts, an allgather of the indices, a dense allreduce of the values: about
// 4 ceil(log2 P) messages and 3 k words for k indices in all.
template <class T>
SparseVector<T> sum_at_all_selected(Transport& transport, Residual<T>& residual, const Selection& mine) {
  const Counts counts = gather_counts(transport, mine.size());
  Selection all;
  const std::vector<Message> lists = bruck_allgather<IndexList>(transport, IndexList{mine}.packed());
  for (std::size_t rank = 0; rank < lists.size(); ++rank) {
    const Selection theirs = IndexList::unpack(lists[rank]).indices;
    if (theirs.size() != counts[rank]) throw std::runtime_error("malformed list of indices: wrong count");
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  std::sort(all.begin(), all.end());
  transport.compute(Work::of(WorkKind::merge, all.size()));
  return values_summed(transport, take(transport, residual, std::move(all)));
}

}  // namespace sparsewire
