// ScaleCom's CLT-k: the ranks lead in turn; the leader broadcasts the indices of its k largest elements and
// all ranks add their values at these (Chen et al. 2020, arXiv:2104.11125). Indices travel once, and values
// as a dense allreduce of k. The memory goes through a low-pass filter: of what was not sent, and of the
// memory before, it takes the shares beta and 1 - beta. Conserves: sums + memories / beta = gradients, with
// beta = 1 plain error feedback.
#pragma once

#include "algorithms/lossy/index_list.hpp"
#include "algorithms/lossy/select/selector.hpp"
#include "algorithms/phase/binomial.hpp"

namespace sparsewire {

template <class T>
struct Scalecom {
  LossySetup setup;
  double beta = 1;  // in (0, 1]
  std::string selector;
  Residual<T> memory = Residual<T>(setup.dimension);
  std::uint64_t iteration = 0;

  Stream<T> step(Transport& transport, std::span<const T> gradient) {
    const Residual<T> before = memory;
    accumulate(transport, memory, gradient);
    const auto leader = static_cast<Rank>(iteration++ % static_cast<std::uint64_t>(transport.size()));
    Selection chosen;
    if (transport.rank() == leader) chosen = select<T>(transport, memory, setup.count, selector);
    chosen = IndexList::unpack(binomial_broadcast(transport, BinomialTree(transport.size(), leader),
                                                  IndexList{chosen}.packed()))
                 .indices;
    const SparseVector<T> total = values_summed(transport, take(transport, memory, std::move(chosen)));
    if (beta != 1) filter(transport, before);
    return sparse_stream(total);
  }
  Residual<T> unsent() const {
    Residual<T> whole = memory;
    for (T& value : whole) value = static_cast<T>(value / beta);
    return whole;
  }

 private:
  void filter(Transport& transport, const Residual<T>& before) {
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<T>((1 - beta) * before[i] + beta * memory[i]);
    transport.compute(Work::of(WorkKind::dense_add, memory.size()));
  }
};

}  // namespace sparsewire
