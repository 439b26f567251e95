// A sparse vector as users hold it: sorted unique indices and their values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/payload/operator.hpp"

namespace sparsewire {

using Index = std::uint32_t;

// The longest vector that 32-bit indices can address. Longer ones are refused before any communication.
inline constexpr std::uint64_t kMaxDimension = std::uint64_t{1} << 32;

// An input that is not a sparse vector of its dimension; what() names the index and the bound.
struct InvalidVector : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Invariant: `indices` strictly increasing and below `dimension`; `values` as long as `indices`.
// Explicit zeros are elements like any other.
template <class T>
struct SparseVector {
  std::uint64_t dimension = 0;
  std::vector<Index> indices;
  std::vector<T> values;

  std::uint64_t count() const { return indices.size(); }
  friend bool operator==(const SparseVector&, const SparseVector&) = default;
};

inline void require_dimension(std::uint64_t dimension) {
  if (dimension > kMaxDimension)
    throw InvalidVector("dimension " + std::to_string(dimension) +
                        " is above 2^32, the limit of 32-bit indices");
}

// A sparse vector from (index, value) pairs in any order; values of equal indices are combined in the
// order given. Throws InvalidVector if an index is negative or not below the dimension, or the dimension is
// above 2^32.
template <class T, class Op = Plus>
SparseVector<T> sparse_vector(std::uint64_t dimension, std::vector<std::pair<std::int64_t, T>> pairs) {
  require_dimension(dimension);
  for (const auto& [index, value] : pairs)
    if (index < 0 || static_cast<std::uint64_t>(index) >= dimension)
      throw InvalidVector("index " + std::to_string(index) + " is not in [0, " + std::to_string(dimension) +
                          ")");
  const auto by_index = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(pairs.begin(), pairs.end(), by_index))
    std::stable_sort(pairs.begin(), pairs.end(), by_index);
  SparseVector<T> vector{dimension, {}, {}};
  vector.indices.reserve(pairs.size());
  vector.values.reserve(pairs.size());
  for (const auto& [index, value] : pairs) {
    if (!vector.indices.empty() && vector.indices.back() == static_cast<Index>(index)) {
      vector.values.back() = Op::combined(vector.values.back(), value);
    } else {
      vector.indices.push_back(static_cast<Index>(index));
      vector.values.push_back(value);
    }
  }
  return vector;
}

// Throws InvalidVector unless the invariant of SparseVector holds.
template <class T>
void require_valid(const SparseVector<T>& vector) {
  require_dimension(vector.dimension);
  if (vector.indices.size() != vector.values.size())
    throw InvalidVector(std::to_string(vector.indices.size()) + " indices but " +
                        std::to_string(vector.values.size()) + " values");
  for (std::size_t i = 0; i < vector.indices.size(); ++i) {
    if (vector.indices[i] >= vector.dimension)
      throw InvalidVector("index " + std::to_string(vector.indices[i]) + " is not in [0, " +
                          std::to_string(vector.dimension) + ")");
    if (i > 0 && vector.indices[i] <= vector.indices[i - 1])
      throw InvalidVector("indices are not strictly increasing: " + std::to_string(vector.indices[i - 1]) +
                          " is followed by " + std::to_string(vector.indices[i]));
  }
}

// The same vector without elements that are exactly zero (of either sign).
template <class T>
SparseVector<T> without_zeros(const SparseVector<T>& vector) {
  SparseVector<T> kept{vector.dimension, {}, {}};
  for (std::size_t i = 0; i < vector.indices.size(); ++i)
    if (vector.values[i] != T{0}) {
      kept.indices.push_back(vector.indices[i]);
      kept.values.push_back(vector.values[i]);
    }
  return kept;
}

}  // namespace sparsewire
