// A sender and a tag as one hashable word: a receiver's messages are kept by it.
#pragma once

#include <cstdint>

#include "algorithms/transport/transport.hpp"
#include "model/units.hpp"

namespace sparsewire {

using Channel = std::uint64_t;

inline Channel channel(Rank from, Tag tag) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(tag);
}
inline Channel channel(const Source& source) {
  return channel(source.from, source.tag);
}
inline Rank sender_of(Channel c) {
  return static_cast<Rank>(c >> 32);
}
inline Tag tag_of(Channel c) {
  return static_cast<Tag>(c & 0xffffffffu);
}

}  // namespace sparsewire
