// The precisions of an experiment: the type of the values, and whether the dense parts of results are
// rounded.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/payload/half.hpp"

namespace sparsewire {

//   fp64, fp32, fp16, bf16  values of these types; sums are rounded in them
//   qsgd8, qsgd4, qsgd2     fp32, and the dense parts of results rounded to so many bits
//   (algorithms/codec/quantised.hpp)
inline const std::vector<std::string> kPrecisions = {"fp32",  "fp64",  "fp16", "bf16",
                                                     "qsgd8", "qsgd4", "qsgd2"};

// Bits that dense parts of results are rounded to; 0 if they are not.
inline std::uint64_t quantised_bits(std::string_view precision) {
  return precision.starts_with("qsgd") ? static_cast<std::uint64_t>(precision.back() - '0') : 0;
}

// `visit(value)` with a value of the precision's type. Throws std::invalid_argument for an unknown one.
template <class Visit>
auto with_value_of(std::string_view precision, const Visit& visit) {
  if (precision == "fp32" || quantised_bits(precision) > 0) return visit(float{});
  if (precision == "fp64") return visit(double{});
  if (precision == "fp16") return visit(Half{});
  if (precision == "bf16") return visit(Bfloat16{});
  throw std::invalid_argument("no precision is called \"" + std::string(precision) + "\"");
}

}  // namespace sparsewire
