// Fill-in: how many indices have a value once the vectors of several ranks are added.
#pragma once

#include <cstdint>
#include <vector>

#include "model/units.hpp"

namespace sparsewire {

// Mean number of distinct indices among 1, 2, ..., `ranks` ranks (element j-1: of j ranks), each with `count`
// of `dimension` indices chosen uniformly and independently: N (1 - (1 - k/N)^j), by linearity of
// expectation. Throws std::invalid_argument if count > dimension or ranks < 1.
std::vector<double> uniform_union_sizes(std::uint64_t dimension, double count, Rank ranks);

}  // namespace sparsewire
