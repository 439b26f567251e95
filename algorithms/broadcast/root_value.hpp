// What the root of a broadcast brings.
#pragma once

#include <optional>
#include <stdexcept>

namespace sparsewire {

// Throws std::invalid_argument if the root has none.
template <class S>
const S& root_value(const std::optional<S>& mine) {
  if (!mine) throw std::invalid_argument("the root of a broadcast has nothing to send");
  return *mine;
}

}  // namespace sparsewire
