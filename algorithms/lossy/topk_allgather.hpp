// TopkA: every rank's selected elements are gathered and added on all ranks; what was not selected waits for
// the next iteration. With the Gaussian selector this is Gaussiank (arXiv:1911.08772), with the exponential
// and Pareto ones SIDCo (arXiv:2101.10761). ceil(log2 P) messages, 2k(P-1) words; the sum has up to P k
// elements. Conserves: sums + residuals = gradients.
#pragma once

#include "algorithms/allreduce/sparse_allgather.hpp"
#include "algorithms/lossy/select/selector.hpp"

namespace sparsewire {

template <class T>
struct TopkAllgather {
  LossySetup setup;
  std::string selector;
  Residual<T> residual = Residual<T>(setup.dimension);

  Stream<T> step(Transport& transport, std::span<const T> gradient) {
    const SparseVector<T> selected = take_selected(transport, residual, gradient, setup, selector);
    return sparse_allgather(transport, stream_of(selected));
  }
  Residual<T> unsent() const { return residual; }
};

}  // namespace sparsewire
