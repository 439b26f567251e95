// A stream as bytes: a header, the indices, the values; indices and values each padded to 8 bytes, so that
// values are aligned and one stream can be put behind another.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "algorithms/payload/operator.hpp"
#include "algorithms/payload/sparse_vector.hpp"
#include "algorithms/transport/message.hpp"

namespace sparsewire {

struct StreamHeader {
  std::uint32_t format = 0;  // kSparseFormat or kDenseFormat
  std::uint16_t value_bytes = 0;
  std::uint16_t operation = 0;       // kCode of the operator that the elements are for
  std::uint64_t begin = 0, end = 0;  // the range, elements
  std::uint64_t count = 0;           // values that follow
};
static_assert(sizeof(StreamHeader) == 32);
inline constexpr std::uint32_t kSparseFormat = 0x53505357;
inline constexpr std::uint32_t kDenseFormat = 0x44505357;

// The break-even of the two representations: `count` index-value pairs take at least the bytes of `length`
// values.
constexpr bool dense_is_smaller(std::uint64_t count, std::uint64_t length, std::size_t value_bytes) {
  return count > 0 && count * (sizeof(Index) + value_bytes) >= length * value_bytes;
}

constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

inline std::size_t index_bytes(const StreamHeader& header) {
  return header.format == kSparseFormat ? padded(header.count * sizeof(Index)) : 0;
}

template <class T>
std::size_t stream_bytes(const StreamHeader& header) {
  return sizeof header + index_bytes(header) + padded(header.count * sizeof(T));
}

// The header at the front of `bytes`. Throws std::runtime_error if it is not that of a stream of T for
// operator Op, or the stream is not all there.
template <class T, class Op = Plus>
StreamHeader read_stream_header(std::span<const std::byte> bytes) {
  StreamHeader header;
  if (bytes.size() < sizeof header) throw std::runtime_error("malformed stream: shorter than its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  const bool known = header.format == kSparseFormat || header.format == kDenseFormat;
  const std::uint64_t length = header.end - header.begin;
  if (!known || header.value_bytes != sizeof(T) || header.end < header.begin || header.end > kMaxDimension ||
      header.count > length || (header.format == kDenseFormat && header.count != length))
    throw std::runtime_error("malformed stream: not a header of " + std::to_string(sizeof(T)) +
                             "-byte values");
  if (header.operation != Op::kCode)
    throw std::runtime_error("stream of another operator: code " + std::to_string(header.operation) +
                             ", expected " + std::to_string(Op::kCode) + " (" + std::string(Op::kName) + ")");
  if (bytes.size() < stream_bytes<T>(header))
    throw std::runtime_error("malformed stream: " + std::to_string(header.count) + " elements announced, " +
                             std::to_string(bytes.size()) + " bytes there");
  return header;
}

// A stream in the making: room for `capacity` elements in the layout of the wire. Elements are not
// initialised.
template <class T, class Op = Plus>
class StreamDraft {
 public:
  static StreamDraft sparse(std::uint64_t begin, std::uint64_t end, std::uint64_t capacity) {
    return StreamDraft({kSparseFormat, sizeof(T), Op::kCode, begin, end, capacity});
  }
  static StreamDraft dense(std::uint64_t begin, std::uint64_t end) {
    return StreamDraft({kDenseFormat, sizeof(T), Op::kCode, begin, end, end - begin});
  }

  Index* indices() { return reinterpret_cast<Index*>(bytes_.get() + sizeof(StreamHeader)); }
  T* values() { return reinterpret_cast<T*>(bytes_.get() + sizeof(StreamHeader) + index_bytes(header_)); }

  // The stream of the first `count` elements, in wire layout.
  Message finish(std::uint64_t count) && {
    const T* written = values();
    header_.count = count;
    if (values() != written) std::memmove(values(), written, count * sizeof(T));
    const std::size_t size = stream_bytes<T>(header_);
    clear_padding(sizeof header_ + count * sizeof(Index), sizeof header_ + index_bytes(header_));
    clear_padding(sizeof header_ + index_bytes(header_) + count * sizeof(T), size);
    std::memcpy(bytes_.get(), &header_, sizeof header_);
    return Message(bytes_, size);
  }

 private:
  explicit StreamDraft(const StreamHeader& header)
      : header_(header), bytes_(std::make_shared_for_overwrite<std::byte[]>(stream_bytes<T>(header))) {}

  // Equal streams are equal bytes.
  void clear_padding(std::size_t from, std::size_t to) {
    if (to > from) std::memset(bytes_.get() + from, 0, to - from);
  }

  StreamHeader header_;
  std::shared_ptr<std::byte[]> bytes_;
};

}  // namespace sparsewire
