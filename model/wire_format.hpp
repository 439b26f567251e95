// Bytes of a stream on the wire; the format itself is in algorithms/payload/stream.hpp.
#pragma once

#include <cstdint>

namespace sparsewire {

inline constexpr std::uint64_t kStreamHeaderBytes = 32;
inline constexpr std::uint64_t kIndexBytes = 4;

constexpr std::uint64_t padded_to_8(std::uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

constexpr std::uint64_t sparse_stream_bytes(std::uint64_t count, std::uint64_t value_bytes) {
  return kStreamHeaderBytes + padded_to_8(count * kIndexBytes) + padded_to_8(count * value_bytes);
}
constexpr std::uint64_t dense_stream_bytes(std::uint64_t length, std::uint64_t value_bytes) {
  return kStreamHeaderBytes + padded_to_8(length * value_bytes);
}

// Whether `count` index-value pairs take at least the bytes of `length` values (arXiv:1802.08021).
constexpr bool reaches_break_even(std::uint64_t count, std::uint64_t length, std::uint64_t value_bytes) {
  return count > 0 && count * (kIndexBytes + value_bytes) >= length * value_bytes;
}

}  // namespace sparsewire
