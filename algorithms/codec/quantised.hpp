// Dense ranges of fp32 values rounded to a few bits (QSGD: Alistarh, Grubic, Li, Tomioka, Vojnovic 2017,
// arXiv:1610.02132; in a sparse allreduce: Renggli et al. 2019, doi:10.1145/3295500.3356222).
//
// A bucket of consecutive values shares one fp32 scale, its largest magnitude. A value is a sign and a level
// of 0 to s = 2^(bits-1) - 1 and stands for level * scale / s. Its magnitude is rounded up or down to a level
// with the probabilities that make its expectation the value itself; zeros stay zeros, so that the error is
// below scale / s. Values that are not finite cannot be rounded: a range that has one is sent as it is.
#pragma once

#include "algorithms/payload/stream.hpp"
#include "model/codec.hpp"

namespace sparsewire {

// Whether encode_quantised() can round the stream: it is dense and all of it is finite.
bool can_be_quantised(const Stream<float>& stream);

// The stream rounded, as one block of quantised_bytes(). The same for the same seed and range. `bits` is 2, 4
// or 8 and `bucket` at least 1; can_be_quantised(stream).
Message encode_quantised(const Stream<float>& stream, const Quantisation& quantisation);

// Whether a block is of encode_quantised(), by its first bytes.
bool is_quantised(std::span<const std::byte> bytes);

// Bytes of the block at the front of `bytes`, and the dense stream that it stands for. Throw
// std::runtime_error, saying what is wrong, for what is no such block, cut off or damaged where that shows.
std::size_t quantised_size(std::span<const std::byte> bytes);
Stream<float> decode_quantised(const Message& message);

}  // namespace sparsewire
