// gTop-k: the selected elements go up a binomial tree, which after each addition keeps the k largest only,
// and the k that are left are broadcast (Shi et al. 2019,
// doi:10.1109/ICDCS.2019.00220, arXiv:1901.04359). 2 ceil(log2 P) rounds of 2k words for any P. A rank takes
// back what it selected at indices that are not in the result. Does not conserve: where an index was cut in
// one subtree and came through in another, the ranks of the first see it in the result, and what they sent is
// lost.
#pragma once

#include "algorithms/lossy/select/selector.hpp"
#include "algorithms/phase/binomial.hpp"

namespace sparsewire {

template <class T>
struct Gtopk {
  LossySetup setup;
  std::string selector;
  Residual<T> residual = Residual<T>(setup.dimension);

  Stream<T> step(Transport& transport, std::span<const T> gradient) {
    const SparseVector<T> selected = take_selected(transport, residual, gradient, setup, selector);
    const BinomialTree tree(transport.size(), 0);
    const auto cut_sum = [&](Stream<T> own, Stream<T> theirs) {
      const SparseVector<T> both =
          sparse_vector_of(charged(transport, sum(std::move(own), std::move(theirs))));
      transport.compute(Work::of(WorkKind::select, both.count()));
      return sparse_stream(largest_of(both, setup.count));
    };
    const auto kept = binomial_reduce(transport, tree, sparse_stream(selected), cut_sum);
    const Message packed_result = kept ? pack(*kept) : Message();
    const Stream<T> result = Stream<T>::unpack(binomial_broadcast(transport, tree, packed_result));
    put_back(transport, residual, missing_from(selected, result.indices()));
    return result;
  }
  Residual<T> unsent() const { return residual; }
};

}  // namespace sparsewire
