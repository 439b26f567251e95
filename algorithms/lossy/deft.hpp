// DEFT: the vector is cut in units; each unit gets a share of k by its norm and a rank that selects in it
// (Yoon, Oh 2023, arXiv:2307.03500). The leader of an iteration, the ranks in turn, measures the norms, puts
// the units into bins of about equal work and broadcasts shares and bins; rank r selects in bin t + r.
// Conserves: sums + residuals = gradients.
#pragma once

#include <cmath>
#include <numeric>

#include "algorithms/lossy/exclusive.hpp"
#include "algorithms/lossy/select/selector.hpp"
#include "algorithms/pattern/partition.hpp"
#include "algorithms/phase/binomial.hpp"

namespace sparsewire {

// What is selected in one go: the elements from `begin` to `end`, `count` of them, by the rank of `bin`.
struct DeftUnit {
  std::uint64_t begin = 0, end = 0, count = 0, bin = 0;
  std::uint64_t length() const { return end - begin; }
};

// The borders of the units: `layers` layers of equal length stand for those of a model; a layer longer than
// N/P is cut in P.
inline std::vector<DeftUnit> deft_units(std::uint64_t dimension, Rank layers, Rank ranks) {
  std::vector<DeftUnit> units;
  for (Rank layer = 0; layer < layers; ++layer) {
    const std::uint64_t begin = part_begin(dimension, layers, layer);
    const std::uint64_t length = part_begin(dimension, layers, layer + 1) - begin;
    const Rank pieces = length * static_cast<std::uint64_t>(ranks) > dimension ? ranks : 1;
    for (Rank piece = 0; piece < pieces; ++piece)
      units.push_back(
          {begin + part_begin(length, pieces, piece), begin + part_begin(length, pieces, piece + 1)});
  }
  return units;
}

// Places of `keys`, the largest key first; of equal ones the first.
inline std::vector<std::size_t> by_decreasing(const std::vector<double>& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] > keys[b]; });
  return order;
}

// Shares `count` out in proportion to the norms, from the largest on, at least one element and at most all of
// a unit.
inline void share_out(std::vector<DeftUnit>& units, const std::vector<double>& norms, std::uint64_t count) {
  double norm_left = std::accumulate(norms.begin(), norms.end(), 0.0);
  std::uint64_t left = count;
  for (const std::size_t i : by_decreasing(norms)) {
    DeftUnit& unit = units[i];
    const double share = norm_left > 0 ? static_cast<double>(left) * std::min(1.0, norms[i] / norm_left) : 0;
    const std::uint64_t least = count > 0 ? 1 : 0;
    unit.count = std::min(std::max(least, static_cast<std::uint64_t>(share)), unit.length());
    left -= std::min(left, unit.count);
    norm_left -= norms[i];
  }
}

// The unit with the most work goes into the lightest bin, and so on; work is length * log2 of its count.
inline void pack_bins(std::vector<DeftUnit>& units, Rank bins) {
  std::vector<double> work, filled(static_cast<std::size_t>(bins));
  for (const DeftUnit& unit : units)
    work.push_back(static_cast<double>(unit.length()) * std::log2(static_cast<double>(unit.count) + 1));
  for (const std::size_t i : by_decreasing(work)) {
    const auto lightest = std::min_element(filled.begin(), filled.end());
    units[i].bin = static_cast<std::uint64_t>(lightest - filled.begin());
    *lightest += work[i];
  }
}

template <class T>
struct Deft {
  LossySetup setup;
  Rank layers = 4;
  Residual<T> residual = Residual<T>(setup.dimension);
  std::uint64_t iteration = 0;

  Stream<T> step(Transport& transport, std::span<const T> gradient) {
    accumulate(transport, residual, gradient);
    const auto ranks = static_cast<std::uint64_t>(transport.size());
    const std::vector<DeftUnit> units = allocated(transport, static_cast<Rank>(iteration % ranks));
    const std::uint64_t bin = (iteration + static_cast<std::uint64_t>(transport.rank())) % ranks;
    Selection mine;
    for (const DeftUnit& unit : units)
      if (unit.bin == bin)
        std::ranges::copy(shifted(select_exactly(transport, values_of(unit), unit.count), unit.begin),
                          std::back_inserter(mine));
    ++iteration;
    return sparse_stream(sum_at_all_selected(transport, residual, mine));
  }
  Residual<T> unsent() const { return residual; }

 private:
  std::span<const T> values_of(const DeftUnit& unit) const {
    return std::span<const T>(residual).subspan(unit.begin, unit.length());
  }

  // The units as the leader has shared them out.
  std::vector<DeftUnit> allocated(Transport& transport, Rank leader) const {
    std::vector<DeftUnit> units = deft_units(setup.dimension, layers, transport.size());
    Counts shares;
    if (transport.rank() == leader) {
      transport.compute(Work::of(WorkKind::scan, setup.dimension));
      share_out(units, norms_of(units), setup.count);
      pack_bins(units, transport.size());
      for (const DeftUnit& unit : units) shares.insert(shares.end(), {unit.count, unit.bin});
    }
    shares = unpack_counts(
        binomial_broadcast(transport, BinomialTree(transport.size(), leader), pack_counts(shares)),
        2 * units.size());
    for (std::size_t i = 0; i < units.size(); ++i)
      units[i].count = shares[2 * i], units[i].bin = shares[2 * i + 1];
    return units;
  }

  // Finite, so that shares are: a norm that is not counts as a very large one.
  std::vector<double> norms_of(const std::vector<DeftUnit>& units) const {
    constexpr double kVeryLarge = 1e150;
    std::vector<double> norms;
    for (const DeftUnit& unit : units) {
      double squares = 0;
      for (const T value : values_of(unit))
        squares += static_cast<double>(value) * static_cast<double>(value);
      const double norm = std::sqrt(squares);
      norms.push_back(norm < kVeryLarge ? norm : kVeryLarge);
    }
    return norms;
  }
};

}  // namespace sparsewire
