// The wording of deadlocks and unreceived messages, one for every simulated world.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "sim/channel.hpp"

namespace sparsewire {

// A rank that waits, or looks again and again, for one of several messages that can no longer come.
struct Waiting {
  Rank rank = 0;
  std::vector<Channel> channels;
  bool looks = false;
};

// Messages of one channel that nobody received.
struct Unreceived {
  Rank from = 0, to = 0;
  Tag tag = 0;
  std::uint64_t count = 0;
};

namespace detail {

inline constexpr std::size_t kListedAtMost = 8;

// "HEADITEMBETWEENITEM...", cut after kListedAtMost items.
template <class Item, class Describe>
std::string listed(const std::string& head, const char* between, const std::vector<Item>& items,
                   Describe describe) {
  std::string text = head;
  const std::size_t shown = std::min(items.size(), kListedAtMost);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : between) + describe(items[i]);
  if (shown < items.size()) text += "; and " + std::to_string(items.size() - shown) + " more";
  return text;
}

}  // namespace detail

// "deadlock: rank 0 waits for rank 1 (tag 3); rank 1 waits for rank 0 (tag 4)", in rank order whatever the
// order given; after 8 of them "; and N more". Of several messages "waits for rank 1 (tag 3) or rank 2 (tag
// 3)", and "looks in vain for" where the rank does not wait.
inline std::string describe_deadlock(std::vector<Waiting> waiting) {
  std::sort(waiting.begin(), waiting.end(),
            [](const Waiting& a, const Waiting& b) { return a.rank < b.rank; });
  return detail::listed("deadlock: ", "; ", waiting, [](const Waiting& w) {
    const std::string head =
        "rank " + std::to_string(w.rank) + (w.looks ? " looks in vain for " : " waits for ");
    return detail::listed(head, " or ", w.channels, [](Channel c) {
      return "rank " + std::to_string(sender_of(c)) + " (tag " + std::to_string(tag_of(c)) + ")";
    });
  });
}

// "unreceived: 2 messages from rank 0 to rank 1 (tag 3); 1 message from ...", ordered by sender, receiver and
// tag; after 8 channels "; and N more".
inline std::string describe_unreceived(std::vector<Unreceived> unreceived) {
  std::sort(unreceived.begin(), unreceived.end(), [](const Unreceived& a, const Unreceived& b) {
    return std::tie(a.from, a.to, a.tag) < std::tie(b.from, b.to, b.tag);
  });
  return detail::listed("unreceived: ", "; ", unreceived, [](const Unreceived& u) {
    return std::to_string(u.count) + (u.count == 1 ? " message" : " messages") + " from rank " +
           std::to_string(u.from) + " to rank " + std::to_string(u.to) + " (tag " + std::to_string(u.tag) +
           ")";
  });
}

}  // namespace sparsewire
