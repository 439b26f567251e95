// A rank that looks or waits for any of several messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/channel.hpp"

namespace sparsewire {

// A program may look for ever at what never comes. A run is a deadlock when every rank that has not ended
// either waits or has looked that often in a row in vain, and meanwhile nothing was sent, received or on its
// way. A rank that gives up after so many looks would be taken for one that does not.
inline constexpr std::uint64_t kLooksInVain = 10000;

enum class Watching : std::uint8_t { nothing, look, wait };

struct Watch {
  Watching kind = Watching::nothing;
  std::vector<Channel> channels;  // while `kind` is not nothing

  void begin(Watching watching, std::span<const Source> sources) {
    kind = watching;
    channels.clear();
    for (const Source& source : sources) channels.push_back(channel(source));
  }
  void end() { kind = Watching::nothing; }
  bool covers(Channel key) const {
    return std::find(channels.begin(), channels.end(), key) != channels.end();
  }

  // `events` counts what was sent and received in the whole world.
  void looked_in_vain(std::uint64_t events) {
    if (events != since_) looks_ = 0;
    since_ = events;
    ++looks_;
  }
  bool hopeless(std::uint64_t events) const {
    return kind == Watching::look && since_ == events && looks_ >= kLooksInVain;
  }
  // Now and then of a rank that looks in vain: the whole world has to be looked at.
  bool doubts(std::uint64_t events) const { return hopeless(events) && looks_ % kLooksInVain == 0; }

 private:
  std::uint64_t looks_ = 0;  // in a row that found nothing
  std::uint64_t since_ = 0;  // events at the first of them
};

}  // namespace sparsewire
