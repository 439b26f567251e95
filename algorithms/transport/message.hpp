// What travels between two ranks: shared immutable bytes, and the size that a network is charged for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sparsewire {

// Distinguishes messages between the same two ranks. 0 <= tag < kTagLimit.
using Tag = std::int32_t;
inline constexpr Tag kTagLimit = 1 << 15;

// A sequence of immutable chunks. Forwarding a message, or a part of it, shares the bytes: a rank that passes
// on what it received copies nothing. `wire_size` is what the network is charged: the carried bytes, unless a
// payload stands for more than it carries.
class Message {
 public:
  using Buffer = std::shared_ptr<const std::vector<std::byte>>;

  Message() = default;
  explicit Message(std::vector<std::byte> bytes) : wire_size_(bytes.size()) {
    const std::size_t size = bytes.size();
    if (size > 0)
      chunks_.push_back({std::make_shared<const std::vector<std::byte>>(std::move(bytes)), 0, size});
  }
  Message(std::vector<std::byte> bytes, std::uint64_t wire_size) : Message(std::move(bytes)) {
    wire_size_ = wire_size;
  }

  std::uint64_t wire_size() const { return wire_size_; }

  // Bytes carried.
  std::size_t size() const {
    std::size_t total = 0;
    for (const Chunk& chunk : chunks_) total += chunk.length;
    return total;
  }

  // Puts `tail` behind this message; both sizes add up.
  void append(const Message& tail) {
    chunks_.insert(chunks_.end(), tail.chunks_.begin(), tail.chunks_.end());
    wire_size_ += tail.wire_size_;
  }

  std::size_t chunk_count() const { return chunks_.size(); }
  std::span<const std::byte> chunk(std::size_t i) const {
    return std::span(*chunks_[i].buffer).subspan(chunks_[i].offset, chunks_[i].length);
  }

  // `length` bytes of chunk i from `offset` on, charged as `length`; shares the bytes.
  Message part(std::size_t i, std::size_t offset, std::size_t length) const {
    if (i >= chunks_.size() || offset + length > chunks_[i].length)
      throw std::out_of_range("message part lies outside of its chunk");
    Message message;
    message.chunks_.push_back({chunks_[i].buffer, chunks_[i].offset + offset, length});
    message.wire_size_ = length;
    return message;
  }

  // All bytes in one contiguous vector (copies).
  std::vector<std::byte> flatten() const {
    std::vector<std::byte> bytes(size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      std::memcpy(bytes.data() + at, chunk(i).data(), chunks_[i].length);
      at += chunks_[i].length;
    }
    return bytes;
  }

 private:
  struct Chunk {
    Buffer buffer;
    std::size_t offset = 0;
    std::size_t length = 0;
  };
  std::vector<Chunk> chunks_;
  std::uint64_t wire_size_ = 0;
};

}  // namespace sparsewire
