// Statistics of repeated timings, and how far results are off: pure functions.
#pragma once

#include <array>
#include <optional>
#include <span>

namespace sparsewire {

// The median of `samples` in any order; the mean of the two middle ones when their number is even.
// Throws std::invalid_argument when there are none or one is NaN.
double median(std::span<const double> samples);

// The nonparametric confidence interval of the median at 95 % or more: the order statistics [x(j), x(n+1-j)]
// with the largest j for which a Binomial(n, 1/2) variable falls in [j, n-j] with probability >= 0.95. It
// supposes independent samples and no distribution. Fewer than 6 samples give nullopt, as no such j exists.
// Throws std::invalid_argument when there are no samples or one is NaN.
// Source: J.-Y. Le Boudec, Performance Evaluation of Computer and Communication Systems, EPFL Press 2010,
// theorem 2.1; recommended for timings by Hoefler and Belli, SC15, doi:10.1145/2807591.2807644.
std::optional<std::array<double, 2>> median_confidence(std::span<const double> samples);

// |found - expected| / |expected| in the Euclidean norm, over the elements of `expected`, of which `found`
// has as many or more; |found| where the expected are all zero.
double relative_error(std::span<const double> found, std::span<const double> expected);

}  // namespace sparsewire
