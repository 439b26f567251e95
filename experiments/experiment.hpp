// An experiment as plain data: what to run, on which machine, with which inputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "model/machine.hpp"
#include "topologies/topology.hpp"

namespace sparsewire {

// Every rank's indices are uniformly random and independent of the other ranks'.
struct Uniform {};

// Ranks share the rounded `fraction` of their indices; the others are disjoint between ranks.
struct Overlap {
  double fraction = 0;  // in [0, 1]
};

// Index i is drawn with probability proportional to (i + 1)^-exponent: low indices are hot, as in data sorted
// by term frequency.
struct PowerLaw {
  double exponent = 1;  // above 0
};

// Runs of consecutive indices at random places.
struct Clustered {
  unsigned run_length = 1;  // elements, at least 1
};

// Rows of an SVMlight (libsvm) file with 0-based indices; each rank adds up `batch` consecutive rows.
// Dimension and density are the file's, so a sweep has one point per number of ranks and batch, whatever its
// axes say.
struct SvmlightFile {
  std::filesystem::path path;
  unsigned batch = 1;  // rows a rank
};

struct Workload {
  std::string label;  // for tables and plots; shared only by the batch sizes of one file
  std::variant<Uniform, Overlap, PowerLaw, Clustered, SvmlightFile> kind;
};

struct Experiment {
  std::string name;
  std::string description;
  int schema_version = 1;
  Machine machine;
  Topology topology;
  std::vector<std::string> backends;    // "loggp", "simgrid", "mpi"
  std::vector<std::string> algorithms;  // "all" is expanded to every name the reader was given
  std::vector<std::int64_t> ranks;
  std::vector<std::uint64_t> dimensions;  // elements; empty only if every workload is a file
  std::vector<double> densities;  // non-zeros of a rank over the dimension; empty only as `dimensions`
  std::vector<Workload> workloads;
  std::vector<std::string> precisions;          // names of precision.hpp
  std::vector<std::string> codecs = {"pairs"};  // names of model/codec.hpp
  unsigned repetitions = 10;                    // timed runs of a point; simulators need one
  unsigned warm_ups = 2;                        // runs before them that are not timed
  std::uint64_t seed = 1;
  std::filesystem::path file;  // where it was read from
};

}  // namespace sparsewire
