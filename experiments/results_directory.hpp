// Where a sweep keeps its results:
//   points.jsonl   one measurement a line, appended as points finish; the only file that a second run reads
//   context.json   what was true of the run: versions, flags, host, machine parameters, seed
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
  std::filesystem::path directory, points, context, csv, plots;
};
ResultsPaths results_paths(const std::filesystem::path& directory);

// The measurements in the directory, one for each point that the charts tell apart: of several the last, as
// after a change of the program or the repeat of a failed one. None if there is no file yet. Throws as
// read_measurements().
std::vector<Measurement> current_measurements(const ResultsPaths& paths);

// Keys of the points that need not be computed again. A point that failed or was skipped is tried again, as
// another program or a larger job may have it.
std::set<std::string> finished_keys(const std::vector<Measurement>& measurements);

// Writes the CSV of points.jsonl and returns what to show a user: the table, and where it lies. Throws
// std::invalid_argument if there are no results.
std::string write_table(const ResultsPaths& paths);

// Draws the charts of points.jsonl and returns where they lie, a line each; nothing if there is nothing to
// draw. Throws as write_charts().
std::string write_plots(const ResultsPaths& paths);

}  // namespace sparsewire
