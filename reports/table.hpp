// Results as plain text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "reports/measurement.hpp"

namespace sparsewire {

// One table for each backend, workload, N, precision, P, machine and topology that has more than skipped
// points: a row per density, a column per algorithm, the fastest of a row marked by '*' (all of them on a
// tie). Then the change-overs, one line each, and the sparse/dense crossover of every table. Then how many
// points were skipped or failed, by reason, and how many ended with ranks that disagree. Several points of
// one cell (other seeds) are shown by their median.
std::string results_table(const std::vector<Measurement>& measurements);

}  // namespace sparsewire
