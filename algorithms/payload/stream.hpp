// SparCML's sparse stream: a range of a vector that is held sparse or dense, whichever is smaller on the wire
// (Renggli, Ashkboos, Aghagolzadeh, Alistarh, Hoefler 2019, doi:10.1145/3295500.3356222, arXiv:1802.08021).
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "algorithms/payload/sparse_vector.hpp"
#include "algorithms/payload/stream_format.hpp"
#include "algorithms/payload/summable.hpp"

namespace sparsewire {

// The elements of a vector with begin() <= index < end(). Sparse: `indices` (of the whole vector, strictly
// increasing) and as many `values`. Dense: a value for each index of the range, and no `indices`. A stream is
// kept as the bytes that go over the wire, shared with the messages that carry it: packing and unpacking copy
// nothing.
template <class T>
class Stream {
 public:
  // An empty range.
  Stream() : Stream(StreamDraft<T>::dense(0, 0).finish(0)) {}

  // `indices` strictly increasing and in [begin, end), `values` as long.
  static Stream sparse(std::uint64_t begin, std::uint64_t end, std::span<const Index> indices,
                       std::span<const T> values) {
    StreamDraft<T> draft = StreamDraft<T>::sparse(begin, end, indices.size());
    std::copy(indices.begin(), indices.end(), draft.indices());
    std::copy(values.begin(), values.end(), draft.values());
    return Stream(std::move(draft).finish(indices.size()));
  }
  static Stream dense(std::uint64_t begin, std::uint64_t end, std::span<const T> values) {
    StreamDraft<T> draft = StreamDraft<T>::dense(begin, end);
    std::copy(values.begin(), values.end(), draft.values());
    return Stream(std::move(draft).finish(values.size()));
  }
  // Throws std::runtime_error if the message is not exactly one stream of T.
  static Stream unpack(const Message& message) { return Stream(message); }
  static std::size_t packed_size(std::span<const std::byte> bytes) {
    return stream_bytes<T>(read_stream_header<T>(bytes));
  }

  std::uint64_t begin() const { return header_.begin; }
  std::uint64_t end() const { return header_.end; }
  std::uint64_t length() const { return header_.end - header_.begin; }
  bool is_dense() const { return header_.format == kDenseFormat; }
  std::uint64_t count() const { return header_.count; }  // elements held: all of a dense range
  std::span<const Index> indices() const {
    return {reinterpret_cast<const Index*>(bytes() + sizeof(StreamHeader)), is_dense() ? 0 : count()};
  }
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes() + value_offset()), count()};
  }
  const Message& packed() const { return packed_; }

  // The values for writing, or a null pointer while a message or another stream shares them.
  T* exclusive_values() {
    std::byte* bytes = packed_.exclusive_chunk(0);
    return bytes == nullptr ? nullptr : reinterpret_cast<T*>(bytes + value_offset());
  }

 private:
  explicit Stream(Message packed) : packed_(std::move(packed)) {
    if (packed_.chunk_count() != 1) throw std::runtime_error("malformed stream: not in one piece");
    header_ = read_stream_header<T>(packed_.chunk(0));
    if (stream_bytes<T>(header_) != packed_.size())
      throw std::runtime_error("malformed stream: bytes left over");
  }
  const std::byte* bytes() const { return packed_.chunk(0).data(); }
  std::size_t value_offset() const { return sizeof(StreamHeader) + index_bytes(header_); }

  Message packed_;
  StreamHeader header_;
};

template <class T>
Message pack(const Stream<T>& stream) {
  return stream.packed();
}

namespace stream_detail {

// Adds the elements of a sparse stream to the dense range that begins at index `begin`. Takes the arrays, not
// the stream, and is not inlined, because of a fault of GCC 12.2 (-O1 and above; not with
// -fno-delete-null-pointer-checks). Where it sees that both arrays lie behind one pointer, its loop optimiser
// addresses the values relative to the indices, as null plus a number; its search for pure functions then
// takes the loop's body for a null dereference, overlooks the store, and calls to the function are dropped.
template <class T>
[[gnu::noinline]] void scatter_add(T* dense, std::uint64_t begin, std::span<const Index> indices,
                                   std::span<const T> values) {
  for (std::size_t i = 0; i < indices.size(); ++i) dense[indices[i] - begin] += values[i];
}

template <class T>
Stream<T> copied(const Stream<T>& dense) {
  return Stream<T>::dense(dense.begin(), dense.end(), dense.values());
}

// The bits of the value that an index gets from a, from b, or from both. Without a branch, as which of them
// it is cannot be predicted for random supports (a branch costs twice the time of the whole loop).
template <class T>
T chosen(T a, T b, bool from_a, bool from_b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const auto mask = [](bool on) { return static_cast<Bits>(Bits{0} - static_cast<Bits>(on)); };
  const auto bits = [](T value) { return std::bit_cast<Bits>(value); };
  return std::bit_cast<T>(static_cast<Bits>((bits(a + b) & mask(from_a & from_b)) |
                                            (bits(a) & mask(from_a & !from_b)) |
                                            (bits(b) & mask(!from_a & from_b))));
}

template <class T>
struct Elements {
  const Index* indices;
  const T* values;
};

// A merge under way: of the elements i to i_end of one stream and j to j_end of another; they go to `out` and
// on.
struct MergeCursor {
  std::size_t i, i_end, j, j_end, out;
};

template <class T>
inline void merge_step(MergeCursor& at, Elements<T> a, Elements<T> b, Index* indices, T* values) {
  const Index in_a = a.indices[at.i], in_b = b.indices[at.j];
  const bool from_a = in_a <= in_b, from_b = in_b <= in_a;
  indices[at.out] = std::min(in_a, in_b);
  values[at.out] = chosen(a.values[at.i], b.values[at.j], from_a, from_b);
  ++at.out;
  at.i += from_a;
  at.j += from_b;
}

// Takes the merge to its end and returns where its output ends.
template <class T>
std::size_t merge_rest(MergeCursor at, Elements<T> a, Elements<T> b, Index* indices, T* values) {
  while (at.i < at.i_end && at.j < at.j_end) merge_step(at, a, b, indices, values);
  std::copy(b.values + at.j, b.values + at.j_end,
            std::copy(a.values + at.i, a.values + at.i_end, values + at.out));
  const Index* const end = std::copy(b.indices + at.j, b.indices + at.j_end,
                                     std::copy(a.indices + at.i, a.indices + at.i_end, indices + at.out));
  return static_cast<std::size_t>(end - indices);
}

// Merges the lower and the upper half of the indices at the same time: each step waits for the loads of the
// one before, and the processor does two such chains in the time of one.
template <class T>
Stream<T> merged(const Stream<T>& left, const Stream<T>& right) {
  const Elements<T> a{left.indices().data(), left.values().data()};
  const Elements<T> b{right.indices().data(), right.values().data()};
  const std::size_t a_count = left.count(), b_count = right.count(), a_middle = a_count / 2;
  const Index* const split =
      a_count == 0 ? b.indices : std::lower_bound(b.indices, b.indices + b_count, a.indices[a_middle]);
  const auto b_middle = static_cast<std::size_t>(split - b.indices);
  StreamDraft<T> draft = StreamDraft<T>::sparse(left.begin(), left.end(), a_count + b_count);
  Index* const indices = draft.indices();
  T* const values = draft.values();
  const std::size_t upper_begin = a_middle + b_middle;
  MergeCursor lower{0, a_middle, 0, b_middle, 0};
  MergeCursor upper{a_middle, a_count, b_middle, b_count, upper_begin};
  while (lower.i < lower.i_end && lower.j < lower.j_end && upper.i < upper.i_end && upper.j < upper.j_end) {
    merge_step(lower, a, b, indices, values);
    merge_step(upper, a, b, indices, values);
  }
  const std::size_t lower_end = merge_rest(lower, a, b, indices, values);
  const std::size_t upper_end = merge_rest(upper, a, b, indices, values);
  std::copy(indices + upper_begin, indices + upper_end, indices + lower_end);
  std::copy(values + upper_begin, values + upper_end, values + lower_end);
  return Stream<T>::unpack(std::move(draft).finish(lower_end + upper_end - upper_begin));
}

// One piece of machine code for sums in place and into a new buffer: which of two NaNs survives depends on
// the order in which the compiler puts the operands. `total` may be `a`.
template <class T>
[[gnu::noinline]] void add(const T* a, const T* b, T* total, std::uint64_t count) {
#pragma GCC ivdep
  for (std::uint64_t i = 0; i < count; ++i) total[i] = a[i] + b[i];
}

template <class T>
Stream<T> added(Stream<T> a, const Stream<T>& b) {
  if (T* values = a.exclusive_values()) {
    add(values, b.values().data(), values, a.count());
    return a;
  }
  StreamDraft<T> draft = StreamDraft<T>::dense(a.begin(), a.end());
  add(a.values().data(), b.values().data(), draft.values(), a.count());
  return Stream<T>::unpack(std::move(draft).finish(a.count()));
}

}  // namespace stream_detail

template <class T>
Worked<Stream<T>> densified(Stream<T> stream) {
  if (stream.is_dense()) return {std::move(stream), {}};
  StreamDraft<T> draft = StreamDraft<T>::dense(stream.begin(), stream.end());
  std::fill_n(draft.values(), stream.length(), T{0});
  stream_detail::scatter_add(draft.values(), stream.begin(), stream.indices(), stream.values());
  const Work work =
      Work::of(WorkKind::fill, stream.length()) + Work::of(WorkKind::scatter_add, stream.count());
  return {Stream<T>::unpack(std::move(draft).finish(stream.length())), work};
}

// Becomes dense before the size of the union is known, when both together reach break-even: the test is cheap
// and symmetric, so that both partners of an exchange decide alike.
template <class T>
Worked<Stream<T>> sum(Stream<T> a, Stream<T> b) {
  if (a.begin() != b.begin() || a.end() != b.end())
    throw std::invalid_argument("sum of streams over different ranges");
  if (a.is_dense() && b.is_dense()) {
    const Work work = Work::of(WorkKind::dense_add, a.length());
    return {stream_detail::added(std::move(a), b), work};
  }
  if (!a.is_dense() && !b.is_dense()) {
    const std::uint64_t both = a.count() + b.count();
    if (!dense_is_smaller(both, a.length(), sizeof(T)))
      return {stream_detail::merged(a, b), Work::of(WorkKind::merge, both)};
    Worked<Stream<T>> first = densified(std::move(a));
    Worked<Stream<T>> total = sum(std::move(first.value), std::move(b));
    total.work += first.work;
    return total;
  }
  if (b.is_dense()) std::swap(a, b);
  if (a.exclusive_values() == nullptr) a = stream_detail::copied(a);
  stream_detail::scatter_add(a.exclusive_values(), a.begin(), b.indices(), b.values());
  return {std::move(a), Work::of(WorkKind::scatter_add, b.count())};
}

// A sparse slice that reaches its own break-even becomes dense.
template <class T>
Worked<Stream<T>> slice(const Stream<T>& stream, std::uint64_t from, std::uint64_t to) {
  if (from < stream.begin() || to > stream.end() || to < from)
    throw std::invalid_argument("slice outside of its stream");
  if (stream.is_dense())
    return {Stream<T>::dense(from, to, stream.values().subspan(from - stream.begin(), to - from)), {}};
  const std::span<const Index> indices = stream.indices();
  const auto first = std::lower_bound(indices.begin(), indices.end(), from);
  const auto last = std::lower_bound(first, indices.end(), to);
  const auto offset = static_cast<std::size_t>(first - indices.begin());
  const auto count = static_cast<std::size_t>(last - first);
  Stream<T> part =
      Stream<T>::sparse(from, to, indices.subspan(offset, count), stream.values().subspan(offset, count));
  if (!dense_is_smaller(part.count(), part.length(), sizeof(T))) return {std::move(part), {}};
  return densified(std::move(part));
}

// The non-zeros of a stream. An element that is exactly zero is not part of the result, whatever the
// representation, so that all algorithms agree on what they return.
template <class T>
SparseVector<T> sparse_vector_of(const Stream<T>& stream) {
  SparseVector<T> vector{stream.end(), {}, {}};
  const std::span<const Index> indices = stream.indices();
  const std::span<const T> values = stream.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == T{0}) continue;
    vector.indices.push_back(stream.is_dense() ? static_cast<Index>(stream.begin() + i) : indices[i]);
    vector.values.push_back(values[i]);
  }
  return vector;
}

namespace stream_detail {

template <class T>
Worked<Stream<T>> concat_dense(const std::vector<Stream<T>>& parts) {
  const std::uint64_t begin = parts.front().begin(), end = parts.back().end();
  StreamDraft<T> draft = StreamDraft<T>::dense(begin, end);
  Work work;
  for (const Stream<T>& part : parts) {
    T* place = draft.values() + (part.begin() - begin);
    if (part.is_dense()) {
      std::copy(part.values().begin(), part.values().end(), place);
      continue;
    }
    std::fill_n(place, part.length(), T{0});
    scatter_add(place, part.begin(), part.indices(), part.values());
    work += Work::of(WorkKind::fill, part.length()) + Work::of(WorkKind::scatter_add, part.count());
  }
  return {Stream<T>::unpack(std::move(draft).finish(end - begin)), work};
}

template <class T>
Worked<Stream<T>> concat_sparse(const std::vector<Stream<T>>& parts, std::uint64_t capacity) {
  StreamDraft<T> draft = StreamDraft<T>::sparse(parts.front().begin(), parts.back().end(), capacity);
  std::uint64_t count = 0;
  Work work;
  const auto append = [&](std::span<const Index> indices, std::span<const T> values) {
    std::copy(indices.begin(), indices.end(), draft.indices() + count);
    std::copy(values.begin(), values.end(), draft.values() + count);
    count += indices.size();
  };
  for (const Stream<T>& part : parts) {
    if (!part.is_dense()) {
      append(part.indices(), part.values());
      continue;
    }
    const SparseVector<T> extracted = sparse_vector_of(part);
    append(extracted.indices, extracted.values);
    work += Work::of(WorkKind::scan, part.length());
  }
  return {Stream<T>::unpack(std::move(draft).finish(count)), work};
}

}  // namespace stream_detail

// Dense if the elements held reach break-even, sparse otherwise; a dense part that turns sparse is scanned
// for its non-zeros.
template <class T>
Worked<Stream<T>> concat(const std::vector<Stream<T>>& parts) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    count += parts[i].count();
    if (i > 0 && parts[i].begin() != parts[i - 1].end())
      throw std::invalid_argument("concatenation of streams that are not adjacent");
  }
  const std::uint64_t length = parts.back().end() - parts.front().begin();
  return dense_is_smaller(count, length, sizeof(T)) ? stream_detail::concat_dense(parts)
                                                    : stream_detail::concat_sparse(parts, count);
}

// The whole vector in the representation that break-even selects. Throws InvalidVector for a dimension above
// 2^32; the vector's invariant is not checked (see require_valid).
template <class T>
Stream<T> stream_of(const SparseVector<T>& vector) {
  require_dimension(vector.dimension);
  Stream<T> sparse = Stream<T>::sparse(0, vector.dimension, vector.indices, vector.values);
  if (!dense_is_smaller(sparse.count(), sparse.length(), sizeof(T))) return sparse;
  return densified(std::move(sparse)).value;
}

}  // namespace sparsewire
