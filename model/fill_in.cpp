#include "model/fill_in.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace sparsewire {

std::vector<double> uniform_union_sizes(std::uint64_t dimension, double count, Rank ranks) {
  const double length = static_cast<double>(dimension);
  if (ranks < 1) throw std::invalid_argument(std::to_string(ranks) + " ranks, expected at least 1");
  if (!(count >= 0 && count <= length))
    throw std::invalid_argument(std::to_string(count) + " non-zeros, expected 0 to the dimension, " +
                                std::to_string(dimension));
  std::vector<double> sizes(static_cast<std::size_t>(ranks), 0.0);
  if (count == 0) return sizes;
  const double log_miss = std::log1p(-count / length);  // of an index missed by one rank; -inf if none is
  for (std::size_t j = 0; j < sizes.size(); ++j)
    sizes[j] = -length * std::expm1(static_cast<double>(j + 1) * log_miss);
  return sizes;
}

}  // namespace sparsewire
