#include "experiments/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "algorithms/payload/half.hpp"
#include "experiments/bitmap.hpp"
#include "experiments/random.hpp"

namespace sparsewire {
namespace {

using Indices = std::vector<Index>;

// What the generators need to know of a point.
struct Shape {
  std::uint64_t ranks, dimension, nonzeros, seed;
};

// Stream of the draws that all ranks have in common; rank r's own is stream r.
constexpr std::uint64_t kCommonStream = std::uint64_t{1} << 32;

// `count` distinct numbers below `bound` in rising order, every set equally likely. Floyd's algorithm with a
// bitmap, or with a hash set where a bitmap would be far larger than the result.
Indices distinct_below(std::uint64_t bound, std::uint64_t count, Random& random) {
  const auto draw = [&](auto&& insert) {
    for (std::uint64_t last = bound - count; last < bound; ++last)
      if (!insert(random.below(last + 1))) insert(last);
  };
  Indices indices;
  indices.reserve(count);
  if (bound / 64 <= 65536 + 16 * count) {
    Bitmap chosen(bound);
    draw([&](std::uint64_t i) { return chosen.insert(i); });
    chosen.for_each([&](std::uint64_t i) { indices.push_back(static_cast<Index>(i)); });
    return indices;
  }
  std::unordered_set<std::uint64_t> chosen;
  chosen.reserve(count);
  draw([&](std::uint64_t i) { return chosen.insert(i).second; });
  for (const std::uint64_t i : chosen) indices.push_back(static_cast<Index>(i));
  std::ranges::sort(indices);
  return indices;
}

std::vector<Indices> index_sets(const Uniform&, const Shape& shape) {
  std::vector<Indices> sets(shape.ranks);
  for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
    Random random(shape.seed, rank);
    sets[rank] = distinct_below(shape.dimension, shape.nonzeros, random);
  }
  return sets;
}

// Fisher and Yates's shuffle.
template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

// Random owners of the indices of a pool: `ranks` for `common` of them, and each rank for `own`.
std::vector<std::uint64_t> owners_of(std::uint64_t common, std::uint64_t own, std::uint64_t ranks,
                                     Random& random) {
  std::vector<std::uint64_t> owners(common, ranks);
  for (std::uint64_t rank = 0; rank < ranks; ++rank) owners.insert(owners.end(), own, rank);
  shuffle(owners, random);
  return owners;
}

std::vector<Indices> index_sets(const Overlap& overlap, const Shape& shape) {
  const auto common =
      static_cast<std::uint64_t>(std::llround(overlap.fraction * static_cast<double>(shape.nonzeros)));
  const std::uint64_t own = shape.nonzeros - common;
  const std::uint64_t all = common + shape.ranks * own;
  if (all > shape.dimension)
    throw std::invalid_argument(fmt::format(
        "overlap {} of {} ranks with {} non-zeros each needs {} distinct indices, but the dimension is {}",
        overlap.fraction, shape.ranks, shape.nonzeros, all, shape.dimension));
  Random random(shape.seed, kCommonStream);
  const Indices pool = distinct_below(shape.dimension, all, random);
  const auto owners = owners_of(common, own, shape.ranks, random);
  std::vector<Indices> sets(shape.ranks);
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (owners[i] < shape.ranks)
      sets[owners[i]].push_back(pool[i]);
    else
      for (Indices& set : sets) set.push_back(pool[i]);
  }
  return sets;
}

// Draws by the cumulative weights and rejects what was drawn before.
Indices draw_distinct(const std::vector<double>& cumulative, std::uint64_t count, Random& random) {
  std::unordered_set<Index> chosen;
  chosen.reserve(count);
  while (chosen.size() < count) {
    const auto at = std::ranges::upper_bound(cumulative, random.unit() * cumulative.back());
    chosen.insert(
        static_cast<Index>(std::min<std::ptrdiff_t>(at - cumulative.begin(), std::ssize(cumulative) - 1)));
  }
  Indices indices(chosen.begin(), chosen.end());
  std::ranges::sort(indices);
  return indices;
}

// The `count` smallest of exponential keys with rates equal to the weights; equal keys in index order.
Indices smallest_keys(const std::vector<double>& weights, std::uint64_t count, Random& random) {
  std::vector<double> keys(weights.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = -std::log(random.unit()) / weights[i];
  std::vector<double> sorted = keys;
  const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(sorted.begin(), last, sorted.end());
  std::uint64_t ties = count - static_cast<std::uint64_t>(std::count_if(
                                   sorted.begin(), last, [&](double key) { return key < *last; }));
  Indices indices;
  indices.reserve(count);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] > *last || (keys[i] == *last && ties == 0)) continue;
    if (keys[i] == *last) --ties;
    indices.push_back(static_cast<Index>(i));
  }
  return indices;
}

std::vector<Indices> index_sets(const PowerLaw& law, const Shape& shape) {
  if (shape.dimension > kMaxPowerLawDimension)
    throw std::invalid_argument(fmt::format("the power-law workload takes dimensions up to {}, not {}",
                                            kMaxPowerLawDimension, shape.dimension));
  std::vector<double> weights(shape.dimension), cumulative(shape.dimension);
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = std::pow(static_cast<double>(i + 1), -law.exponent);
    cumulative[i] = total += weights[i];
  }
  // A draw takes about as long as four keys; a draw repeats an earlier one at most as often as the most
  // likely indices have of the weight.
  const double most_draws =
      static_cast<double>(shape.nonzeros) / (1 - cumulative[shape.nonzeros - 1] / total);
  const bool draws_are_quicker = 4 * most_draws < static_cast<double>(shape.dimension);
  std::vector<Indices> sets(shape.ranks);
  for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
    Random random(shape.seed, rank);
    sets[rank] = draws_are_quicker ? draw_distinct(cumulative, shape.nonzeros, random)
                                   : smallest_keys(weights, shape.nonzeros, random);
  }
  return sets;
}

// Each run stands for one slot among those that no run covers; a set of slots is a placement.
Indices runs(std::uint64_t run_length, const Shape& shape, Random& random) {
  const std::uint64_t count = (shape.nonzeros + run_length - 1) / run_length;
  const std::uint64_t missing = count * run_length - shape.nonzeros;
  const std::uint64_t shorter = random.below(count);
  Indices indices;
  indices.reserve(shape.nonzeros);
  const Indices slots = distinct_below(shape.dimension - shape.nonzeros + count, count, random);
  for (std::uint64_t run = 0; run < count; ++run) {
    const std::uint64_t before = indices.size() - run;  // elements of the runs before, less their slots
    const std::uint64_t length = run_length - (run == shorter ? missing : 0);
    for (std::uint64_t i = 0; i < length; ++i) indices.push_back(static_cast<Index>(slots[run] + before + i));
  }
  return indices;
}

std::vector<Indices> index_sets(const Clustered& clustered, const Shape& shape) {
  std::vector<Indices> sets(shape.ranks);
  for (std::uint64_t rank = 0; rank < shape.ranks; ++rank) {
    Random random(shape.seed, rank);
    sets[rank] = runs(clustered.run_length, shape, random);
  }
  return sets;
}

// Stream of rank r's values is kValueStream + r.
constexpr std::uint64_t kValueStream = kCommonStream + 1;

template <class T>
std::vector<T> values(std::size_t count, Random& random) {
  std::vector<T> values(count);
  for (T& value : values) {
    const std::uint64_t nibble = random.bits() >> 60;
    const T magnitude = static_cast<T>(1 + nibble / 2);
    value = nibble % 2 == 0 ? magnitude : -magnitude;
  }
  return values;
}

template <class T>
std::vector<SparseVector<T>> with_values(std::vector<Indices> sets, const Shape& shape) {
  std::vector<SparseVector<T>> vectors;
  for (std::size_t rank = 0; rank < sets.size(); ++rank) {
    Random random(shape.seed, kValueStream + rank);
    const std::size_t count = sets[rank].size();
    vectors.push_back({shape.dimension, std::move(sets[rank]), values<T>(count, random)});
  }
  return vectors;
}

template <class T, class Kind>
std::vector<SparseVector<T>> vectors_of(const Kind& kind, const Shape& shape) {
  require_dimension(shape.dimension);
  if (shape.dimension == 0) throw std::invalid_argument("the dimension is 0, expected at least 1");
  if (shape.nonzeros == 0) return with_values<T>(std::vector<Indices>(shape.ranks), shape);
  return with_values<T>(index_sets(kind, shape), shape);
}

template <class T>
std::vector<SparseVector<T>> vectors_of(const SvmlightFile& file, const Shape& shape) {
  return sum_rows<T>(read_svmlight(file.path), static_cast<Rank>(shape.ranks), file.batch);
}

}  // namespace

std::uint64_t nonzeros(std::uint64_t dimension, double density) {
  if (!(density >= 0 && density <= 1))
    throw std::invalid_argument(fmt::format("density {} is not in [0, 1]", density));
  if (density == 0) return 0;
  const double rounded = std::round(density * static_cast<double>(dimension));
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rounded));
}

template <class T>
std::vector<SparseVector<T>> generate(const Workload& workload, Rank ranks, std::uint64_t dimension,
                                      double density, std::uint64_t seed) {
  if (ranks < 1) throw std::invalid_argument(fmt::format("{} ranks, expected at least 1", ranks));
  const Shape shape{static_cast<std::uint64_t>(ranks), dimension, nonzeros(dimension, density), seed};
  return std::visit([&](const auto& kind) { return vectors_of<T>(kind, shape); }, workload.kind);
}

template <class T>
std::vector<SparseVector<T>> sum_rows(const SvmlightData& data, Rank ranks, unsigned batch) {
  const std::uint64_t needed = static_cast<std::uint64_t>(ranks) * batch;
  if (needed > data.rows.size())
    throw NotEnoughData(fmt::format("{} ranks with {} rows each need {} rows of data, but the file has {}",
                                    ranks, batch, needed, data.rows.size()));
  std::vector<SparseVector<T>> vectors;
  for (auto row = data.rows.begin(); std::ssize(vectors) < ranks; row += batch) {
    std::vector<std::pair<std::int64_t, double>> pairs;
    std::for_each_n(row, batch,
                    [&](const auto& more) { pairs.insert(pairs.end(), more.begin(), more.end()); });
    auto sum = sparse_vector(data.dimension, std::move(pairs));
    std::vector<T> values(sum.values.size());
    std::ranges::transform(sum.values, values.begin(), [](double value) { return static_cast<T>(value); });
    vectors.push_back({sum.dimension, std::move(sum.indices), std::move(values)});
  }
  return vectors;
}

template <class T>
std::vector<double> union_table(const std::vector<SparseVector<T>>& vectors) {
  std::vector<double> table;
  if (vectors.empty()) return table;
  Bitmap seen(vectors.front().dimension);
  std::uint64_t distinct = 0;
  for (const auto& vector : vectors) {
    if (vector.dimension != vectors.front().dimension)
      throw std::invalid_argument(
          fmt::format("dimensions {} and {} differ", vectors.front().dimension, vector.dimension));
    for (const Index index : vector.indices) distinct += seen.insert(index) ? 1 : 0;
    table.push_back(static_cast<double>(distinct));
  }
  return table;
}

#define INSTANTIATE(T)                                                                         \
  template std::vector<SparseVector<T>> generate(const Workload&, Rank, std::uint64_t, double, \
                                                 std::uint64_t);                               \
  template std::vector<SparseVector<T>> sum_rows(const SvmlightData&, Rank, unsigned);         \
  template std::vector<double> union_table(const std::vector<SparseVector<T>>&)
INSTANTIATE(float);
INSTANTIATE(double);
INSTANTIATE(Half);
INSTANTIATE(Bfloat16);
#undef INSTANTIATE

}  // namespace sparsewire
