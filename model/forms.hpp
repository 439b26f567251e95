// The families of closed forms. Each returns no form for a name that is not its own.
#pragma once

#include <optional>

#include "model/algorithm_spec.hpp"
#include "model/representative.hpp"

namespace sparsewire {

std::optional<Terms> classic_form(const AlgorithmSpec& algorithm, const Representative& start);
std::optional<Terms> lossless_form(const AlgorithmSpec& algorithm, const Representative& start);
std::optional<Terms> collective_form(const AlgorithmSpec& algorithm, const Representative& start);
std::optional<Terms> lossy_form(const AlgorithmSpec& algorithm, const Representative& start);

}  // namespace sparsewire
