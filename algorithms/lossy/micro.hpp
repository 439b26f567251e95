// MiCRO: the vector is cut in P parts of equal length, and each rank selects in another one of them in each
// iteration, by a threshold that follows the number of elements selected; no top-k at all (Yoon, Oh 2023,
// arXiv:2310.00967). Conserves: sums + residuals = gradients.
#pragma once

#include <cmath>

#include "algorithms/lossy/exclusive.hpp"
#include "algorithms/lossy/select/selector.hpp"
#include "algorithms/pattern/partition.hpp"

namespace sparsewire {

template <class T>
struct Micro {
  LossySetup setup;
  double threshold = 0;  // 0: 1 / (2 sqrt k), the paper's first
  Residual<T> residual = Residual<T>(setup.dimension);
  std::uint64_t iteration = 0;

  Stream<T> step(Transport& transport, std::span<const T> gradient) {
    accumulate(transport, residual, gradient);
    if (threshold == 0)
      threshold = 0.5 / std::sqrt(static_cast<double>(std::max<std::uint64_t>(1, setup.count)));
    const SparseVector<T> total = sum_at_all_selected(transport, residual, selected(transport));
    scale_threshold(total.count());
    ++iteration;
    return sparse_stream(total);
  }
  Residual<T> unsent() const { return residual; }

 private:
  // What reaches the threshold in this rank's part; if nothing does, one element of it in turn.
  Selection selected(Transport& transport) const {
    if (setup.count == 0) return {};
    const auto ranks = static_cast<std::uint64_t>(transport.size());
    const auto part = static_cast<Rank>((iteration + static_cast<std::uint64_t>(transport.rank())) % ranks);
    const std::uint64_t from = part_begin(setup.dimension, transport.size(), part);
    const std::uint64_t length = part_begin(setup.dimension, transport.size(), part + 1) - from;
    const auto values = std::span<const T>(residual).subspan(from, length);
    Selection selection = select_by_threshold(transport, values, static_cast<T>(threshold));
    if (selection.empty() && length > 0) selection.push_back(static_cast<Index>(iteration % length));
    return shifted(std::move(selection), from);
  }

  void scale_threshold(std::uint64_t selected) {
    if (setup.count == 0) return;
    const double ratio = static_cast<double>(selected) / static_cast<double>(setup.count);
    threshold *= ratio > 1.1 ? 1.005 : ratio > 1 / 1.1 ? 1.00125 : 0.995;
  }
};

}  // namespace sparsewire
