// Charts of results, drawn by gnuplot.
#pragma once

#include <filesystem>
#include <vector>

#include "reports/measurement.hpp"

namespace sparsewire {

// Draws into `directory` (created when missing), each chart as SVG and PNG, and returns the files drawn:
//   time_...        time against density, for each backend, workload, P, N, precision, machine and topology
//   best_...        the fastest algorithm over density and P, for each backend, workload, N and precision
//   prediction_...  measured over MPI against predicted by a simulator, where both have the same points
//   model_...       simulated over closed-form time, where points carry the closed form
// Only points of status "ok" with a positive density and time are drawn. Names are made of the parameters and
// depend on nothing else; machine and topology are added where several share the rest. The gnuplot script and
// data of a chart are kept in directory/gnuplot: run `gnuplot NAME.gp` in there to draw it again.
// Throws std::runtime_error when gnuplot is not in PATH or fails, with its message, and
// std::filesystem::filesystem_error when the directory cannot be made.
std::vector<std::filesystem::path> write_charts(const std::vector<Measurement>& measurements,
                                                const std::filesystem::path& directory);

}  // namespace sparsewire
