// `sparsewire run`: experiments, simulated or measured, into results directories.
#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "experiments/results_directory.hpp"

namespace sparsewire {

struct RunOptions {
  std::vector<std::string> files, backends;
  std::string out;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool dry_run = false;
};

// Runs the points that are missing, shows the results and returns the exit code. When `interrupted` becomes
// true, what is finished is kept. Throws std::invalid_argument for bad input.
int run(const RunOptions& options, const std::atomic<bool>& interrupted);

// Prints the table, draws the plots and says where they are; returns the exit code. Without plots the results
// are there all the same.
int show_results(const ResultsPaths& paths, const std::atomic<bool>& interrupted);

}  // namespace sparsewire
