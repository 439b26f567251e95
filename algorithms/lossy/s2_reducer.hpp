// S2 Reducer: the selected elements are added into a count sketch, and their places marked in a bitmap; both
// are summed by dense allreduces, whatever the supports (arXiv:2110.02140). An element's value is the median
// of its cells. Lossy and does not conserve: elements
// that share cells disturb each other, and nobody remembers by how much. 4 log2 P messages (+ folds),
// 2(P-1)/P (rows * width + N/32) words.
#pragma once

#include <compare>

#include "algorithms/lossy/index_list.hpp"
#include "algorithms/lossy/select/selector.hpp"
#include "algorithms/pattern/hash.hpp"
#include "algorithms/payload/bit_set.hpp"

namespace sparsewire {

// Rows of cells; each row adds an element to one of its cells, with a sign (Charikar, Chen, Farach-Colton
// 2004, doi:10.1016/S0304-3975(03)00400-6).
template <class T>
struct CountSketch {
  std::uint64_t rows = 0, width = 0, seed = 0;
  std::vector<T> cells = std::vector<T>(rows * width);

  std::size_t cell(std::uint64_t row, Index index) const {
    return row * width + hash_of(seed, 2 * row, index) % width;
  }
  T sign(std::uint64_t row, Index index) const {
    return hash_of(seed, 2 * row + 1, index) % 2 == 0 ? T{1} : T{-1};
  }
  void add(const SparseVector<T>& elements) {
    for (std::uint64_t row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < elements.indices.size(); ++i)
        cells[cell(row, elements.indices[i])] += sign(row, elements.indices[i]) * elements.values[i];
  }
  // The median of the rows, the lower one of two.
  T estimate(Index index) const {
    std::vector<T> values;
    for (std::uint64_t row = 0; row < rows; ++row)
      values.push_back(sign(row, index) * cells[cell(row, index)]);
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end(),
                     [](T a, T b) { return std::strong_order(a, b) < 0; });
    return *middle;
  }
};

template <class T>
struct S2Reducer {
  LossySetup setup;
  std::uint64_t rows = 3;
  double width = 4;  // cells a row, for each of the k elements of a rank
  std::string selector;
  Residual<T> residual = Residual<T>(setup.dimension);

  Stream<T> step(Transport& transport, std::span<const T> gradient) {
    const SparseVector<T> selected = take_selected(transport, residual, gradient, setup, selector);
    CountSketch<T> sketch{rows, cells_in_a_row(), setup.seed};
    sketch.add(selected);
    BitSet marked = BitSet::of(setup.dimension);
    for (const Index index : selected.indices) marked.insert(index);
    transport.compute(Work::of(WorkKind::scatter_add, rows * selected.count()));
    sketch.cells = dense_sum<T>(transport, sketch.cells);
    marked = dense_rabenseifner(transport, std::move(marked));
    return decoded(transport, sketch, marked);
  }
  Residual<T> unsent() const { return residual; }

 private:
  std::uint64_t cells_in_a_row() const {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(width * static_cast<double>(setup.count)));
  }

  Stream<T> decoded(Transport& transport, const CountSketch<T>& sketch, const BitSet& marked) const {
    SparseVector<T> result{setup.dimension, {}, {}};
    for (std::uint64_t i = 0; i < setup.dimension; ++i) {
      if (!marked.contains(i)) continue;
      result.indices.push_back(static_cast<Index>(i));
      result.values.push_back(sketch.estimate(static_cast<Index>(i)));
    }
    transport.compute(Work::of(WorkKind::scan, setup.dimension) +
                      Work::of(WorkKind::scatter_add, rows * result.count()));
    return sparse_stream(result);
  }
};

}  // namespace sparsewire
