// What MPI hands out, owned; and the one place where its error codes become exceptions. Only files of target
// sparsewire_mpi include this.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/transport/mpi_world.hpp"

namespace sparsewire::mpi {

// Throws MpiError if `code`, returned by the MPI function `call`, is not MPI_SUCCESS.
inline void require(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  const std::string reason(text, static_cast<std::size_t>(length));
  throw MpiError(std::string(call) + ": " + (reason.empty() ? "code " + std::to_string(code) : reason));
}

// Owns one communicator, or none: MPI_COMM_NULL. Creation and destruction are collective over its processes.
class Communicator {
 public:
  Communicator() = default;
  Communicator(Communicator&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Communicator() {
    if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }

  static Communicator duplicate(MPI_Comm original) {
    Communicator copy;
    require(MPI_Comm_dup(original, &copy.handle_), "MPI_Comm_dup");
    require(MPI_Comm_set_errhandler(copy.handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return copy;
  }

  // The processes below `size`; on the others none. Collective over this communicator.
  Communicator first(int size) const {
    Communicator subset;
    require(MPI_Comm_split(handle_, rank() < size ? 0 : MPI_UNDEFINED, rank(), &subset.handle_),
            "MPI_Comm_split");
    if (subset.handle_ != MPI_COMM_NULL)
      require(MPI_Comm_set_errhandler(subset.handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return subset;
  }

  MPI_Comm get() const { return handle_; }
  int rank() const {
    int rank = 0;
    require(MPI_Comm_rank(handle_, &rank), "MPI_Comm_rank");
    return rank;
  }
  int size() const {
    int size = 0;
    require(MPI_Comm_size(handle_, &size), "MPI_Comm_size");
    return size;
  }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

// Bytes in memory as `count` elements of `type` at `data`. Contiguous bytes are just that; several chunks,
// and more than an int can count, are one element of a derived type made of pieces. Owns the type, not the
// bytes.
class Bytes {
 public:
  explicit Bytes(std::span<std::byte> bytes) { describe({bytes}); }

  // What `message` carries, only to be read.
  explicit Bytes(const Message& message) {
    std::vector<std::span<const std::byte>> chunks;
    for (std::size_t i = 0; i < message.chunk_count(); ++i) chunks.push_back(message.chunk(i));
    describe(chunks);
  }

  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() {
    if (derived_ != MPI_DATATYPE_NULL) MPI_Type_free(&derived_);  // a transfer under way keeps it
  }

  void* data() const { return data_; }
  int count() const { return count_; }
  MPI_Datatype type() const { return derived_ == MPI_DATATYPE_NULL ? MPI_BYTE : derived_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 30;

  void describe(const std::vector<std::span<const std::byte>>& chunks) {
    if (chunks.empty()) return;
    if (chunks.size() > 1 || chunks[0].size() > std::numeric_limits<int>::max()) return derive(chunks);
    data_ = const_cast<std::byte*>(chunks[0].data());
    count_ = static_cast<int>(chunks[0].size());
  }

  void derive(const std::vector<std::span<const std::byte>>& chunks) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> addresses;
    for (const std::span<const std::byte> chunk : chunks)
      for (std::size_t at = 0; at < chunk.size(); at += kPiece) {
        lengths.push_back(static_cast<int>(std::min(kPiece, chunk.size() - at)));
        require(MPI_Get_address(&chunk[at], &addresses.emplace_back()), "MPI_Get_address");
      }
    require(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), addresses.data(),
                                     MPI_BYTE, &derived_),
            "MPI_Type_create_hindexed");
    require(MPI_Type_commit(&derived_), "MPI_Type_commit");
    data_ = MPI_BOTTOM;
    count_ = 1;
  }

  void* data_ = nullptr;
  int count_ = 0;
  MPI_Datatype derived_ = MPI_DATATYPE_NULL;
};

// The bytes that a probed or received message carries.
inline std::uint64_t carried_bytes(const MPI_Status& status) {
  MPI_Count bytes = 0;
  require(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
  return static_cast<std::uint64_t>(bytes);
}

// `mine` of every process, by rank. Collective.
template <class T>
std::vector<T> allgather(const Communicator& comm, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(comm.size()));
  const int size = static_cast<int>(sizeof(T));
  require(MPI_Allgather(&mine, size, MPI_BYTE, all.data(), size, MPI_BYTE, comm.get()), "MPI_Allgather");
  return all;
}

// `mine` of every process, of any length on each, by rank. Collective.
template <class T>
std::vector<std::vector<T>> allgather(const Communicator& comm, std::vector<T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<std::uint64_t> lengths = allgather(comm, std::uint64_t{mine.size()});
  std::vector<std::vector<T>> all(lengths.size());
  all[static_cast<std::size_t>(comm.rank())] = std::move(mine);
  for (std::size_t root = 0; root < all.size(); ++root) {
    if (lengths[root] == 0) continue;
    all[root].resize(lengths[root]);
    const Bytes bytes(std::as_writable_bytes(std::span(all[root])));
    require(MPI_Bcast(bytes.data(), bytes.count(), bytes.type(), static_cast<int>(root), comm.get()),
            "MPI_Bcast");
  }
  return all;
}

}  // namespace sparsewire::mpi
