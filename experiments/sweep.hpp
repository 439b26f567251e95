// An experiment unrolled into points. Points that share their input vectors form a cell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/experiment.hpp"

namespace sparsewire {

inline constexpr std::string_view kLogGPBackend = "loggp";
inline constexpr std::string_view kSimGridBackend = "simgrid";
inline constexpr std::string_view kMpiBackend = "mpi";

// Where and how one set of inputs is summed: one result.
struct Point {
  std::string backend, algorithm;
  std::string key;  // hash of everything that decides the result, and of the program's version
  std::string codec = "pairs";
};

// One set of inputs. For a workload from a file, dimension and density are 0 until it has been read.
struct Cell {
  Workload workload;
  Rank ranks = 1;
  std::uint64_t dimension = 0;
  double density = 0;
  std::string precision;
  std::vector<Point> points;
};

// All cells, in the order of workloads, precisions, dimensions, ranks, densities; in each cell the points in
// the order of backends, codecs and algorithms. `mpi-allreduce` is a point of the backend "mpi" only. Reads
// the workloads' files for the keys; throws std::runtime_error if that fails.
std::vector<Cell> cells_of(const Experiment& experiment, const std::vector<std::string>& backends,
                           std::string_view program_version);

// "ssar-recursive-double on simgrid: uniform, P=64, N=1048576, density 0.01, fp32".
std::string describe(const Cell& cell, const Point& point);

}  // namespace sparsewire
