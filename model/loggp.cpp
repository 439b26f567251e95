#include "model/loggp.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace sparsewire {
namespace {

void require_time(std::string_view name, Seconds value) {
  if (!std::isfinite(value) || value < 0)
    throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) +
                                ", expected a finite time of at least 0");
}

}  // namespace

void require_valid(const Machine& machine) {
  require_time("L", machine.network.L);
  require_time("o", machine.network.o);
  require_time("g", machine.network.g);
  require_time("G", machine.network.G);
  for (std::size_t i = 0; i < kWorkKinds; ++i)
    require_time(kWorkKindNames[i], machine.compute.seconds_per_element[i]);
}

}  // namespace sparsewire
