#include "experiments/failure.hpp"

#include <new>

#include "experiments/workload.hpp"

namespace sparsewire {

Failure failure_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return {"failed", "out of memory"};
  const bool impossible = dynamic_cast<const std::invalid_argument*>(&error) != nullptr ||
                          dynamic_cast<const NotEnoughData*>(&error) != nullptr;
  return {impossible ? "skipped" : "failed", error.what()};
}

void set_failure(Measurement& measurement, const Failure& failure) {
  measurement.status = failure.status;
  measurement.reason = failure.reason;
}

}  // namespace sparsewire
