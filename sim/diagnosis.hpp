// The wording of deadlocks and unreceived messages, one for every simulated world.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/transport/message.hpp"
#include "model/units.hpp"

namespace sparsewire {

// A rank that waits for a message that can no longer come.
struct Waiting {
  Rank rank = 0, from = 0;
  Tag tag = 0;
};

// Messages of one channel that nobody received.
struct Unreceived {
  Rank from = 0, to = 0;
  Tag tag = 0;
  std::uint64_t count = 0;
};

namespace detail {

inline constexpr std::size_t kListedAtMost = 8;

// "HEAD: ITEM; ITEM; ...", cut after kListedAtMost items.
template <class Item, class Describe>
std::string listed(const char* head, const std::vector<Item>& items, Describe describe) {
  std::string text = head;
  const std::size_t shown = std::min(items.size(), kListedAtMost);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? ": " : "; ") + describe(items[i]);
  if (shown < items.size()) text += "; and " + std::to_string(items.size() - shown) + " more";
  return text;
}

}  // namespace detail

// "deadlock: rank 0 waits for rank 1 (tag 3); rank 1 waits for rank 0 (tag 4)", in rank order whatever the
// order given; after 8 of them "; and N more".
inline std::string describe_deadlock(std::vector<Waiting> waiting) {
  std::sort(waiting.begin(), waiting.end(),
            [](const Waiting& a, const Waiting& b) { return a.rank < b.rank; });
  return detail::listed("deadlock", waiting, [](const Waiting& w) {
    return "rank " + std::to_string(w.rank) + " waits for rank " + std::to_string(w.from) + " (tag " +
           std::to_string(w.tag) + ")";
  });
}

// "unreceived: 2 messages from rank 0 to rank 1 (tag 3); 1 message from ...", ordered by sender, receiver and
// tag; after 8 channels "; and N more".
inline std::string describe_unreceived(std::vector<Unreceived> unreceived) {
  std::sort(unreceived.begin(), unreceived.end(), [](const Unreceived& a, const Unreceived& b) {
    return std::tie(a.from, a.to, a.tag) < std::tie(b.from, b.to, b.tag);
  });
  return detail::listed("unreceived", unreceived, [](const Unreceived& u) {
    return std::to_string(u.count) + (u.count == 1 ? " message" : " messages") + " from rank " +
           std::to_string(u.from) + " to rank " + std::to_string(u.to) + " (tag " + std::to_string(u.tag) +
           ")";
  });
}

}  // namespace sparsewire
