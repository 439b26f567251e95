// Streams as blocks in one of the codecs, and back: pure functions, exact to the bit.
//
// Elements that a stream holds sparse stay elements, explicit zeros included. Of a dense range those are left
// out that have the very bits of the operator's identity (+0 for the sum; -0 is kept), and come back as such.
// What was held sparse becomes sparse again and what was held dense dense, so that sender and receiver go on
// from the same bits.
#pragma once

#include <algorithm>
#include <limits>

#include "algorithms/codec/block.hpp"
#include "algorithms/payload/stream.hpp"

namespace sparsewire {

namespace codec {

// Tells apart what values a block has: by their bytes, and those of bfloat16 by having less than half's
// digits.
template <class T>
constexpr std::uint8_t value_kind_of() {
  return sizeof(T) == 2 && std::numeric_limits<T>::digits < 11 ? 1 : sizeof(T);
}

template <class T, class Op>
bool is_fill(T value) {
  return float_bits(value) == float_bits(Op::template identity<T>());
}

// The elements of a stream as the codecs see them. `stream` must outlive it.
template <class T, class Op>
class View {
 public:
  // Without the indices of a dense range if they are not needed.
  View(const Stream<T, Op>& stream, bool with_indices) : stream_(stream) {
    if (stream.is_dense() && with_indices) find_elements();
    shape_ = {stream.begin(), stream.end(), stream.is_dense(), sizeof(T), stream.indices(), 0};
    if (stream.is_dense())
      shape_.indices = found_;
    else
      shape_.fills = static_cast<std::uint64_t>(
          std::count_if(stream.values().begin(), stream.values().end(), is_fill<T, Op>));
  }

  View(const View&) = delete;
  View& operator=(const View&) = delete;

  const Shape& shape() const { return shape_; }

  // The values of the elements.
  std::vector<T> values() const {
    const std::span<const T> held = stream_.values();
    if (!stream_.is_dense()) return {held.begin(), held.end()};
    std::vector<T> values(found_.size());
    std::transform(found_.begin(), found_.end(), values.begin(),
                   [&](Index index) { return held[index - stream_.begin()]; });
    return values;
  }

  // The values at some indices in rising order; the fill where there is no element.
  std::vector<T> values_at(std::span<const Index> positions) const {
    std::vector<T> values;
    std::size_t next = 0;
    for (const Index position : positions) {
      while (next < shape_.indices.size() && shape_.indices[next] < position) ++next;
      const bool is_element = next < shape_.indices.size() && shape_.indices[next] == position;
      values.push_back(!is_element          ? Op::template identity<T>()
                       : stream_.is_dense() ? stream_.values()[position - stream_.begin()]
                                            : stream_.values()[next]);
    }
    return values;
  }

  // The values of the whole range.
  std::vector<T> all_values() const {
    const std::span<const T> held = stream_.values();
    if (stream_.is_dense()) return {held.begin(), held.end()};
    std::vector<T> values(stream_.length(), Op::template identity<T>());
    for (std::size_t i = 0; i < held.size(); ++i) values[stream_.indices()[i] - stream_.begin()] = held[i];
    return values;
  }

  // Indices of elements that are fill.
  std::vector<Index> fills() const {
    std::vector<Index> indices;
    for (std::size_t i = 0; i < stream_.indices().size(); ++i)
      if (is_fill<T, Op>(stream_.values()[i])) indices.push_back(stream_.indices()[i]);
    return indices;
  }

 private:
  void find_elements() {
    for (std::uint64_t i = 0; i < stream_.length(); ++i)
      if (!is_fill<T, Op>(stream_.values()[i])) found_.push_back(static_cast<Index>(stream_.begin() + i));
  }

  const Stream<T, Op>& stream_;
  std::vector<Index> found_;
  Shape shape_;
};

template <class T, class Op>
View<T, Op> viewed(Codec wanted, const Stream<T, Op>& stream) {
  return View<T, Op>(stream, wanted != Codec::pairs && wanted != Codec::dense);
}

// The values of a block, at `positions`, as a dense range.
template <class T, class Op>
Stream<T, Op> dense_from(const BlockHeader& header, std::span<const T> values,
                         std::span<const Index> positions) {
  StreamDraft<T, Op> draft = StreamDraft<T, Op>::dense(header.begin, header.end);
  std::fill_n(draft.values(), header.end - header.begin, Op::template identity<T>());
  for (std::size_t i = 0; i < positions.size(); ++i) draft.values()[positions[i] - header.begin] = values[i];
  return Stream<T, Op>::unpack(std::move(draft).finish(header.end - header.begin));
}

// The same as a sparse stream, without values that are fill except at the `listed` indices.
template <class T, class Op, class IndexOf>
Stream<T, Op> sparse_without_fill(const BlockHeader& header, std::span<const T> values,
                                  const IndexOf& index_of, std::span<const Index> listed) {
  std::vector<Index> indices;
  std::vector<T> kept;
  auto next = listed.begin();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Index index = index_of(i);
    const bool is_listed = next != listed.end() && *next == index;
    if (is_fill<T, Op>(values[i]) != is_listed) {
      if (is_listed) malformed("a listed element that has a value");
      continue;
    }
    if (is_listed) ++next;
    indices.push_back(index);
    kept.push_back(values[i]);
  }
  if (next != listed.end()) malformed("a listed element without a value");
  if (indices.size() != header.count)
    malformed(std::to_string(indices.size()) + " elements, " + std::to_string(header.count) + " announced");
  return Stream<T, Op>::sparse(header.begin, header.end, indices, kept);
}

}  // namespace codec

// The codec that a stream travels in if `wanted` is asked for, and its block's bytes, known before it is
// written: those of `wanted`, or of the dense range where that is smaller. Pairs are as the stream is held.
struct Encoding {
  Codec codec = Codec::pairs;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;  // elements that are written
};
template <class T, class Op>
Encoding encoding_of(Codec wanted, const Stream<T, Op>& stream) {
  const codec::View<T, Op> view = codec::viewed(wanted, stream);
  const Codec used = codec::chosen(wanted, view.shape());
  return {used, codec::block_bytes(used, view.shape()), view.shape().indices.size()};
}

template <class T, class Op>
std::uint64_t encoded_bytes(Codec wanted, const Stream<T, Op>& stream) {
  return encoding_of(wanted, stream).bytes;
}

// The stream as one block of encoded_bytes().
template <class T, class Op>
Message encode(Codec wanted, const Stream<T, Op>& stream) {
  const codec::View<T, Op> view = codec::viewed(wanted, stream);
  const codec::Shape& shape = view.shape();
  codec::BlockHeader header;
  header.codec = static_cast<std::uint8_t>(codec::chosen(wanted, shape));
  header.wanted = static_cast<std::uint8_t>(wanted);
  header.held_dense = stream.is_dense() ? 1 : 0;
  header.value_kind = codec::value_kind_of<T>();
  header.operation = Op::kCode;
  header.begin = stream.begin(), header.end = stream.end();
  header.count = shape.indices.size();
  codec::Draft draft = codec::draft_block(header, shape);
  const codec::Layout& layout = draft.layout;
  const std::vector<T> values = header.codec == static_cast<std::uint8_t>(Codec::bloom)
                                    ? view.values_at(draft.positives)
                                : header.codec == static_cast<std::uint8_t>(Codec::dense) ? view.all_values()
                                                                                          : view.values();
  if (!values.empty())
    std::memcpy(draft.bytes.data() + layout.value_at, values.data(), values.size() * sizeof(T));
  if (layout.listed > 0)
    std::memcpy(draft.bytes.data() + layout.listed_at, view.fills().data(), layout.listed * sizeof(Index));
  return Message(std::move(draft.bytes));
}

// A stream that was read, and what it had travelled in.
template <class T, class Op>
struct Decoded {
  Stream<T, Op> stream;
  Codec wanted = Codec::pairs, used = Codec::pairs;
  std::uint64_t count = 0;  // elements that were written
};

// Bytes of the block at the front of `bytes`. Throws std::runtime_error, saying what is wrong.
template <class T, class Op = Plus>
std::size_t encoded_size(std::span<const std::byte> bytes) {
  return codec::find_block(bytes, codec::value_kind_of<T>(), sizeof(T), Op::kCode).layout.size;
}

// The inverse of encode(), of exactly one block. Throws std::runtime_error, saying what is wrong, if it is
// cut off, damaged where that shows, or of other values or another operator; never reads past its end.
template <class T, class Op = Plus>
Decoded<T, Op> decode(const Message& message) {
  if (message.chunk_count() != 1) codec::malformed("not in one piece");
  const std::span<const std::byte> bytes = message.chunk(0);
  const codec::Found found = codec::find_block(bytes, codec::value_kind_of<T>(), sizeof(T), Op::kCode);
  if (found.layout.size != bytes.size()) codec::malformed("bytes left over");
  const codec::BlockHeader& header = found.header;
  const auto used = static_cast<Codec>(header.codec);
  std::vector<T> copy(found.layout.value_count);
  if (!copy.empty()) std::memcpy(copy.data(), bytes.data() + found.layout.value_at, copy.size() * sizeof(T));
  const std::span<const T> values(copy);
  const auto as = [&](Stream<T, Op> stream) {
    return Decoded<T, Op>{std::move(stream), static_cast<Codec>(header.wanted), used, header.count};
  };
  if (used == Codec::dense) {
    if (header.held_dense != 0) return as(Stream<T, Op>::dense(header.begin, header.end, values));
    const auto index_of = [&](std::size_t i) { return static_cast<Index>(header.begin + i); };
    return as(codec::sparse_without_fill<T, Op>(header, values, index_of, codec::read_listed(bytes, found)));
  }
  const std::vector<Index> positions = codec::read_positions(bytes, found);
  if (header.held_dense != 0) return as(codec::dense_from<T, Op>(header, values, positions));
  if (used != Codec::bloom) return as(Stream<T, Op>::sparse(header.begin, header.end, positions, values));
  const auto index_of = [&](std::size_t i) { return positions[i]; };
  return as(codec::sparse_without_fill<T, Op>(header, values, index_of, codec::read_listed(bytes, found)));
}

}  // namespace sparsewire
