// What travels between two ranks: shared immutable bytes, and the size that a network is charged for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sparsewire {

// Distinguishes messages between the same two ranks. 0 <= tag < kTagLimit.
using Tag = std::int32_t;
inline constexpr Tag kTagLimit = 1 << 15;

// A sequence of chunks that are not changed any more. Forwarding a message, or a part of it, shares the
// bytes: a rank that passes on what it received copies nothing. `wire_size` is what the network is charged:
// the carried bytes, unless a payload stands for more than it carries.
class Message {
 public:
  Message() = default;
  explicit Message(std::vector<std::byte> bytes) : Message(owned(std::move(bytes))) {}
  Message(std::vector<std::byte> bytes, std::uint64_t wire_size) : Message(std::move(bytes)) {
    wire_size_ = wire_size;
  }
  // The first `size` bytes of an allocation.
  Message(const std::shared_ptr<std::byte[]>& bytes, std::size_t size)
      : Message(Chunk{std::shared_ptr<std::byte>(bytes, bytes.get()), size}) {}

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
    return {chunks_[i].bytes.get(), chunks_[i].length};
  }

  // The bytes of chunk i for writing, or a null pointer while any other message shares them.
  std::byte* exclusive_chunk(std::size_t i) {
    return chunks_[i].bytes.use_count() == 1 ? chunks_[i].bytes.get() : nullptr;
  }

  // `length` bytes of chunk i from `offset` on, charged as `length`; shares the bytes.
  Message part(std::size_t i, std::size_t offset, std::size_t length) const {
    if (i >= chunks_.size() || offset + length > chunks_[i].length)
      throw std::out_of_range("message part lies outside of its chunk");
    const std::shared_ptr<std::byte>& bytes = chunks_[i].bytes;
    return Message(Chunk{std::shared_ptr<std::byte>(bytes, bytes.get() + offset), length});
  }

  // All bytes in one contiguous vector (copies).
  std::vector<std::byte> flatten() const {
    std::vector<std::byte> bytes;
    bytes.reserve(size());
    for (const Chunk& chunk : chunks_)
      bytes.insert(bytes.end(), chunk.bytes.get(), chunk.bytes.get() + chunk.length);
    return bytes;
  }

 private:
  struct Chunk {
    std::shared_ptr<std::byte> bytes;
    std::size_t length = 0;
  };

  explicit Message(Chunk chunk) : wire_size_(chunk.length) {
    if (chunk.length > 0) chunks_.push_back(std::move(chunk));
  }
  static Chunk owned(std::vector<std::byte> bytes) {
    const std::size_t size = bytes.size();
    const auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
    return {std::shared_ptr<std::byte>(owner, owner->data()), size};
  }

  std::vector<Chunk> chunks_;
  std::uint64_t wire_size_ = 0;
};

}  // namespace sparsewire
