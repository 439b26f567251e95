// Lossless homomorphic compression: the selected elements are added into a sketch of three cells each, and
// their indices into a Bloom filter; both are summed by dense allreduces, and the sum is read out of the
// sketch by peeling: a cell with only one candidate left has its value (Li et al. 2024, arXiv:2402.07529;
// peeling as in invertible Bloom lookup tables, Goodrich, Mitzenmacher 2011, arXiv:1101.2245). Candidates are
// all indices that pass the filter; false ones come out as zero. Fallback: where peeling gets stuck, all
// ranks know the same candidates that are left, and their values are summed by one more dense allreduce.
// Conserves where the arithmetic is exact, as with integers; otherwise up to the rounding of subtractions.
// 4 log2 P messages (+ folds, + fallback).
#pragma once

#include <array>
#include <cmath>

#include "algorithms/lossy/index_list.hpp"
#include "algorithms/lossy/select/selector.hpp"
#include "algorithms/pattern/hash.hpp"
#include "algorithms/payload/bit_set.hpp"

namespace sparsewire {

// Which indices are there, in as many bits as make about a tenth as many false ones as `expected` are there;
// one bit for each index where that is no more.
struct IndexFilter {
  std::uint64_t bits = 0, hashes = 0, seed = 0;  // hashes = 0: a bit for each index

  static IndexFilter of(std::uint64_t dimension, std::uint64_t expected, std::uint64_t seed) {
    const double there = static_cast<double>(expected), others = static_cast<double>(dimension) - there;
    if (expected == 0 || others <= 0) return {dimension, 0, seed};
    const double doublings = std::max(1.0, std::log2(10 * others / there));  // -log2 of the false positives
    const double bits = std::ceil(there * doublings / std::log(2.0));
    if (bits >= static_cast<double>(dimension)) return {dimension, 0, seed};
    return {static_cast<std::uint64_t>(bits), static_cast<std::uint64_t>(std::lround(doublings)), seed};
  }
  void insert(BitSet& set, Index index) const {
    if (hashes == 0) set.insert(index);
    for (std::uint64_t i = 0; i < hashes; ++i) set.insert(bit(i, index));
  }
  bool contains(const BitSet& set, Index index) const {
    if (hashes == 0) return set.contains(index);
    for (std::uint64_t i = 0; i < hashes; ++i)
      if (!set.contains(bit(i, index))) return false;
    return true;
  }

 private:
  std::uint64_t bit(std::uint64_t i, Index index) const { return hash_of(seed, 1000 + i, index) % bits; }
};

// Three tables of equal width; an element is in one cell of each.
struct PeelingCells {
  std::uint64_t width = 1, seed = 0;
  std::array<std::size_t, 3> of(Index index) const {
    std::array<std::size_t, 3> cells{};
    for (std::uint64_t table = 0; table < 3; ++table)
      cells[table] = table * width + hash_of(seed, table, index) % width;
    return cells;
  }
};

// Reads the values of `candidates` out of the sums. Returns the candidates that are stuck; `values` has those
// of all others, by place.
template <class T>
struct Peeled {
  std::vector<T> values;
  Selection stuck;
};
template <class T>
Peeled<T> peel(const PeelingCells& cells, std::vector<T> sums, const Selection& candidates) {
  struct OpenCell {
    std::uint32_t left = 0;
    std::size_t places = 0;  // xor of those that are left
  };
  std::vector<OpenCell> open(sums.size());
  const auto toggle = [&](std::size_t cell, std::size_t place, bool enters) {
    open[cell].left += enters ? 1u : -1u;
    open[cell].places ^= place;
  };
  for (std::size_t place = 0; place < candidates.size(); ++place)
    for (const std::size_t cell : cells.of(candidates[place])) toggle(cell, place, true);
  std::vector<std::size_t> single;
  for (std::size_t cell = 0; cell < open.size(); ++cell)
    if (open[cell].left == 1) single.push_back(cell);
  Peeled<T> peeled{std::vector<T>(candidates.size()), {}};
  std::vector<bool> is_read(candidates.size());
  while (!single.empty()) {
    const std::size_t from = single.back();
    single.pop_back();
    if (open[from].left != 1) continue;
    const std::size_t place = open[from].places;
    const T value = peeled.values[place] = sums[from];
    is_read[place] = true;
    for (const std::size_t cell : cells.of(candidates[place])) {
      toggle(cell, place, false);
      sums[cell] -= value;
      if (open[cell].left == 1) single.push_back(cell);
    }
  }
  for (std::size_t place = 0; place < candidates.size(); ++place)
    if (!is_read[place]) peeled.stuck.push_back(candidates[place]);
  return peeled;
}

template <class T>
struct SketchPeeling {
  LossySetup setup;
  double cells = 1.5;  // for each of the min(N, P k) elements that the sum may have
  std::string selector;
  Residual<T> residual = Residual<T>(setup.dimension);

  Stream<T> step(Transport& transport, std::span<const T> gradient) {
    const SparseVector<T> selected = take_selected(transport, residual, gradient, setup, selector);
    const std::uint64_t expected =
        std::min(setup.dimension, setup.count * static_cast<std::uint64_t>(transport.size()));
    const IndexFilter filter = IndexFilter::of(setup.dimension, expected, setup.seed);
    const PeelingCells sketch{cells_in_a_table(expected), setup.seed};
    const std::vector<T> sums = dense_sum<T>(transport, sketched(transport, sketch, selected));
    const Selection candidates = all_candidates(transport, filter, selected);
    Peeled<T> peeled = peel(sketch, sums, candidates);
    transport.compute(Work::of(WorkKind::scatter_add, 3 * candidates.size()));
    return result_of(transport, selected, candidates, std::move(peeled));
  }
  Residual<T> unsent() const { return residual; }

 private:
  std::uint64_t cells_in_a_table(std::uint64_t expected) const {
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(cells * static_cast<double>(expected) / 3)));
  }

  static std::vector<T> sketched(Transport& transport, const PeelingCells& sketch,
                                 const SparseVector<T>& selected) {
    std::vector<T> sums(3 * sketch.width);
    for (std::size_t i = 0; i < selected.indices.size(); ++i)
      for (const std::size_t cell : sketch.of(selected.indices[i])) sums[cell] += selected.values[i];
    transport.compute(Work::of(WorkKind::fill, sums.size()) +
                      Work::of(WorkKind::scatter_add, 3 * selected.count()));
    return sums;
  }

  // What any rank has selected, and the false positives of the filter.
  Selection all_candidates(Transport& transport, const IndexFilter& filter,
                           const SparseVector<T>& selected) const {
    BitSet marked = BitSet::of(filter.bits);
    for (const Index index : selected.indices) filter.insert(marked, index);
    marked = dense_rabenseifner(transport, std::move(marked));
    Selection candidates;
    for (std::uint64_t i = 0; i < setup.dimension; ++i)
      if (filter.contains(marked, static_cast<Index>(i))) candidates.push_back(static_cast<Index>(i));
    transport.compute(Work::of(WorkKind::scan, setup.dimension));
    return candidates;
  }

  // The candidates' values, those that are stuck from a dense allreduce; without the zeros of false
  // positives.
  Stream<T> result_of(Transport& transport, const SparseVector<T>& selected, const Selection& candidates,
                      Peeled<T> peeled) const {
    if (!peeled.stuck.empty()) {
      const std::vector<T> sums = dense_sum<T>(transport, values_or_zero(selected, peeled.stuck));
      for (std::size_t i = 0; i < peeled.stuck.size(); ++i)
        peeled.values[static_cast<std::size_t>(std::ranges::lower_bound(candidates, peeled.stuck[i]) -
                                               candidates.begin())] = sums[i];
    }
    return sparse_stream(without_zeros(SparseVector<T>{setup.dimension, candidates, peeled.values}));
  }

  static std::vector<T> values_or_zero(const SparseVector<T>& selected, const Selection& indices) {
    std::vector<T> values;
    for (const Index index : indices) {
      const auto found = std::ranges::lower_bound(selected.indices, index);
      const bool is_there = found != selected.indices.end() && *found == index;
      values.push_back(is_there ? selected.values[static_cast<std::size_t>(found - selected.indices.begin())]
                                : T{0});
    }
    return values;
  }
};

}  // namespace sparsewire
