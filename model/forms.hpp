// The families of closed forms. Each returns no form for a name that is not its own.
#pragma once

#include <optional>

#include "model/algorithm_spec.hpp"
#include "model/representative.hpp"

namespace sparsewire {

// The form of an algorithm of any family, for those that are made of others; closed_forms.cpp.
std::optional<Terms> form_of(const AlgorithmSpec& algorithm, const Representative& start);

std::optional<Terms> classic_form(const AlgorithmSpec& algorithm, const Representative& start);
std::optional<Terms> lossless_form(const AlgorithmSpec& algorithm, const Representative& start);
std::optional<Terms> collective_form(const AlgorithmSpec& algorithm, const Representative& start);
std::optional<Terms> lossy_form(const AlgorithmSpec& algorithm, const Representative& start);

}  // namespace sparsewire
