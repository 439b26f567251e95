// One finished point of an experiment as plain data, whichever world it ran in.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/units.hpp"

namespace sparsewire {

// What the closed form says of a point, split in its terms, which add up to `total`; and the time that no
// lossless algorithm can beat on these inputs.
struct ModelPrediction {
  Seconds total = 0, latency = 0, overhead = 0, bandwidth = 0, compute = 0;
  Seconds lower_bound = 0;
};

struct Measurement {
  std::string key;            // hash of the point and of the program's version; equal keys are the same point
  std::string status = "ok";  // "ok", "skipped" or "failed"
  std::string reason;         // why it was skipped or how it failed
  std::string experiment;     // the experiment's name
  std::string backend;        // "loggp", "simgrid" or "mpi"
  std::string algorithm;
  std::string family;    // "sparse", "dense" or "lossy"
  std::string workload;  // label of the workload, e.g. "uniform"
  std::string machine, topology, precision;
  std::string codec = "pairs";  // how sparse streams were sent
  std::int64_t ranks = 0;
  std::uint64_t dimension = 0;
  double density = 0;         // mean non-zeros of a rank over dimension, as generated
  double result_density = 0;  // non-zeros of the sum over dimension
  std::uint64_t seed = 0;
  std::vector<Seconds> samples_s;  // slowest rank of each repetition; one value in a simulator
  Seconds time_s = 0;              // median of samples_s
  std::optional<std::array<Seconds, 2>> confidence_s;  // 95 % interval of the median; absent in simulators
  std::uint64_t messages = 0;                          // all ranks
  std::uint64_t messages_max = 0;                      // busiest rank
  std::uint64_t wire_bytes = 0;                        // sent, all ranks
  std::uint64_t wire_bytes_max = 0;                    // busiest rank
  Work work;                                           // all ranks
  bool ranks_agree = false;                            // every rank ended with the same bits
  // |found - true sum| / |true sum|, over all iterations of a lossy algorithm; absent for exact ones.
  std::optional<double> relative_error;
  std::optional<ModelPrediction> model;
};

// What is true of a whole results directory.
struct RunContext {
  std::string schema_version, program_version, git_revision, compiler, flags, host, mpi_version,
      simgrid_version, date;
  std::map<std::string, std::string> machine;   // parameter name with unit -> value, as text
  std::map<std::string, std::uint64_t> points;  // points that the run was to have, by backend
  std::string experiment_file;
  std::uint64_t seed = 0;
};

}  // namespace sparsewire
