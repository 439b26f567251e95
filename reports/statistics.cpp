#include "reports/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace sparsewire {
namespace {

constexpr double kOutsideEachTail = 0.025;

std::vector<double> sorted(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("statistics of no samples");
  if (std::ranges::any_of(samples, [](double x) { return std::isnan(x); })) {
    throw std::invalid_argument("statistics of samples with a NaN");
  }
  std::vector<double> result(samples.begin(), samples.end());
  std::ranges::sort(result);
  return result;
}

// P(Binomial(n, 1/2) = k), through logarithms as 2^-n underflows from n = 1075.
double binomial_half(std::size_t n, std::size_t k) {
  const auto trials = static_cast<double>(n), successes = static_cast<double>(k);
  return std::exp(std::lgamma(trials + 1) - std::lgamma(successes + 1) - std::lgamma(trials - successes + 1) -
                  trials * std::log(2.0));
}

// The largest j with P(Binomial(n, 1/2) < j) <= 2.5 %; 0 when there is none above.
std::size_t lower_rank(std::size_t n) {
  std::size_t rank = 0;
  double below = binomial_half(n, 0);
  while (below <= kOutsideEachTail) {
    ++rank;
    below += binomial_half(n, rank);
  }
  return rank;
}

}  // namespace

double median(std::span<const double> samples) {
  const std::vector<double> ordered = sorted(samples);
  const std::size_t middle = ordered.size() / 2;
  if (ordered.size() % 2 == 1) return ordered[middle];
  return std::midpoint(ordered[middle - 1], ordered[middle]);
}

std::optional<std::array<double, 2>> median_confidence(std::span<const double> samples) {
  const std::vector<double> ordered = sorted(samples);
  const std::size_t rank = lower_rank(ordered.size());
  if (rank == 0) return std::nullopt;
  return std::array{ordered[rank - 1], ordered[ordered.size() - rank]};
}

double relative_error(std::span<const double> found, std::span<const double> expected) {
  double errors = 0, squares = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = found[i] - expected[i];
    errors += error * error;
    squares += expected[i] * expected[i];
  }
  return squares > 0 ? std::sqrt(errors / squares) : std::sqrt(errors);
}

}  // namespace sparsewire
