// Runs the points of a sweep that are simulated.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "algorithms/transport/world.hpp"
#include "experiments/sweep.hpp"
#include "reports/measurement.hpp"

namespace sparsewire {

// The world that "loggp" or "simgrid" names. Throws std::invalid_argument for another name or an invalid
// machine.
std::unique_ptr<World> simulated_world(std::string_view backend, const Machine& machine,
                                       const Topology& topology);

// Called in this process for each point that is done, failed or was skipped.
using OnMeasurement = std::function<void(const Measurement&)>;

// Measures every point whose key is not in `finished`, cell by cell in up to `processes` processes. A point
// whose process dies is reported as failed, and the others of its cell are run all the same. Returns early
// when `stop` is set. `idle` is called a few times a second.
void run_simulated(const Experiment& experiment, const std::vector<Cell>& cells,
                   const std::set<std::string>& finished, unsigned processes, const std::atomic<bool>& stop,
                   const OnMeasurement& on_measurement, const std::function<void()>& idle);

}  // namespace sparsewire
