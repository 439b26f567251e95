// The thresholds of SIDCo: magnitudes are taken to follow a sparsity-inducing distribution, fitted in stages
// (Abdelmoniem, Elzanaty, Alouini, Canini 2021, arXiv:2101.10761).
#pragma once

#include "algorithms/lossy/select/gaussian.hpp"

namespace sparsewire {

// Each stage fits an exponential distribution to the magnitudes that the stage before has left, and keeps the
// first time a quarter of them, then equal shares until `count` are expected to be left. One stage is the
// plain fit. Of the finite non-zero values; 0 where there are not more of them than `count`.
template <class T>
Threshold exponential_threshold(std::span<const T> values, std::uint64_t count, unsigned stages) {
  constexpr double kFirstShare = 0.25;
  Moments moments = moments_of(values);
  if (moments.count <= count || count == 0) return {};
  const double share = static_cast<double>(count) / static_cast<double>(moments.count);
  const bool in_stages = stages > 1 && share < kFirstShare;
  Threshold threshold{-moments.mean * std::log(in_stages ? kFirstShare : share), 1};
  if (!in_stages) return threshold;
  const double stage_share = std::pow(share / kFirstShare, 1.0 / (stages - 1));
  for (unsigned stage = 1; stage < stages; ++stage) {
    moments = moments_of(values, threshold.value);
    ++threshold.passes;
    if (moments.count == 0) break;
    threshold.value -= (moments.mean - threshold.value) * std::log(stage_share);
  }
  return threshold;
}

// One fit of a generalised Pareto distribution by its moments; falls back to the exponential where the
// magnitudes do not vary.
template <class T>
Threshold pareto_threshold(std::span<const T> values, std::uint64_t count) {
  const Moments moments = moments_of(values);
  if (moments.count <= count || count == 0) return {};
  const double log_share = std::log(static_cast<double>(count) / static_cast<double>(moments.count));
  const double ratio = moments.mean * moments.mean / moments.variance();
  const double shape = 0.5 * (1 - ratio), scale = 0.5 * moments.mean * (ratio + 1);
  if (!std::isfinite(shape) || std::abs(shape) < 1e-9) return {-moments.mean * log_share, 1};
  return {scale / shape * std::expm1(-shape * log_share), 1};
}

}  // namespace sparsewire
