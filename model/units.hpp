// Scalar types and plain quantities that every package shares. The only header that model, topologies,
// algorithms and reports may include of one another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sparsewire {

using Seconds = double;
using Rank = std::int32_t;

// Kinds of local work that a collective does on vector elements. A simulator charges seconds per element.
//   merge        two-pointer merge of sorted sparse vectors; elements read on both sides
//   scatter_add  add of sparse elements into a dense vector; sparse elements
//   dense_add    add of two dense vectors; elements of one of them
//   fill         zero-fill of a dense vector; its elements
//   scan         read of a dense vector to extract its non-zeros; its elements
//   encode       elements written in a codec; steps, see model/codec.hpp
//   decode       elements read from a codec; steps likewise
//   select       exact top-k of a dense vector; its elements
enum class WorkKind : std::uint8_t { merge, scatter_add, dense_add, fill, scan, encode, decode, select };

inline constexpr std::size_t kWorkKinds = 8;
inline constexpr std::array<std::string_view, kWorkKinds> kWorkKindNames = {
    "merge", "scatter_add", "dense_add", "fill", "scan", "encode", "decode", "select"};

// An amount of local work: elements per kind.
struct Work {
  std::array<std::uint64_t, kWorkKinds> elements{};

  static Work of(WorkKind kind, std::uint64_t count) {
    Work work;
    work.elements[static_cast<std::size_t>(kind)] = count;
    return work;
  }
  std::uint64_t operator[](WorkKind kind) const { return elements[static_cast<std::size_t>(kind)]; }
  Work& operator+=(const Work& other) {
    for (std::size_t i = 0; i < kWorkKinds; ++i) elements[i] += other.elements[i];
    return *this;
  }
  friend Work operator+(Work a, const Work& b) { return a += b; }
  friend bool operator==(const Work&, const Work&) = default;
};

}  // namespace sparsewire
