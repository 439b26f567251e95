// Error feedback: what a rank has not sent yet, added to its next gradient.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/payload/stream.hpp"

namespace sparsewire {

// What a lossy method is made for: vectors of `dimension` elements, about `count` of which a rank sends.
// `seed` decides whatever is random, the same on all ranks.
struct LossySetup {
  std::uint64_t dimension = 0, count = 0, seed = 1;
};

// Ascending indices, none twice.
using Selection = std::vector<Index>;

// The indices of the whole vector, for those of a part that begins at `begin`.
inline Selection shifted(Selection selection, std::uint64_t begin) {
  for (Index& index : selection) index += static_cast<Index>(begin);
  return selection;
}

// One value for each element of the vector; all zero at first.
template <class T>
using Residual = std::vector<T>;

// Adds the gradient of an iteration. Throws std::invalid_argument if it is not as long as the residual.
template <class T>
void accumulate(Transport& transport, Residual<T>& residual, std::span<const T> gradient) {
  if (gradient.size() != residual.size())
    throw std::invalid_argument("a gradient of " + std::to_string(gradient.size()) + " elements, expected " +
                                std::to_string(residual.size()));
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] += gradient[i];
  transport.compute(Work::of(WorkKind::dense_add, residual.size()));
}

// The values at these indices, as a sparse vector.
template <class T>
SparseVector<T> values_at(std::span<const T> values, Selection indices) {
  SparseVector<T> chosen{values.size(), std::move(indices), {}};
  chosen.values.reserve(chosen.indices.size());
  for (const Index index : chosen.indices) chosen.values.push_back(values[index]);
  return chosen;
}

// Moves the selected elements out of the residual.
template <class T>
SparseVector<T> take(Transport& transport, Residual<T>& residual, Selection indices) {
  SparseVector<T> taken = values_at(std::span<const T>(residual), std::move(indices));
  for (const Index index : taken.indices) residual[index] = T{0};
  transport.compute(Work::of(WorkKind::scatter_add, taken.count()));
  return taken;
}

// Adds elements to the residual again: what was taken, but did not arrive.
template <class T>
void put_back(Transport& transport, Residual<T>& residual, const SparseVector<T>& elements) {
  for (std::size_t i = 0; i < elements.indices.size(); ++i)
    residual[elements.indices[i]] += elements.values[i];
  transport.compute(Work::of(WorkKind::scatter_add, elements.count()));
}

template <class T>
void put_back(Transport& transport, Residual<T>& residual, const Stream<T>& elements) {
  put_back(transport, residual, sparse_vector_of(elements));
}

// The elements of `whole` at indices that `others`, ascending, does not have.
template <class T>
SparseVector<T> missing_from(const SparseVector<T>& whole, std::span<const Index> others) {
  SparseVector<T> missing{whole.dimension, {}, {}};
  auto other = others.begin();
  for (std::size_t i = 0; i < whole.indices.size(); ++i) {
    other = std::lower_bound(other, others.end(), whole.indices[i]);
    if (other != others.end() && *other == whole.indices[i]) continue;
    missing.indices.push_back(whole.indices[i]);
    missing.values.push_back(whole.values[i]);
  }
  return missing;
}

// A sparse vector as a stream that stays sparse, whatever its density.
template <class T>
Stream<T> sparse_stream(const SparseVector<T>& vector) {
  return Stream<T>::sparse(0, vector.dimension, vector.indices, vector.values);
}

}  // namespace sparsewire
