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

// A payload that knows where it has elements, for algorithms that look at them:
//   support(a)          the indices that a has elements at, in rising order
//   blank(a, from, to)  that range without elements, the same bits whatever a: a only says what they are of
template <class S>
concept SparseSummable = Summable<S> && requires(const S& a, std::uint64_t index) {
  { support(a) } -> std::same_as<Worked<std::vector<std::uint32_t>>>;
  { blank(a, index, index) } -> std::same_as<S>;
};

// Charges the work of `worked` to this rank and hands out its value.
template <class S>
S charged(Transport& transport, Worked<S> worked) {
  transport.compute(worked.work);
  return std::move(worked.value);
}

// What packing and unpacking cost a payload that encodes its elements, and how a part of the result is packed
// that its owner hands to all ranks: a payload may round it there, once. These are for payloads that have
// no such functions of their own.
template <Summable S>
Work pack_work(const S&) {
  return {};
}
template <Summable S>
Work unpack_work(const S&) {
  return {};
}
template <Summable S>
Message pack_result(const S& value) {
  return pack(value);
}
template <Summable S>
Work pack_result_work(const S& value) {
  return pack_work(value);
}

// A value whose results are not to be rounded, as they are only a step, and one whose results are rounded as
// those of `like`. For payloads that round none, as above.
template <Summable S>
S unrounded(S value) {
  return value;
}
template <Summable S>
S rounded_like(S value, const S&) {
  return value;
}

// The bytes of `value` for the wire; charges what it takes to encode them.
template <Summable S>
Message packed(Transport& transport, const S& value) {
  transport.compute(pack_work(value));
  return pack(value);
}

// Like packed(), of a part of the result on its only owner, which has to use what it unpacks from it, like
// all others.
template <Summable S>
Message packed_result(Transport& transport, const S& value) {
  transport.compute(pack_result_work(value));
  return pack_result(value);
}

// The value of a packed message; charges what it takes to decode it.
template <Summable S>
S unpacked(Transport& transport, const Message& message) {
  S value = S::unpack(message);
  transport.compute(unpack_work(value));
  return value;
}

template <Summable S>
void send_value(Transport& transport, Rank to, Tag tag, const S& value) {
  transport.send(to, tag, packed(transport, value));
}

template <Summable S>
S receive_value(Transport& transport, Rank from, Tag tag) {
  return unpacked<S>(transport, transport.recv(from, tag));
}

template <Summable S>
S exchange_value(Transport& transport, Rank peer, Tag tag, const S& value) {
  send_value(transport, peer, tag, value);
  return receive_value<S>(transport, peer, tag);
}

// Packed values behind one another.
inline Message joined(const std::vector<Message>& blocks) {
  Message all;
  for (const Message& block : blocks) all.append(block);
  return all;
}

// What tells packed values apart that stand behind one another.
template <class S>
concept SelfSized = requires(std::span<const std::byte> bytes) {
  { S::packed_size(bytes) } -> std::convertible_to<std::size_t>;
};

// The packed values in `message`, one message each; shares the bytes.
template <SelfSized S>
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

// The values of packed messages, in their order; charges what it takes to decode them.
template <Summable S>
std::vector<S> unpacked(Transport& transport, const std::vector<Message>& blocks) {
  std::vector<S> values;
  values.reserve(blocks.size());
  for (const Message& block : blocks) values.push_back(unpacked<S>(transport, block));
  return values;
}

// Adjacent packed values, in index order, as one.
template <Summable S>
S concatenated(Transport& transport, const std::vector<Message>& blocks) {
  return charged(transport, concat(unpacked<S>(transport, blocks)));
}

}  // namespace sparsewire
