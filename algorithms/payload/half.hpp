// Values of 16 bits: IEEE 754 half precision and bfloat16. Each addition is done in fp32 and rounded to the
// nearest value of the type, ties to even: a sum of P values is off by at most (P-1) epsilon/2 of the sum of
// their magnitudes, epsilon 2^-10 for Half and 2^-7 for Bfloat16. Half ends at 65504, beyond is infinity. Who
// uses this header has Eigen (libeigen3-dev); nothing else here needs it.
#pragma once

#include <Eigen/Core>

#include "algorithms/payload/stream.hpp"

namespace sparsewire {

using Half = Eigen::half;
using Bfloat16 = Eigen::bfloat16;

template <>
inline constexpr bool kIsValue<Half> = true;
template <>
inline constexpr bool kIsValue<Bfloat16> = true;

}  // namespace sparsewire
