// What threshold estimators know of a vector.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace sparsewire {

// Of the magnitudes of the finite non-zero values that are above `floor`.
struct Moments {
  std::uint64_t count = 0;
  double mean = 0, mean_square = 0;
  double variance() const { return mean_square > mean * mean ? mean_square - mean * mean : 0; }
};

template <class T>
Moments moments_of(std::span<const T> values, double floor = 0) {
  Moments moments;
  for (const T value : values) {
    const double magnitude = std::abs(static_cast<double>(value));
    if (!(magnitude > floor) || std::isinf(magnitude)) continue;
    ++moments.count;
    moments.mean += magnitude;
    moments.mean_square += magnitude * magnitude;
  }
  if (moments.count == 0) return moments;
  moments.mean /= static_cast<double>(moments.count);
  moments.mean_square /= static_cast<double>(moments.count);
  return moments;
}

// An estimated threshold, and how often the values were read to find it.
struct Threshold {
  double value = 0;
  std::uint64_t passes = 1;
};

}  // namespace sparsewire
