// Ok-Topk: local and global top-k by thresholds that are reused between exact evaluations, with borders that
// follow the data (Li, Hoefler 2022, doi:10.1145/3503221.3508399, arXiv:2201.07598). Each iteration: an
// exchange of counts; a direct split, rotated and throttled, to owners whose borders are averaged quantiles;
// a gather of the counts that are above the global threshold; if they are unbalanced, a move to blocks of
// equal size; an allgather. 2k(P-1)/P to 6k(P-1)/P words, plus 8 bytes a count. Conserves: sums + residuals =
// gradients, as what a rank has sent leaves its residual where it is part of the result, and only there.
//
// Beside the paper: a selection above 4k/3 after the threshold was corrected (many equal values) is cut to
// that, which keeps the bound on the traffic; and the counts have no use but their cost, as messages tell
// their own size.
#pragma once

#include "algorithms/lossy/select/selector.hpp"
#include "algorithms/pattern/partition.hpp"
#include "algorithms/phase/balanced_blocks.hpp"
#include "algorithms/phase/bruck_allgather.hpp"
#include "algorithms/phase/count_exchange.hpp"
#include "algorithms/phase/direct_split.hpp"
#include "algorithms/phase/recursive_doubling.hpp"

namespace sparsewire {

template <class T>
struct Oktopk {
  LossySetup setup;
  std::uint64_t tau = 8;        // iterations between two partitions
  std::uint64_t tau_prime = 4;  // iterations between two exact evaluations of the thresholds
  double balance = 4;           // blocks are balanced if the largest is more than this times the mean
  Residual<T> residual = Residual<T>(setup.dimension);
  T local_threshold = 0, global_threshold = 0;
  std::vector<std::uint64_t> borders{};  // of owner r: borders[r] to borders[r + 1]
  std::uint64_t iteration = 0;

  Stream<T> step(Transport& transport, std::span<const T> gradient) {
    accumulate(transport, residual, gradient);
    const bool evaluates = iteration % tau_prime == 0;
    Selection selection = evaluates ? exact_selection(transport) : selection_by_threshold(transport);
    const SparseVector<T> selected = take(transport, residual, std::move(selection));
    if (iteration % tau == 0) borders = averaged_borders(transport, selected);
    ++iteration;
    const SparseVector<T> owned = reduced(transport, selected);
    const SparseVector<T> result = evaluates ? evaluated(transport, owned) : gathered(transport, owned);
    put_back(transport, residual, missing_from(selected, std::span<const Index>(result.indices)));
    return sparse_stream(result);
  }
  Residual<T> unsent() const { return residual; }

 private:
  std::uint64_t most() const { return setup.count * 4 / 3; }
  bool is_few(std::uint64_t count) const { return 3 * count < 2 * setup.count; }

  Selection exact_selection(Transport& transport) {
    Selection selection = select_exactly<T>(transport, residual, setup.count);
    local_threshold = least_magnitude(values_at<T>(residual, selection).values);
    return selection;
  }

  Selection selection_by_threshold(Transport& transport) {
    constexpr int kCorrections = 5;
    Selection selection = select_by_threshold<T>(transport, residual, local_threshold);
    for (int i = 0; i < kCorrections && selection.size() > most(); ++i) {
      local_threshold *= static_cast<T>(1.03);
      selection = select_by_threshold<T>(transport, residual, local_threshold);
    }
    if (is_few(selection.size())) local_threshold /= static_cast<T>(1.012);
    if (4 * selection.size() > 5 * setup.count) local_threshold *= static_cast<T>(1.012);
    return selection.size() > most() ? select_exactly<T>(transport, residual, most()) : selection;
  }

  static T least_magnitude(const std::vector<T>& values) {
    return values.empty() ? T{0} : kth_magnitude<T>(values, values.size());
  }

  // Where the elements of `owner` begin if all get the same number of them.
  static std::uint64_t quantile(const SparseVector<T>& selected, Rank ranks, Rank owner) {
    if (selected.count() == 0) return part_begin(selected.dimension, ranks, owner);
    const std::uint64_t place = part_begin(selected.count(), ranks, owner);
    return place < selected.count() ? selected.indices[place] : selected.dimension;
  }

  // The mean over all ranks of the borders that would give each owner the same number of a rank's elements.
  std::vector<std::uint64_t> averaged_borders(Transport& transport, const SparseVector<T>& selected) const {
    const Rank ranks = transport.size();
    std::vector<double> quantiles;  // whole numbers below 2^53: exact in any order
    for (Rank owner = 1; owner < ranks; ++owner)
      quantiles.push_back(static_cast<double>(quantile(selected, ranks, owner)));
    const Stream<double> sums =
        recursive_doubling(transport, Stream<double>::dense(0, quantiles.size(), quantiles));
    std::vector<std::uint64_t> averages = {0};
    for (const double sum : sums.values())
      averages.push_back(static_cast<std::uint64_t>(sum) / static_cast<std::uint64_t>(ranks));
    averages.push_back(setup.dimension);
    return averages;
  }

  // The sum of what all ranks have selected in this rank's region.
  SparseVector<T> reduced(Transport& transport, const SparseVector<T>& selected) const {
    constexpr std::uint64_t kThrottle = 4;
    const Stream<T> mine = sparse_stream(selected);
    const auto part = [&](Rank owner) {
      const auto region = static_cast<std::size_t>(owner);
      return charged(transport, slice(mine, borders[region], borders[region + 1]));
    };
    Counts counts;
    for (Rank owner = 0; owner < transport.size(); ++owner) counts.push_back(count_between(selected, owner));
    exchange_counts(transport, counts);
    const Stream<T> region = direct_split<Stream<T>>(transport, {SplitOrder::rotated, kThrottle}, part,
                                                     [](Stream<T> own) { return densified(std::move(own)); });
    transport.compute(Work::of(WorkKind::scan, region.length()));
    SparseVector<T> owned = sparse_vector_of(region);
    owned.dimension = setup.dimension;
    return owned;
  }

  std::uint64_t count_between(const SparseVector<T>& selected, Rank owner) const {
    const auto region = static_cast<std::size_t>(owner);
    const auto first = std::ranges::lower_bound(selected.indices, borders[region]);
    return static_cast<std::uint64_t>(std::lower_bound(first, selected.indices.end(), borders[region + 1]) -
                                      first);
  }

  // The exact top-k of everything that the owners have.
  SparseVector<T> evaluated(Transport& transport, const SparseVector<T>& owned) {
    const SparseVector<T> all =
        joined<T>(transport, bruck_allgather<Stream<T>>(transport, packed(transport, sparse_stream(owned))));
    transport.compute(Work::of(WorkKind::select, all.count()));
    SparseVector<T> result = largest_of(all, setup.count);
    global_threshold = least_magnitude(result.values);
    return result;
  }

  // What reaches the global threshold.
  SparseVector<T> gathered(Transport& transport, const SparseVector<T>& owned) {
    Selection places = select_by_threshold<T>(transport, owned.values, global_threshold);
    SparseVector<T> kept = elements_at(owned, places);
    Counts counts = gather_counts(transport, kept.count());
    const std::uint64_t total = total_of(counts);
    if (is_few(total)) global_threshold /= static_cast<T>(1.008);
    if (total > most()) {
      global_threshold *= static_cast<T>(1.008);
      for (std::uint64_t& count : counts) count = count * most() / total;
      kept = largest_of(kept, counts[static_cast<std::size_t>(transport.rank())]);
    }
    const std::uint64_t largest = *std::ranges::max_element(counts);
    const double mean = static_cast<double>(total_of(counts)) / static_cast<double>(counts.size());
    Stream<T> block = sparse_stream(kept);
    if (static_cast<double>(largest) > balance * mean) block = balanced_block(transport, kept, counts);
    return joined<T>(transport, bruck_allgather<Stream<T>>(transport, packed(transport, block)));
  }
};

}  // namespace sparsewire
