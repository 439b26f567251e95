// The elements of largest magnitude.
#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "algorithms/lossy/residual.hpp"

namespace sparsewire {

// Orders values by magnitude: infinity above every number, NaN above infinity, so that what went wrong in a
// gradient is seen first. Zero for zero of either sign.
template <class T>
FloatBits<T> magnitude_key(T value) {
  return static_cast<FloatBits<T>>(float_bits(value) & ~float_bits(T{-0.0}));
}

// The indices of all non-zero values of at least this magnitude. Throws nothing; a negative or NaN threshold
// is taken by its magnitude.
template <class T>
Selection at_least(std::span<const T> values, T threshold) {
  const auto least = std::max(magnitude_key(threshold), magnitude_key(T{0}));
  Selection selection;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto key = magnitude_key(values[i]); key >= least && key > 0)
      selection.push_back(static_cast<Index>(i));
  return selection;
}

// The magnitude of the `count`-th largest of at least `count` >= 1 values.
template <class T>
T kth_magnitude(std::span<const T> values, std::uint64_t count) {
  std::vector<FloatBits<T>> keys(values.size());
  std::transform(values.begin(), values.end(), keys.begin(), magnitude_key<T>);
  const auto kth = keys.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(keys.begin(), kth, keys.end(), std::greater{});
  return std::bit_cast<T>(*kth);
}

// The indices of the `count` values of largest magnitude; of equal ones those with the lowest index. Zeros
// are never selected, so there are fewer where there are not as many non-zeros.
template <class T>
Selection top_k(std::span<const T> values, std::uint64_t count) {
  if (count == 0 || values.empty()) return {};
  if (count >= values.size()) return at_least(values, T{0});
  const T least = kth_magnitude(values, count);
  Selection selection = at_least(values, least);
  std::uint64_t surplus = selection.size() - std::min<std::uint64_t>(count, selection.size());
  if (surplus == 0) return selection;
  // drop the last ones of those that are just as large as the least
  for (auto index = selection.rbegin(); surplus > 0; ++index)
    if (magnitude_key(values[*index]) == magnitude_key(least)) {
      *index = static_cast<Index>(values.size());
      --surplus;
    }
  std::erase(selection, static_cast<Index>(values.size()));
  return selection;
}

// The elements at these places among those that `vector` holds.
template <class T>
SparseVector<T> elements_at(const SparseVector<T>& vector, const Selection& places) {
  SparseVector<T> kept{vector.dimension, {}, {}};
  for (const Index place : places) {
    kept.indices.push_back(vector.indices[place]);
    kept.values.push_back(vector.values[place]);
  }
  return kept;
}

// The `count` elements of largest magnitude, as top_k().
template <class T>
SparseVector<T> largest_of(const SparseVector<T>& vector, std::uint64_t count) {
  return elements_at(vector, top_k(std::span<const T>(vector.values), count));
}

}  // namespace sparsewire
