// A subset of ranks that is a world of its own to the program that runs on it.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/transport/transport.hpp"

namespace sparsewire {

// Rank i of the group is members[i] of `parent`, which must outlive it. Flat algorithms run on groups
// unchanged: hierarchical ones are flat ones composed. Two groups that share two or more members must not be
// in use at once with equal tags. Throws std::invalid_argument if a member is not a rank of the parent or
// appears twice, or this rank is not a member.
class Group final : public Transport {
 public:
  Group(Transport& parent, std::vector<Rank> members) : parent_(parent), members_(std::move(members)) {
    std::vector<Rank> sorted = members_;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] < 0 || sorted[i] >= parent.size() || (i > 0 && sorted[i] == sorted[i - 1]))
        throw std::invalid_argument("group member " + std::to_string(sorted[i]) +
                                    " is not a rank or appears twice");
    const auto self = std::find(members_.begin(), members_.end(), parent.rank());
    if (self == members_.end())
      throw std::invalid_argument("rank " + std::to_string(parent.rank()) + " is not a member of its group");
    rank_ = static_cast<Rank>(self - members_.begin());
  }

  Rank rank() const override { return rank_; }
  Rank size() const override { return static_cast<Rank>(members_.size()); }
  Seconds now() const override { return parent_.now(); }
  void compute(const Work& work) override { parent_.compute(work); }

 private:
  void do_send(Rank to, Tag tag, Message message) override {
    parent_.send(in_parent(to), tag, std::move(message));
  }
  Message do_recv(Rank from, Tag tag) override { return parent_.recv(in_parent(from), tag); }
  std::optional<std::size_t> do_arrived(std::span<const Source> sources) override {
    return parent_.arrived(in_parent(sources));
  }
  std::size_t do_wait_any(std::span<const Source> sources) override {
    return parent_.wait_any(in_parent(sources));
  }

  Rank in_parent(Rank member) const { return members_[static_cast<std::size_t>(member)]; }
  std::vector<Source> in_parent(std::span<const Source> sources) const {
    std::vector<Source> translated(sources.begin(), sources.end());
    for (Source& source : translated) source.from = in_parent(source.from);
    return translated;
  }

  Transport& parent_;
  std::vector<Rank> members_;
  Rank rank_ = 0;
};

}  // namespace sparsewire
