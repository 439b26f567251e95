// Indices without values on the wire, and values without indices.
#pragma once

#include <cstring>

#include "algorithms/allreduce/dense_rabenseifner.hpp"
#include "algorithms/lossy/residual.hpp"

namespace sparsewire {

// Packed as a 64-bit count and 4 bytes an index; packed lists may be put behind one another.
struct IndexList {
  Selection indices;

  Message packed() const {
    const std::uint64_t count = indices.size();
    std::vector<std::byte> bytes(sizeof count + count * sizeof(Index));
    std::memcpy(bytes.data(), &count, sizeof count);
    if (count > 0) std::memcpy(bytes.data() + sizeof count, indices.data(), count * sizeof(Index));
    return Message(std::move(bytes));
  }
  static std::size_t packed_size(std::span<const std::byte> bytes) {
    std::uint64_t count = 0;
    if (bytes.size() < sizeof count) throw std::runtime_error("malformed list of indices: no count");
    std::memcpy(&count, bytes.data(), sizeof count);
    if (count > (bytes.size() - sizeof count) / sizeof(Index))
      throw std::runtime_error("malformed list of indices: too short");
    return sizeof count + count * sizeof(Index);
  }
  // Throws std::runtime_error if the message is not exactly one list.
  static IndexList unpack(const Message& message) {
    const std::vector<std::byte> bytes = message.flatten();
    if (packed_size(bytes) != bytes.size()) throw std::runtime_error("malformed list of indices: too long");
    IndexList list{Selection((bytes.size() - sizeof(std::uint64_t)) / sizeof(Index))};
    if (!list.indices.empty())
      std::memcpy(list.indices.data(), bytes.data() + sizeof(std::uint64_t),
                  list.indices.size() * sizeof(Index));
    return list;
  }
};

// The sum over all ranks of vectors of one length.
template <class T>
std::vector<T> dense_sum(Transport& transport, const std::vector<T>& values) {
  const Stream<T> sums = dense_rabenseifner(transport, Stream<T>::dense(0, values.size(), values));
  return {sums.values().begin(), sums.values().end()};
}

// The sum over all ranks of elements at the same indices on each: only the values travel.
template <class T>
SparseVector<T> values_summed(Transport& transport, SparseVector<T> elements) {
  elements.values = dense_sum(transport, elements.values);
  return elements;
}

}  // namespace sparsewire
