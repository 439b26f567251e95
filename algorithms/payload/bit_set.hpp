// A set of bits whose sum over ranks is the logical or.
#pragma once

#include <algorithm>
#include <cstring>

#include "algorithms/payload/summable.hpp"

namespace sparsewire {

// The words begin() to end() of a set of bits, 64 bits each. Summable: sums are unions, which are exact in
// any order. Charged as an add of two fp32 values a word.
class BitSet {
 public:
  BitSet() = default;
  // The empty set of at least `bits` bits.
  static BitSet of(std::uint64_t bits) { return BitSet(0, std::vector<std::uint64_t>((bits + 63) / 64)); }

  void insert(std::uint64_t bit) { words_[bit / 64 - begin_] |= std::uint64_t{1} << (bit % 64); }
  bool contains(std::uint64_t bit) const { return (words_[bit / 64 - begin_] >> (bit % 64) & 1) != 0; }

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + words_.size(); }

  // Packed as the two borders and the words.
  static std::size_t packed_size(std::span<const std::byte> bytes) {
    const Borders borders = read_borders(bytes);
    if (borders.end < borders.begin || borders.end - borders.begin > bytes.size() / sizeof(std::uint64_t) - 2)
      throw std::runtime_error("malformed bit set: too short");
    return sizeof borders + (borders.end - borders.begin) * sizeof(std::uint64_t);
  }
  static BitSet unpack(const Message& message) {
    const std::vector<std::byte> bytes = message.flatten();
    if (packed_size(bytes) != bytes.size()) throw std::runtime_error("malformed bit set: too long");
    std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t) - 2);
    if (!words.empty())
      std::memcpy(words.data(), bytes.data() + sizeof(Borders), words.size() * sizeof(std::uint64_t));
    return BitSet(read_borders(bytes).begin, std::move(words));
  }
  friend Message pack(const BitSet& set) {
    const Borders borders{set.begin(), set.end()};
    std::vector<std::byte> bytes(sizeof borders + set.words_.size() * sizeof(std::uint64_t));
    std::memcpy(bytes.data(), &borders, sizeof borders);
    if (!set.words_.empty())
      std::memcpy(bytes.data() + sizeof borders, set.words_.data(), bytes.size() - sizeof borders);
    return Message(std::move(bytes));
  }

  // Throws std::invalid_argument for sets of different words.
  friend Worked<BitSet> sum(BitSet a, const BitSet& b) {
    if (a.begin() != b.begin() || a.end() != b.end()) throw std::invalid_argument("sum of different bits");
    for (std::size_t i = 0; i < a.words_.size(); ++i) a.words_[i] |= b.words_[i];
    const Work work = Work::of(WorkKind::dense_add, 2 * a.words_.size());
    return {std::move(a), work};
  }
  friend Worked<BitSet> slice(const BitSet& set, std::uint64_t from, std::uint64_t to) {
    const auto at = [&](std::uint64_t word) {
      return set.words_.begin() + static_cast<std::ptrdiff_t>(word - set.begin_);
    };
    return {BitSet(from, {at(from), at(to)}), {}};
  }
  friend Worked<BitSet> concat(const std::vector<BitSet>& parts) {
    BitSet whole = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i)
      whole.words_.insert(whole.words_.end(), parts[i].words_.begin(), parts[i].words_.end());
    return {std::move(whole), {}};
  }
  friend Worked<BitSet> densified(BitSet set) { return {std::move(set), {}}; }

 private:
  struct Borders {
    std::uint64_t begin = 0, end = 0;
  };
  static Borders read_borders(std::span<const std::byte> bytes) {
    Borders borders;
    if (bytes.size() < sizeof borders) throw std::runtime_error("malformed bit set: no borders");
    std::memcpy(&borders, bytes.data(), sizeof borders);
    return borders;
  }
  BitSet(std::uint64_t begin, std::vector<std::uint64_t> words) : begin_(begin), words_(std::move(words)) {}

  std::uint64_t begin_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace sparsewire
