// Where a sweep keeps its results:
//   points.jsonl   one measurement a line, appended as points finish; the only file that a second run reads
//   context.json   what was true of the last simulation: versions, flags, host, machine parameters, seed;
//                  context-mpi.json is that of the last measurement over MPI
//   results.csv    the measurements as a table
//   plots/         charts
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "reports/measurement.hpp"

namespace sparsewire {

struct ResultsPaths {
  std::filesystem::path directory, points, context, mpi_context, csv, plots;
};
ResultsPaths results_paths(const std::filesystem::path& directory);

// The measurements in the directory, one for each point that the charts tell apart: of several the last, as
// after a change of the program or the repeat of a failed one. None if there is no file yet. Throws as
// read_measurements().
std::vector<Measurement> current_measurements(const ResultsPaths& paths);

// Keys of the points that need not be computed again. A point that failed or was skipped is tried again, as
// another program or a larger job may have it.
std::set<std::string> finished_keys(const std::vector<Measurement>& measurements);

// Writes the CSV of points.jsonl and returns what to show a user: the table, which of the points that the
// last runs were to have are missing, and where it lies. Throws std::invalid_argument if there are no
// results.
std::string write_table(const ResultsPaths& paths);

// Draws the charts of points.jsonl, removes those of earlier times that are not drawn any more, and returns
// where they lie, a line each; nothing if there is nothing to draw. Throws as write_charts().
std::string write_plots(const ResultsPaths& paths);

}  // namespace sparsewire
