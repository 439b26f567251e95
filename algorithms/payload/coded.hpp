// A stream that travels in a codec of choice.
#pragma once

#include "algorithms/codec/codec.hpp"
#include "algorithms/codec/quantised.hpp"
#include "algorithms/payload/stream_deal.hpp"
#include "algorithms/payload/summable.hpp"

namespace sparsewire {

// A stream in memory, reduced as such, and how it is sent: every algorithm runs with every codec. In pairs it
// travels as the plain stream does. With a quantisation (of sums of float only), the dense part of a result
// is rounded where its only owner packs it for all ranks, once; whatever else is sent stays exact, and so are
// the results of algorithms that have no such part. All ranks ask for the same codec and quantisation, up to
// its seed. What encoding and decoding take is charged by model/codec.hpp.
template <class T, class Op = Plus>
class Coded {
 public:
  Coded() = default;
  Coded(Stream<T, Op> stream, const Coding& coding) : stream_(std::move(stream)), coding_(coding) {}

  // Throws std::runtime_error if the message is not exactly one packed value of T for Op.
  static Coded unpack(const Message& message);
  static std::size_t packed_size(std::span<const std::byte> bytes);

  std::uint64_t begin() const { return stream_.begin(); }
  std::uint64_t end() const { return stream_.end(); }
  const Stream<T, Op>& stream() const& { return stream_; }
  Stream<T, Op> stream() && { return std::move(stream_); }
  // Of what was received only the codec is known, which its sender asked for.
  const Coding& coding() const { return coding_; }
  // Of decoding it; none if it was not received.
  const Work& arrival_work() const { return arrival_work_; }

 private:
  Coded(Stream<T, Op> stream, Codec codec, const Work& work)
      : stream_(std::move(stream)), coding_{codec, {}}, arrival_work_(work) {}

  Stream<T, Op> stream_;
  Coding coding_;
  Work arrival_work_;
};

namespace coded_detail {

inline bool is_plain_stream(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(std::uint32_t)) return false;
  const auto format = codec::load<std::uint32_t>(bytes, 0);
  return format == kSparseFormat || format == kDenseFormat;
}

// Whether values of this kind can be rounded.
template <class T, class Op>
inline constexpr bool kQuantisable = std::is_same_v<T, float>&& std::is_same_v<Op, Plus>;

inline Coding known(const Coding& a, const Coding& b) {
  return a.quantisation.bits > 0 ? a : b;
}

template <class T, class Op>
Worked<Coded<T, Op>> coded(Worked<Stream<T, Op>> worked, const Coding& coding) {
  return {Coded<T, Op>(std::move(worked.value), coding), worked.work};
}

template <class T, class Op>
bool is_rounded(const Coded<T, Op>& value) {
  if constexpr (kQuantisable<T, Op>)
    return value.coding().quantisation.bits > 0 && can_be_quantised(value.stream());
  return false;
}

}  // namespace coded_detail

template <class T, class Op>
Coded<T, Op> Coded<T, Op>::unpack(const Message& message) {
  const std::span<const std::byte> bytes =
      message.chunk_count() > 0 ? message.chunk(0) : std::span<const std::byte>();
  if (coded_detail::is_plain_stream(bytes)) return {Stream<T, Op>::unpack(message), Codec::pairs, {}};
  if constexpr (coded_detail::kQuantisable<T, Op>)
    if (is_quantised(bytes)) {
      Stream<T, Op> stream = decode_quantised(message);
      const Work work = dequantise_work(stream.length());
      return {std::move(stream), Codec::pairs, work};
    }
  Decoded<T, Op> decoded = decode<T, Op>(message);
  const Work work =
      decode_work(decoded.used, decoded.count, decoded.stream.length(), decoded.stream.is_dense());
  return {std::move(decoded.stream), decoded.wanted, work};
}

template <class T, class Op>
std::size_t Coded<T, Op>::packed_size(std::span<const std::byte> bytes) {
  if (coded_detail::is_plain_stream(bytes)) return Stream<T, Op>::packed_size(bytes);
  if constexpr (coded_detail::kQuantisable<T, Op>)
    if (is_quantised(bytes)) return quantised_size(bytes);
  return encoded_size<T, Op>(bytes);
}

template <class T, class Op>
Worked<Coded<T, Op>> sum(Coded<T, Op> a, Coded<T, Op> b) {
  const Coding coding = coded_detail::known(a.coding(), b.coding());
  return coded_detail::coded(sum(std::move(a).stream(), std::move(b).stream()), coding);
}

template <class T, class Op>
Worked<Coded<T, Op>> slice(const Coded<T, Op>& value, std::uint64_t from, std::uint64_t to) {
  return coded_detail::coded(slice(value.stream(), from, to), value.coding());
}

template <class T, class Op>
Worked<Coded<T, Op>> concat(const std::vector<Coded<T, Op>>& parts) {
  std::vector<Stream<T, Op>> streams;
  Coding coding = parts.front().coding();
  for (const Coded<T, Op>& part : parts) {
    streams.push_back(part.stream());
    coding = coded_detail::known(coding, part.coding());
  }
  return coded_detail::coded(concat(streams), coding);
}

template <class T, class Op>
Worked<Coded<T, Op>> densified(Coded<T, Op> value) {
  const Coding coding = value.coding();
  return coded_detail::coded(densified(std::move(value).stream()), coding);
}

template <class T, class Op>
Worked<std::vector<Index>> support(const Coded<T, Op>& value) {
  return support(value.stream());
}

template <class T, class Op>
Coded<T, Op> blank(const Coded<T, Op>& value, std::uint64_t from, std::uint64_t to) {
  return {blank(value.stream(), from, to), value.coding()};
}

template <class T, class Op>
Worked<std::vector<Coded<T, Op>>> dealt(const Coded<T, Op>& value, const HashDeal& deal) {
  Worked<std::vector<Stream<T, Op>>> streams = dealt(value.stream(), deal);
  std::vector<Coded<T, Op>> shares;
  for (Stream<T, Op>& stream : streams.value) shares.emplace_back(std::move(stream), value.coding());
  return {std::move(shares), streams.work};
}

template <class T, class Op>
Worked<Coded<T, Op>> undealt(const std::vector<Coded<T, Op>>& shares, const HashDeal& deal) {
  std::vector<Stream<T, Op>> streams;
  Coding coding = shares.front().coding();
  for (const Coded<T, Op>& share : shares) {
    streams.push_back(share.stream());
    coding = coded_detail::known(coding, share.coding());
  }
  return coded_detail::coded(undealt(streams, deal), coding);
}

template <class T, class Op>
Coded<T, Op> unrounded(Coded<T, Op> value) {
  const Codec codec = value.coding().codec;
  return {std::move(value).stream(), {codec, {}}};
}

template <class T, class Op>
Coded<T, Op> rounded_like(Coded<T, Op> value, const Coded<T, Op>& like) {
  return {std::move(value).stream(), like.coding()};
}

template <class T, class Op>
Message pack(const Coded<T, Op>& value) {
  return value.coding().codec == Codec::pairs ? pack(value.stream())
                                              : encode(value.coding().codec, value.stream());
}

template <class T, class Op>
Message pack_result(const Coded<T, Op>& value) {
  if constexpr (coded_detail::kQuantisable<T, Op>)
    if (coded_detail::is_rounded(value)) return encode_quantised(value.stream(), value.coding().quantisation);
  return pack(value);
}

template <class T, class Op>
Work pack_work(const Coded<T, Op>& value) {
  const Codec codec = value.coding().codec;
  if (codec == Codec::pairs) return {};
  const Encoding encoding = encoding_of(codec, value.stream());
  return encode_work(codec, encoding.codec, encoding.count, value.stream().length(),
                     value.stream().is_dense());
}

template <class T, class Op>
Work pack_result_work(const Coded<T, Op>& value) {
  return coded_detail::is_rounded(value) ? quantise_work(value.stream().length()) : pack_work(value);
}

template <class T, class Op>
Work unpack_work(const Coded<T, Op>& value) {
  return value.arrival_work();
}

}  // namespace sparsewire
