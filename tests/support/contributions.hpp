// A payload that counts how often each rank's element went into a sum: each must count exactly once.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "algorithms/pattern/hash_deal.hpp"
#include "algorithms/payload/summable.hpp"

namespace sparsewire::test {

// counts[(index - begin) * ranks + rank]
class Contributions {
 public:
  Contributions() = default;
  Contributions(std::uint64_t begin, std::uint64_t end, std::uint64_t ranks,
                std::vector<std::uint32_t> counts)
      : begin_(begin), end_(end), ranks_(ranks), counts_(std::move(counts)) {}

  // What `rank` brings in: itself, once, at each of `dimension` indices.
  static Contributions of(Rank rank, Rank ranks, std::uint64_t dimension) {
    const auto width = static_cast<std::uint64_t>(ranks);
    std::vector<std::uint32_t> counts(dimension * width);
    for (std::uint64_t i = 0; i < dimension; ++i) counts[i * width + static_cast<std::uint64_t>(rank)] = 1;
    return {0, dimension, width, std::move(counts)};
  }

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  std::uint64_t ranks() const { return ranks_; }
  std::span<const std::uint32_t> counts() const { return counts_; }

  static std::size_t packed_size(std::span<const std::byte> bytes) {
    const Header header = read_header(bytes);
    return sizeof header + (header.end - header.begin) * header.ranks * sizeof(std::uint32_t);
  }
  static Contributions unpack(const Message& message) {
    const std::vector<std::byte> bytes = message.flatten();
    const Header header = read_header(bytes);
    if (packed_size(bytes) != bytes.size()) throw std::runtime_error("not exactly one packed value");
    std::vector<std::uint32_t> counts((header.end - header.begin) * header.ranks);
    if (!counts.empty()) std::memcpy(counts.data(), bytes.data() + sizeof header, counts.size() * 4);
    return {header.begin, header.end, header.ranks, std::move(counts)};
  }
  friend Message pack(const Contributions& value) {
    const Header header{value.begin_, value.end_, value.ranks_};
    std::vector<std::byte> bytes(sizeof header + value.counts_.size() * 4);
    std::memcpy(bytes.data(), &header, sizeof header);
    if (!value.counts_.empty())
      std::memcpy(bytes.data() + sizeof header, value.counts_.data(), value.counts_.size() * 4);
    return Message(std::move(bytes));
  }
  friend Worked<Contributions> sum(Contributions a, Contributions b) {
    if (a.begin_ != b.begin_ || a.end_ != b.end_) throw std::runtime_error("ranges differ");
    for (std::size_t i = 0; i < a.counts_.size(); ++i) a.counts_[i] += b.counts_[i];
    return {std::move(a), {}};
  }
  friend Worked<Contributions> slice(const Contributions& a, std::uint64_t from, std::uint64_t to) {
    const auto first = a.counts_.begin() + static_cast<std::ptrdiff_t>((from - a.begin_) * a.ranks_);
    const auto last = a.counts_.begin() + static_cast<std::ptrdiff_t>((to - a.begin_) * a.ranks_);
    return {Contributions(from, to, a.ranks_, {first, last}), {}};
  }
  friend Worked<Contributions> concat(std::vector<Contributions> parts) {
    Contributions whole = std::move(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i].begin_ != whole.end_) throw std::runtime_error("parts are not adjacent");
      whole.end_ = parts[i].end_;
      whole.counts_.insert(whole.counts_.end(), parts[i].counts_.begin(), parts[i].counts_.end());
    }
    return {std::move(whole), {}};
  }
  friend Worked<Contributions> densified(Contributions value) { return {std::move(value), {}}; }
  // Whichever ranks they are of.
  friend Worked<std::vector<std::uint32_t>> support(const Contributions& a) {
    std::vector<std::uint32_t> indices;
    for (std::size_t i = 0; i < a.counts_.size(); ++i) {
      const auto index = static_cast<std::uint32_t>(a.begin_ + i / a.ranks_);
      if (a.counts_[i] != 0 && (indices.empty() || indices.back() != index)) indices.push_back(index);
    }
    return {std::move(indices), {}};
  }
  friend Contributions blank(const Contributions& a, std::uint64_t from, std::uint64_t to) {
    return {from, to, a.ranks_, std::vector<std::uint32_t>((to - from) * a.ranks_)};
  }
  friend Worked<std::vector<Contributions>> dealt(const Contributions& a, const HashDeal& deal) {
    std::vector<Contributions> shares;
    for (Rank owner = 0; owner < deal.owners(); ++owner) {
      Contributions share = blank(a, deal.begin_of(owner), deal.begin_of(owner + 1));
      for (std::uint64_t n = 0; n < share.end_ - share.begin_; ++n)
        std::copy_n(a.row(deal.index_of(owner, n)), a.ranks_, share.row(share.begin_ + n));
      shares.push_back(std::move(share));
    }
    return {std::move(shares), {}};
  }
  friend Worked<Contributions> undealt(const std::vector<Contributions>& shares, const HashDeal& deal) {
    Contributions whole = blank(shares.front(), 0, deal.dimension());
    for (Rank owner = 0; owner < deal.owners(); ++owner) {
      const Contributions& share = shares[static_cast<std::size_t>(owner)];
      for (std::uint64_t n = 0; n < share.end_ - share.begin_; ++n)
        std::copy_n(share.row(share.begin_ + n), share.ranks_, whole.row(deal.index_of(owner, n)));
    }
    return {std::move(whole), {}};
  }

 private:
  struct Header {
    std::uint64_t begin, end, ranks;
  };
  const std::uint32_t* row(std::uint64_t index) const { return counts_.data() + (index - begin_) * ranks_; }
  std::uint32_t* row(std::uint64_t index) { return counts_.data() + (index - begin_) * ranks_; }

  static Header read_header(std::span<const std::byte> bytes) {
    Header header;
    if (bytes.size() < sizeof header) throw std::runtime_error("shorter than its header");
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
  }

  std::uint64_t begin_ = 0, end_ = 0, ranks_ = 0;
  std::vector<std::uint32_t> counts_;
};

}  // namespace sparsewire::test
