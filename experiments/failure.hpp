// What an exception means for the points that it stopped.
#pragma once

#include <stdexcept>
#include <string>

#include "reports/measurement.hpp"

namespace sparsewire {

// How a point ended without a result.
struct Failure {
  std::string status;  // "skipped" or "failed"
  std::string reason;
};

// Skipped if the inputs or the ranks asked for cannot exist (std::invalid_argument, NotEnoughData), failed if
// anything else went wrong. The reason is what(), or words for running out of memory.
Failure failure_of(const std::exception& error);

void set_failure(Measurement& measurement, const Failure& failure);

}  // namespace sparsewire
