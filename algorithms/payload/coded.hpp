// A stream that travels in a codec of choice.
#pragma once

#include "algorithms/codec/codec.hpp"
#include "algorithms/payload/stream_deal.hpp"
#include "algorithms/payload/summable.hpp"

namespace sparsewire {

// A stream in memory, reduced as such, and the codec that it is sent in: every algorithm runs with every
// codec. All ranks ask for the same one. What encoding and decoding take is charged by model/codec.hpp.
template <class T, class Op = Plus>
class Coded {
 public:
  Coded() = default;
  Coded(Stream<T, Op> stream, Codec codec) : stream_(std::move(stream)), codec_(codec) {}

  // Throws std::runtime_error if the message is not exactly one block of T for Op.
  static Coded unpack(const Message& message) {
    Decoded<T, Op> decoded = decode<T, Op>(message);
    Coded coded(std::move(decoded.stream), decoded.wanted);
    coded.arrival_work_ =
        decode_work(decoded.used, decoded.count, coded.stream_.length(), coded.stream_.is_dense());
    return coded;
  }
  static std::size_t packed_size(std::span<const std::byte> bytes) { return encoded_size<T, Op>(bytes); }

  std::uint64_t begin() const { return stream_.begin(); }
  std::uint64_t end() const { return stream_.end(); }
  const Stream<T, Op>& stream() const& { return stream_; }
  Stream<T, Op> stream() && { return std::move(stream_); }
  Codec codec() const { return codec_; }
  const Work& arrival_work() const { return arrival_work_; }  // of decoding it; none if it was not received

 private:
  Stream<T, Op> stream_;
  Codec codec_ = Codec::pairs;
  Work arrival_work_;
};

namespace coded_detail {

template <class T, class Op>
Worked<Coded<T, Op>> coded(Worked<Stream<T, Op>> worked, Codec codec) {
  return {Coded<T, Op>(std::move(worked.value), codec), worked.work};
}

}  // namespace coded_detail

template <class T, class Op>
Worked<Coded<T, Op>> sum(Coded<T, Op> a, Coded<T, Op> b) {
  const Codec codec = a.codec();
  return coded_detail::coded(sum(std::move(a).stream(), std::move(b).stream()), codec);
}

template <class T, class Op>
Worked<Coded<T, Op>> slice(const Coded<T, Op>& value, std::uint64_t from, std::uint64_t to) {
  return coded_detail::coded(slice(value.stream(), from, to), value.codec());
}

template <class T, class Op>
Worked<Coded<T, Op>> concat(const std::vector<Coded<T, Op>>& parts) {
  std::vector<Stream<T, Op>> streams;
  for (const Coded<T, Op>& part : parts) streams.push_back(part.stream());
  return coded_detail::coded(concat(streams), parts.front().codec());
}

template <class T, class Op>
Worked<Coded<T, Op>> densified(Coded<T, Op> value) {
  const Codec codec = value.codec();
  return coded_detail::coded(densified(std::move(value).stream()), codec);
}

template <class T, class Op>
Worked<std::vector<Index>> support(const Coded<T, Op>& value) {
  return support(value.stream());
}

template <class T, class Op>
Coded<T, Op> blank(const Coded<T, Op>& value, std::uint64_t from, std::uint64_t to) {
  return {blank(value.stream(), from, to), value.codec()};
}

template <class T, class Op>
Worked<std::vector<Coded<T, Op>>> dealt(const Coded<T, Op>& value, const HashDeal& deal) {
  Worked<std::vector<Stream<T, Op>>> streams = dealt(value.stream(), deal);
  std::vector<Coded<T, Op>> shares;
  for (Stream<T, Op>& stream : streams.value) shares.emplace_back(std::move(stream), value.codec());
  return {std::move(shares), streams.work};
}

template <class T, class Op>
Worked<Coded<T, Op>> undealt(const std::vector<Coded<T, Op>>& shares, const HashDeal& deal) {
  std::vector<Stream<T, Op>> streams;
  for (const Coded<T, Op>& share : shares) streams.push_back(share.stream());
  return coded_detail::coded(undealt(streams, deal), shares.front().codec());
}

template <class T, class Op>
Message pack(const Coded<T, Op>& value) {
  return encode(value.codec(), value.stream());
}

template <class T, class Op>
Work pack_work(const Coded<T, Op>& value) {
  const Stream<T, Op>& stream = value.stream();
  if (value.codec() == Codec::pairs) return {};
  const Encoding encoding = encoding_of(value.codec(), stream);
  return encode_work(value.codec(), encoding.codec, encoding.count, stream.length(), stream.is_dense());
}

template <class T, class Op>
Work unpack_work(const Coded<T, Op>& value) {
  return value.arrival_work();
}

}  // namespace sparsewire
