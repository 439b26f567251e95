// SparCML's sparse stream: a range of a vector that is held sparse or dense, whichever is smaller on the wire
// (Renggli, Ashkboos, Aghagolzadeh, Alistarh, Hoefler 2019, doi:10.1145/3295500.3356222, arXiv:1802.08021).
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "algorithms/payload/sparse_vector.hpp"
#include "algorithms/payload/summable.hpp"

namespace sparsewire {

// The break-even of the two representations: `count` index-value pairs take at least the bytes of `length`
// values.
constexpr bool dense_is_smaller(std::uint64_t count, std::uint64_t length, std::size_t value_bytes) {
  return count > 0 && count * (sizeof(Index) + value_bytes) >= length * value_bytes;
}

// The elements of a vector with begin() <= index < end(). Sparse: `indices` (of the whole vector, strictly
// increasing) and as many `values`. Dense: a value for each index of the range, and no `indices`.
template <class T>
class Stream {
 public:
  // An empty range.
  Stream() = default;

  static Stream sparse(std::uint64_t begin, std::uint64_t end, std::vector<Index> indices,
                       std::vector<T> values) {
    return Stream(begin, end, false, std::move(indices), std::move(values));
  }
  static Stream dense(std::uint64_t begin, std::uint64_t end, std::vector<T> values) {
    return Stream(begin, end, true, {}, std::move(values));
  }

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  std::uint64_t length() const { return end_ - begin_; }
  bool is_dense() const { return dense_; }
  std::uint64_t count() const { return values_.size(); }  // elements held: all of a dense range
  std::span<const Index> indices() const { return indices_; }
  std::span<const T> values() const { return values_; }

  // Gives up the arrays.
  std::vector<Index> take_indices() && { return std::move(indices_); }
  std::vector<T> take_values() && { return std::move(values_); }

  static Stream unpack(const Message& message);
  static std::size_t packed_size(std::span<const std::byte> bytes);

 private:
  Stream(std::uint64_t begin, std::uint64_t end, bool dense, std::vector<Index> indices,
         std::vector<T> values)
      : begin_(begin), end_(end), dense_(dense), indices_(std::move(indices)), values_(std::move(values)) {}

  std::uint64_t begin_ = 0, end_ = 0;
  bool dense_ = false;
  std::vector<Index> indices_;
  std::vector<T> values_;
};

namespace stream_detail {

// On the wire: this header, the indices, the values; each part padded to 8 bytes so that values are aligned.
struct Header {
  std::uint32_t format;  // kSparseFormat or kDenseFormat
  std::uint32_t value_bytes;
  std::uint64_t begin, end, count;
};
static_assert(sizeof(Header) == 32);
inline constexpr std::uint32_t kSparseFormat = 0x53505357;
inline constexpr std::uint32_t kDenseFormat = 0x44505357;

constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

inline std::size_t index_bytes(const Header& header) {
  return header.format == kSparseFormat ? padded(header.count * sizeof(Index)) : 0;
}

template <class T>
Header read_header(std::span<const std::byte> bytes) {
  Header header;
  if (bytes.size() < sizeof header) throw std::runtime_error("malformed stream: shorter than its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  const bool known = header.format == kSparseFormat || header.format == kDenseFormat;
  if (!known || header.value_bytes != sizeof(T) || header.end < header.begin ||
      header.count > header.end - header.begin)
    throw std::runtime_error("malformed stream: not a header of " + std::to_string(sizeof(T)) +
                             "-byte values");
  if (bytes.size() < sizeof header + index_bytes(header) + padded(header.count * sizeof(T)))
    throw std::runtime_error("malformed stream: " + std::to_string(header.count) + " elements announced, " +
                             std::to_string(bytes.size()) + " bytes there");
  return header;
}

template <class T>
void add_into(std::vector<T>& dense, std::uint64_t begin, const Stream<T>& sparse) {
  const std::span<const Index> indices = sparse.indices();
  const std::span<const T> values = sparse.values();
  for (std::size_t i = 0; i < indices.size(); ++i) dense[indices[i] - begin] += values[i];
}

template <class T>
Stream<T> merged(const Stream<T>& a, const Stream<T>& b) {
  const Index* ai = a.indices().data();
  const Index* bi = b.indices().data();
  const T* av = a.values().data();
  const T* bv = b.values().data();
  const Index* const a_end = ai + a.count();
  const Index* const b_end = bi + b.count();
  std::vector<Index> indices(a.count() + b.count());
  std::vector<T> values(indices.size());
  Index* index = indices.data();
  T* value = values.data();
  while (ai != a_end && bi != b_end) {
    const Index from_a = *ai, from_b = *bi;
    const bool take_a = from_a <= from_b, take_b = from_b <= from_a;
    *index++ = take_a ? from_a : from_b;
    *value++ = take_a && take_b ? *av + *bv : (take_a ? *av : *bv);
    ai += take_a;
    av += take_a;
    bi += take_b;
    bv += take_b;
  }
  value = std::copy(bv, bv + (b_end - bi), std::copy(av, av + (a_end - ai), value));
  index = std::copy(bi, b_end, std::copy(ai, a_end, index));
  indices.resize(static_cast<std::size_t>(index - indices.data()));
  values.resize(indices.size());
  return Stream<T>::sparse(a.begin(), a.end(), std::move(indices), std::move(values));
}

}  // namespace stream_detail

// The whole vector in the representation that break-even selects.
template <class T>
Stream<T> stream_of(SparseVector<T> vector) {
  require_dimension(vector.dimension);
  Stream<T> sparse =
      Stream<T>::sparse(0, vector.dimension, std::move(vector.indices), std::move(vector.values));
  if (!dense_is_smaller(sparse.count(), sparse.length(), sizeof(T))) return sparse;
  return densified(std::move(sparse)).value;
}

// The non-zeros of a stream. An element that is exactly zero is not part of the result, whatever the
// representation, so that all algorithms agree on what they return.
template <class T>
SparseVector<T> sparse_vector_of(const Stream<T>& stream) {
  if (!stream.is_dense())
    return without_zeros(SparseVector<T>{stream.end(),
                                         {stream.indices().begin(), stream.indices().end()},
                                         {stream.values().begin(), stream.values().end()}});
  SparseVector<T> vector{stream.end(), {}, {}};
  for (std::uint64_t i = 0; i < stream.length(); ++i)
    if (stream.values()[i] != T{0}) {
      vector.indices.push_back(static_cast<Index>(stream.begin() + i));
      vector.values.push_back(stream.values()[i]);
    }
  return vector;
}

template <class T>
Worked<Stream<T>> densified(Stream<T> stream) {
  if (stream.is_dense()) return {std::move(stream), {}};
  std::vector<T> values(stream.length());
  stream_detail::add_into(values, stream.begin(), stream);
  const Work work =
      Work::of(WorkKind::fill, stream.length()) + Work::of(WorkKind::scatter_add, stream.count());
  return {Stream<T>::dense(stream.begin(), stream.end(), std::move(values)), work};
}

// Becomes dense before the size of the union is known, when both together reach break-even: the test is cheap
// and symmetric, so that both partners of an exchange decide alike.
template <class T>
Worked<Stream<T>> sum(Stream<T> a, Stream<T> b) {
  if (a.begin() != b.begin() || a.end() != b.end())
    throw std::invalid_argument("sum of streams over different ranges");
  const std::uint64_t begin = a.begin(), end = a.end();
  if (!a.is_dense() && !b.is_dense()) {
    const std::uint64_t both = a.count() + b.count();
    if (!dense_is_smaller(both, a.length(), sizeof(T)))
      return {stream_detail::merged(a, b), Work::of(WorkKind::merge, both)};
    Worked<Stream<T>> first = densified(std::move(a));
    Worked<Stream<T>> total = sum(std::move(first.value), std::move(b));
    total.work += first.work;
    return total;
  }
  if (a.is_dense() && b.is_dense()) {
    std::vector<T> values = std::move(a).take_values();
    const T* other = b.values().data();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += other[i];
    const Work work = Work::of(WorkKind::dense_add, values.size());
    return {Stream<T>::dense(begin, end, std::move(values)), work};
  }
  if (b.is_dense()) std::swap(a, b);
  const Work work = Work::of(WorkKind::scatter_add, b.count());
  std::vector<T> values = std::move(a).take_values();
  stream_detail::add_into(values, begin, b);
  return {Stream<T>::dense(begin, end, std::move(values)), work};
}

// A sparse slice that reaches its own break-even becomes dense.
template <class T>
Worked<Stream<T>> slice(const Stream<T>& stream, std::uint64_t from, std::uint64_t to) {
  if (from < stream.begin() || to > stream.end() || to < from)
    throw std::invalid_argument("slice outside of its stream");
  if (stream.is_dense()) {
    const T* values = stream.values().data();
    return {Stream<T>::dense(
                from, to, std::vector<T>(values + (from - stream.begin()), values + (to - stream.begin()))),
            {}};
  }
  const auto& indices = stream.indices();
  const auto first = std::lower_bound(indices.begin(), indices.end(), from);
  const auto last = std::lower_bound(first, indices.end(), to);
  const auto offset = first - indices.begin(), count = last - first;
  Stream<T> part = Stream<T>::sparse(
      from, to, {first, last}, {stream.values().begin() + offset, stream.values().begin() + offset + count});
  if (!dense_is_smaller(part.count(), part.length(), sizeof(T))) return {std::move(part), {}};
  return densified(std::move(part));
}

// Dense if the elements held reach break-even, sparse otherwise; a dense part that turns sparse is scanned
// for its non-zeros.
template <class T>
Worked<Stream<T>> concat(std::vector<Stream<T>> parts) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    count += parts[i].count();
    if (i > 0 && parts[i].begin() != parts[i - 1].end())
      throw std::invalid_argument("concatenation of streams that are not adjacent");
  }
  const std::uint64_t begin = parts.front().begin(), end = parts.back().end();
  Work work;
  if (dense_is_smaller(count, end - begin, sizeof(T))) {
    std::vector<T> values(end - begin);
    for (const Stream<T>& part : parts) {
      if (part.is_dense()) {
        std::copy(part.values().begin(), part.values().end(),
                  values.begin() + static_cast<std::ptrdiff_t>(part.begin() - begin));
        continue;
      }
      stream_detail::add_into(values, begin, part);
      work += Work::of(WorkKind::fill, part.length()) + Work::of(WorkKind::scatter_add, part.count());
    }
    return {Stream<T>::dense(begin, end, std::move(values)), work};
  }
  std::vector<Index> indices;
  std::vector<T> values;
  indices.reserve(count);
  values.reserve(count);
  for (const Stream<T>& part : parts) {
    if (part.is_dense()) work += Work::of(WorkKind::scan, part.length());
    const SparseVector<T> extracted = part.is_dense() ? sparse_vector_of(part) : SparseVector<T>{};
    const std::span<const Index> part_indices = part.is_dense() ? extracted.indices : part.indices();
    const std::span<const T> part_values = part.is_dense() ? extracted.values : part.values();
    indices.insert(indices.end(), part_indices.begin(), part_indices.end());
    values.insert(values.end(), part_values.begin(), part_values.end());
  }
  return {Stream<T>::sparse(begin, end, std::move(indices), std::move(values)), work};
}

template <class T>
Message pack(const Stream<T>& stream) {
  using namespace stream_detail;
  const Header header{stream.is_dense() ? kDenseFormat : kSparseFormat, sizeof(T), stream.begin(),
                      stream.end(), stream.count()};
  std::vector<std::byte> bytes(sizeof header + index_bytes(header) + padded(stream.count() * sizeof(T)));
  std::memcpy(bytes.data(), &header, sizeof header);
  if (!stream.indices().empty())
    std::memcpy(bytes.data() + sizeof header, stream.indices().data(), stream.indices().size_bytes());
  if (!stream.values().empty())
    std::memcpy(bytes.data() + sizeof header + index_bytes(header), stream.values().data(),
                stream.values().size_bytes());
  return Message(std::move(bytes));
}

template <class T>
std::size_t Stream<T>::packed_size(std::span<const std::byte> bytes) {
  using namespace stream_detail;
  const Header header = read_header<T>(bytes);
  return sizeof header + index_bytes(header) + padded(header.count * sizeof(T));
}

template <class T>
Stream<T> Stream<T>::unpack(const Message& message) {
  using namespace stream_detail;
  if (message.chunk_count() != 1) throw std::runtime_error("malformed stream: not in one piece");
  const std::span<const std::byte> bytes = message.chunk(0);
  const Header header = read_header<T>(bytes);
  const bool dense = header.format == kDenseFormat;
  if (dense && header.count != header.end - header.begin)
    throw std::runtime_error("malformed stream: dense, but not all elements there");
  std::vector<Index> indices(dense ? 0 : header.count);
  std::vector<T> values(header.count);
  if (!indices.empty())
    std::memcpy(indices.data(), bytes.data() + sizeof header, indices.size() * sizeof(Index));
  if (!values.empty())
    std::memcpy(values.data(), bytes.data() + sizeof header + index_bytes(header), values.size() * sizeof(T));
  return Stream(header.begin, header.end, dense, std::move(indices), std::move(values));
}

}  // namespace sparsewire
