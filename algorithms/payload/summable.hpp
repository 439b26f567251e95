// What a collective needs to know of the data that it sums.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/transport/transport.hpp"

namespace sparsewire {

// A value and the local work that it took.
template <class S>
struct Worked {
  S value;
  Work work;
};

// A part [begin(), end()) of a vector, in any representation:
//   sum(a, b)           a + b over one range; the same bits whichever rank computes it, given the same order
//   slice(a, from, to)  the elements of a with from <= index < to
//   concat(parts)       adjacent parts, in index order, as one; at least one part
//   densified(a)        a in dense representation
//   pack(a)             bytes for the wire; packs may be put behind one another
//   S::unpack(m)        the inverse of pack, of exactly one packed value; throws std::runtime_error if
//   malformed S::packed_size(b)   bytes of the first packed value in b; throws likewise
template <class S>
concept Summable = requires(const S& a, S moved, std::vector<S> parts, const Message& message,
                            std::span<const std::byte> bytes, std::uint64_t index) {
  { a.begin() } -> std::convertible_to<std::uint64_t>;
  { a.end() } -> std::convertible_to<std::uint64_t>;
  { sum(std::move(moved), std::move(moved)) } -> std::same_as<Worked<S>>;
  { slice(a, index, index) } -> std::same_as<Worked<S>>;
  { concat(parts) } -> std::same_as<Worked<S>>;
  { densified(std::move(moved)) } -> std::same_as<Worked<S>>;
  { pack(a) } -> std::same_as<Message>;
  { S::unpack(message) } -> std::same_as<S>;
  { S::packed_size(bytes) } -> std::convertible_to<std::size_t>;
};

// Charges the work of `worked` to this rank and hands out its value.
template <class S>
S charged(Transport& transport, Worked<S> worked) {
  transport.compute(worked.work);
  return std::move(worked.value);
}

// The packed values in `message`, one message each; shares the bytes.
template <Summable S>
std::vector<Message> split_packed(const Message& message) {
  std::vector<Message> parts;
  for (std::size_t i = 0; i < message.chunk_count(); ++i) {
    const std::span<const std::byte> chunk = message.chunk(i);
    for (std::size_t at = 0; at < chunk.size();) {
      const std::size_t size = S::packed_size(chunk.subspan(at));
      parts.push_back(message.part(i, at, size));
      at += size;
    }
  }
  return parts;
}

// The values of packed messages, in their order.
template <Summable S>
std::vector<S> unpacked(const std::vector<Message>& blocks) {
  std::vector<S> values;
  values.reserve(blocks.size());
  for (const Message& block : blocks) values.push_back(S::unpack(block));
  return values;
}

}  // namespace sparsewire
