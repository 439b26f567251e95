// What this program was built from, and on what it runs.
#pragma once

#include <string>

#include "experiments/experiment.hpp"
#include "reports/measurement.hpp"

namespace sparsewire {

// The project's version and git revision, e.g. "0.1.0+dd84c46"; a build from changed sources has the hash of
// the program itself appended, so that two of them are never taken for one another.
std::string program_version();

// The name of this host.
std::string host_name();

// Everything of the context but the machine.
RunContext build_context();

// The context of a run of `experiment`.
RunContext context_of(const Experiment& experiment);

}  // namespace sparsewire
