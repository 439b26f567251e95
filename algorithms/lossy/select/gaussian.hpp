// The threshold of Gaussiank: values are taken to be normal (Shi, Chu, Cheung, See 2019, arXiv:1911.08772).
#pragma once

#include <boost/math/special_functions/erf.hpp>

#include "algorithms/lossy/select/moments.hpp"
#include "algorithms/lossy/select/top_k.hpp"

namespace sparsewire {

// A threshold that about `count` magnitudes reach: the quantile of a normal distribution around zero that is
// fitted to the finite non-zero values, then up to 20 corrections by 2 % until between 3/4 and 5/4 of `count`
// do. 0 where there are not more non-zeros than `count`.
template <class T>
Threshold gaussian_threshold(std::span<const T> values, std::uint64_t count) {
  constexpr int kCorrections = 20;
  constexpr double kStep = 1.02;
  const Moments moments = moments_of(values);
  if (moments.count <= count || count == 0) return {};
  const double share = static_cast<double>(count) / static_cast<double>(moments.count);
  Threshold threshold{std::sqrt(2 * moments.mean_square) * boost::math::erfc_inv(share), 1};
  for (int i = 0; i < kCorrections; ++i) {
    const std::uint64_t found = at_least(values, static_cast<T>(threshold.value)).size();
    ++threshold.passes;
    if (4 * found >= 3 * count && 4 * found <= 5 * count) break;
    threshold.value = found < count ? threshold.value / kStep : threshold.value * kStep;
  }
  return threshold;
}

}  // namespace sparsewire
