// What the codecs of indices are written against.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/payload/sparse_vector.hpp"

namespace sparsewire::codec {

// Strictly increasing indices of the range [begin, end).
struct IndexSet {
  std::uint64_t begin = 0, end = 0;
  std::span<const Index> indices;

  std::uint64_t length() const { return end - begin; }
  std::uint64_t count() const { return indices.size(); }
};

// The range and the number of a set that is read.
struct Expected {
  std::uint64_t begin = 0, end = 0, count = 0;
};

[[noreturn]] inline void malformed(const std::string& what) {
  throw std::runtime_error("malformed block: " + what);
}

// A number at a place of bytes that need not be aligned; the place is inside.
template <class Number>
Number load(std::span<const std::byte> bytes, std::size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}
template <class Number>
void store(std::span<std::byte> bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

// The indices read so far; takes only those that may follow.
class IndexReader {
 public:
  explicit IndexReader(const Expected& expected) : expected_(expected) { indices_.reserve(expected.count); }

  bool is_full() const { return indices_.size() == expected_.count; }
  // The least that the next index may be.
  std::uint64_t next() const {
    return indices_.empty() ? expected_.begin : std::uint64_t{indices_.back()} + 1;
  }
  void add(std::uint64_t index) {
    if (is_full()) malformed("more than the " + std::to_string(expected_.count) + " indices announced");
    if (index < next() || index >= expected_.end)
      malformed("index " + std::to_string(index) + " is not in [" + std::to_string(next()) + ", " +
                std::to_string(expected_.end) + ")");
    indices_.push_back(static_cast<Index>(index));
  }
  // The index of each set bit of `word`, whose lowest one stands for index `first`.
  void add_bits(std::uint64_t word, std::uint64_t first) {
    for (; word != 0; word &= word - 1) add(first + static_cast<std::uint64_t>(std::countr_zero(word)));
  }
  std::vector<Index> finish() && {
    if (!is_full())
      malformed(std::to_string(indices_.size()) + " indices, " + std::to_string(expected_.count) +
                " announced");
    return std::move(indices_);
  }

 private:
  Expected expected_;
  std::vector<Index> indices_;
};

}  // namespace sparsewire::codec
