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
// nothing. `Op` is what a reduction does with two values of one index (see operator.hpp); an index that is
// not held takes no part.
template <class T, class Op = Plus>
requires ReductionOperator<Op, T>
class Stream {
 public:
  // An empty range.
  Stream() : Stream(StreamDraft<T, Op>::dense(0, 0).finish(0)) {}

  // `indices` strictly increasing and in [begin, end), `values` as long and prepared for the operator.
  static Stream sparse(std::uint64_t begin, std::uint64_t end, std::span<const Index> indices,
                       std::span<const T> values) {
    StreamDraft<T, Op> draft = StreamDraft<T, Op>::sparse(begin, end, indices.size());
    std::copy(indices.begin(), indices.end(), draft.indices());
    std::copy(values.begin(), values.end(), draft.values());
    return Stream(std::move(draft).finish(indices.size()));
  }
  static Stream dense(std::uint64_t begin, std::uint64_t end, std::span<const T> values) {
    StreamDraft<T, Op> draft = StreamDraft<T, Op>::dense(begin, end);
    std::copy(values.begin(), values.end(), draft.values());
    return Stream(std::move(draft).finish(values.size()));
  }
  // Throws std::runtime_error if the message is not exactly one stream of T for Op.
  static Stream unpack(const Message& message) { return Stream(message); }
  static std::size_t packed_size(std::span<const std::byte> bytes) {
    return stream_bytes<T>(read_stream_header<T, Op>(bytes));
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
    header_ = read_stream_header<T, Op>(packed_.chunk(0));
    if (stream_bytes<T>(header_) != packed_.size())
      throw std::runtime_error("malformed stream: bytes left over");
  }
  const std::byte* bytes() const { return packed_.chunk(0).data(); }
  std::size_t value_offset() const { return sizeof(StreamHeader) + index_bytes(header_); }

  Message packed_;
  StreamHeader header_;
};

template <class T, class Op>
Message pack(const Stream<T, Op>& stream) {
  return stream.packed();
}

namespace stream_detail {

// Combines the elements of a sparse stream with the dense range that begins at index `begin`. Takes the
// arrays, not the stream, and is not inlined, because of a fault of GCC 12.2 (-O1 and above; not with
// -fno-delete-null-pointer-checks). Where it sees that both arrays lie behind one pointer, its loop optimiser
// addresses the values relative to the indices, as null plus a number; its search for pure functions then
// takes the loop's body for a null dereference, overlooks the store, and calls to the function are dropped.
template <class T, class Op>
[[gnu::noinline]] void scatter_add(T* dense, std::uint64_t begin, std::span<const Index> indices,
                                   std::span<const T> values) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    T& place = dense[indices[i] - begin];
    place = Op::combined(place, values[i]);
  }
}

template <class T, class Op>
Stream<T, Op> copied(const Stream<T, Op>& dense) {
  return Stream<T, Op>::dense(dense.begin(), dense.end(), dense.values());
}

// The bits of the value that an index gets from a, from b, or from both. Without a branch, as which of them
// it is cannot be predicted for random supports (a branch costs twice the time of the whole loop).
template <class T, class Op>
T chosen(T a, T b, bool from_a, bool from_b) {
  using Bits = FloatBits<T>;
  const auto mask = [](bool on) { return static_cast<Bits>(Bits{0} - static_cast<Bits>(on)); };
  return std::bit_cast<T>(static_cast<Bits>((float_bits(Op::combined(a, b)) & mask(from_a & from_b)) |
                                            (float_bits(a) & mask(from_a & !from_b)) |
                                            (float_bits(b) & mask(!from_a & from_b))));
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

template <class T, class Op>
inline void merge_step(MergeCursor& at, Elements<T> a, Elements<T> b, Index* indices, T* values) {
  const Index in_a = a.indices[at.i], in_b = b.indices[at.j];
  const bool from_a = in_a <= in_b, from_b = in_b <= in_a;
  indices[at.out] = std::min(in_a, in_b);
  values[at.out] = chosen<T, Op>(a.values[at.i], b.values[at.j], from_a, from_b);
  ++at.out;
  at.i += from_a;
  at.j += from_b;
}

// Takes the merge to its end and returns where its output ends.
template <class T, class Op>
std::size_t merge_rest(MergeCursor at, Elements<T> a, Elements<T> b, Index* indices, T* values) {
  while (at.i < at.i_end && at.j < at.j_end) merge_step<T, Op>(at, a, b, indices, values);
  std::copy(b.values + at.j, b.values + at.j_end,
            std::copy(a.values + at.i, a.values + at.i_end, values + at.out));
  const Index* const end = std::copy(b.indices + at.j, b.indices + at.j_end,
                                     std::copy(a.indices + at.i, a.indices + at.i_end, indices + at.out));
  return static_cast<std::size_t>(end - indices);
}

// Merges the lower and the upper half of the indices at the same time: each step waits for the loads of the
// one before, and the processor does two such chains in the time of one.
template <class T, class Op>
Stream<T, Op> merged(const Stream<T, Op>& left, const Stream<T, Op>& right) {
  const Elements<T> a{left.indices().data(), left.values().data()};
  const Elements<T> b{right.indices().data(), right.values().data()};
  const std::size_t a_count = left.count(), b_count = right.count(), a_middle = a_count / 2;
  const Index* const split =
      a_count == 0 ? b.indices : std::lower_bound(b.indices, b.indices + b_count, a.indices[a_middle]);
  const auto b_middle = static_cast<std::size_t>(split - b.indices);
  StreamDraft<T, Op> draft = StreamDraft<T, Op>::sparse(left.begin(), left.end(), a_count + b_count);
  Index* const indices = draft.indices();
  T* const values = draft.values();
  const std::size_t upper_begin = a_middle + b_middle;
  MergeCursor lower{0, a_middle, 0, b_middle, 0};
  MergeCursor upper{a_middle, a_count, b_middle, b_count, upper_begin};
  while (lower.i < lower.i_end && lower.j < lower.j_end && upper.i < upper.i_end && upper.j < upper.j_end) {
    merge_step<T, Op>(lower, a, b, indices, values);
    merge_step<T, Op>(upper, a, b, indices, values);
  }
  const std::size_t lower_end = merge_rest<T, Op>(lower, a, b, indices, values);
  const std::size_t upper_end = merge_rest<T, Op>(upper, a, b, indices, values);
  std::copy(indices + upper_begin, indices + upper_end, indices + lower_end);
  std::copy(values + upper_begin, values + upper_end, values + lower_end);
  return Stream<T, Op>::unpack(std::move(draft).finish(lower_end + upper_end - upper_begin));
}

// One piece of machine code for sums in place and into a new buffer: which of two NaNs survives an addition
// depends on the order in which the compiler puts the operands. `total` may be `a`.
template <class T, class Op>
[[gnu::noinline]] void add(const T* a, const T* b, T* total, std::uint64_t count) {
#pragma GCC ivdep
  for (std::uint64_t i = 0; i < count; ++i) total[i] = Op::combined(a[i], b[i]);
}

template <class T, class Op>
Stream<T, Op> added(Stream<T, Op> a, const Stream<T, Op>& b) {
  if (T* values = a.exclusive_values()) {
    add<T, Op>(values, b.values().data(), values, a.count());
    return a;
  }
  StreamDraft<T, Op> draft = StreamDraft<T, Op>::dense(a.begin(), a.end());
  add<T, Op>(a.values().data(), b.values().data(), draft.values(), a.count());
  return Stream<T, Op>::unpack(std::move(draft).finish(a.count()));
}

}  // namespace stream_detail

template <class T, class Op>
Worked<Stream<T, Op>> densified(Stream<T, Op> stream) {
  if (stream.is_dense()) return {std::move(stream), {}};
  StreamDraft<T, Op> draft = StreamDraft<T, Op>::dense(stream.begin(), stream.end());
  std::fill_n(draft.values(), stream.length(), Op::template identity<T>());
  stream_detail::scatter_add<T, Op>(draft.values(), stream.begin(), stream.indices(), stream.values());
  const Work work =
      Work::of(WorkKind::fill, stream.length()) + Work::of(WorkKind::scatter_add, stream.count());
  return {Stream<T, Op>::unpack(std::move(draft).finish(stream.length())), work};
}

// Becomes dense before the size of the union is known, when both together reach break-even: the test is cheap
// and symmetric, so that both partners of an exchange decide alike.
template <class T, class Op>
Worked<Stream<T, Op>> sum(Stream<T, Op> a, Stream<T, Op> b) {
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
    Worked<Stream<T, Op>> first = densified(std::move(a));
    Worked<Stream<T, Op>> total = sum(std::move(first.value), std::move(b));
    total.work += first.work;
    return total;
  }
  if (b.is_dense()) std::swap(a, b);
  if (a.exclusive_values() == nullptr) a = stream_detail::copied(a);
  stream_detail::scatter_add<T, Op>(a.exclusive_values(), a.begin(), b.indices(), b.values());
  return {std::move(a), Work::of(WorkKind::scatter_add, b.count())};
}

// A sparse slice that reaches its own break-even becomes dense.
template <class T, class Op>
Worked<Stream<T, Op>> slice(const Stream<T, Op>& stream, std::uint64_t from, std::uint64_t to) {
  if (from < stream.begin() || to > stream.end() || to < from)
    throw std::invalid_argument("slice outside of its stream");
  if (stream.is_dense())
    return {Stream<T, Op>::dense(from, to, stream.values().subspan(from - stream.begin(), to - from)), {}};
  const std::span<const Index> indices = stream.indices();
  const auto first = std::lower_bound(indices.begin(), indices.end(), from);
  const auto last = std::lower_bound(first, indices.end(), to);
  const auto offset = static_cast<std::size_t>(first - indices.begin());
  const auto count = static_cast<std::size_t>(last - first);
  Stream<T, Op> part =
      Stream<T, Op>::sparse(from, to, indices.subspan(offset, count), stream.values().subspan(offset, count));
  if (!dense_is_smaller(part.count(), part.length(), sizeof(T))) return {std::move(part), {}};
  return densified(std::move(part));
}

// Of a dense range those are elements that have not the very bits of the operator's identity: a range without
// elements has the same bits wherever it is filled.
template <class T, class Op>
Worked<std::vector<Index>> support(const Stream<T, Op>& stream) {
  if (!stream.is_dense()) return {{stream.indices().begin(), stream.indices().end()}, {}};
  std::vector<Index> indices;
  for (std::uint64_t i = 0; i < stream.length(); ++i)
    if (float_bits(stream.values()[i]) != float_bits(Op::template identity<T>()))
      indices.push_back(static_cast<Index>(stream.begin() + i));
  return {std::move(indices), Work::of(WorkKind::scan, stream.length())};
}

template <class T, class Op>
Stream<T, Op> blank(const Stream<T, Op>&, std::uint64_t from, std::uint64_t to) {
  return Stream<T, Op>::sparse(from, to, {}, {});
}

// The elements of a stream without those that equal the operator's identity (zeros, for the sum), which are
// not part of a result whatever the representation, so that all algorithms agree on what they return.
template <class T, class Op>
SparseVector<T> sparse_vector_of(const Stream<T, Op>& stream) {
  SparseVector<T> vector{stream.end(), {}, {}};
  const std::span<const Index> indices = stream.indices();
  const std::span<const T> values = stream.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == Op::template identity<T>()) continue;
    vector.indices.push_back(stream.is_dense() ? static_cast<Index>(stream.begin() + i) : indices[i]);
    vector.values.push_back(values[i]);
  }
  return vector;
}

namespace stream_detail {

template <class T, class Op>
Worked<Stream<T, Op>> concat_dense(const std::vector<Stream<T, Op>>& parts) {
  const std::uint64_t begin = parts.front().begin(), end = parts.back().end();
  StreamDraft<T, Op> draft = StreamDraft<T, Op>::dense(begin, end);
  Work work;
  for (const Stream<T, Op>& part : parts) {
    T* place = draft.values() + (part.begin() - begin);
    if (part.is_dense()) {
      std::copy(part.values().begin(), part.values().end(), place);
      continue;
    }
    std::fill_n(place, part.length(), Op::template identity<T>());
    scatter_add<T, Op>(place, part.begin(), part.indices(), part.values());
    work += Work::of(WorkKind::fill, part.length()) + Work::of(WorkKind::scatter_add, part.count());
  }
  return {Stream<T, Op>::unpack(std::move(draft).finish(end - begin)), work};
}

template <class T, class Op>
Worked<Stream<T, Op>> concat_sparse(const std::vector<Stream<T, Op>>& parts, std::uint64_t capacity) {
  StreamDraft<T, Op> draft = StreamDraft<T, Op>::sparse(parts.front().begin(), parts.back().end(), capacity);
  std::uint64_t count = 0;
  Work work;
  const auto append = [&](std::span<const Index> indices, std::span<const T> values) {
    std::copy(indices.begin(), indices.end(), draft.indices() + count);
    std::copy(values.begin(), values.end(), draft.values() + count);
    count += indices.size();
  };
  for (const Stream<T, Op>& part : parts) {
    if (!part.is_dense()) {
      append(part.indices(), part.values());
      continue;
    }
    const SparseVector<T> extracted = sparse_vector_of(part);
    append(extracted.indices, extracted.values);
    work += Work::of(WorkKind::scan, part.length());
  }
  return {Stream<T, Op>::unpack(std::move(draft).finish(count)), work};
}

}  // namespace stream_detail

// Dense if the elements held reach break-even, sparse otherwise; a dense part that turns sparse is scanned
// for its non-zeros.
template <class T, class Op>
Worked<Stream<T, Op>> concat(const std::vector<Stream<T, Op>>& parts) {
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

// The whole vector in the representation that break-even selects, its values prepared for the operator.
// Throws InvalidVector for a dimension above 2^32; the vector's invariant is not checked (see require_valid).
template <class Op = Plus, class T>
Stream<T, Op> stream_of(const SparseVector<T>& vector) {
  require_dimension(vector.dimension);
  StreamDraft<T, Op> draft = StreamDraft<T, Op>::sparse(0, vector.dimension, vector.count());
  std::copy(vector.indices.begin(), vector.indices.end(), draft.indices());
  std::transform(vector.values.begin(), vector.values.end(), draft.values(), Op::template prepared<T>);
  Stream<T, Op> sparse = Stream<T, Op>::unpack(std::move(draft).finish(vector.count()));
  if (!dense_is_smaller(sparse.count(), sparse.length(), sizeof(T))) return sparse;
  return densified(std::move(sparse)).value;
}

}  // namespace sparsewire
