// Iterations of a lossy allreduce on one cell's inputs in any world.
#pragma once

#include "algorithms/lossy/table.hpp"
#include "experiments/measure.hpp"

namespace sparsewire {

// Every rank's gradient is its vector, the same in each iteration; the method is to send as many elements as
// the vectors have non-zeros, by the mean over ranks, times its parameter `keep`. Times and counters are
// those of one iteration, the mean over all. Checked are the ranks' agreement in every iteration and, where
// the method promises it, that the sums and the residuals add up to the gradients; the relative error is |s -
// i g| / |i g| for the sum s of the results of all i iterations and the true sum g of the gradients.
template <class T>
Trial run_lossy_trial(World& world, const LossyAllreduce<T>& method, const Inputs<T>& inputs,
                      std::uint64_t seed);

// Throws std::invalid_argument unless the method can do what is asked for.
template <class T>
void require_plain(const std::string& method, std::string_view codec, const Inputs<T>& inputs) {
  if (!std::floating_point<T> || codec != name_of(Codec::pairs) || inputs.quantisation.bits > 0)
    throw std::invalid_argument(method + " sends pairs of fp32 or fp64 only, not codecs or other precisions");
}

}  // namespace sparsewire
