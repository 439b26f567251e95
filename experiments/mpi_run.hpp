// Measures the points of a sweep on the processes of an MPI job.
#pragma once

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/payload/coded.hpp"
#include "algorithms/transport/mpi_world.hpp"
#include "experiments/simulated_run.hpp"

namespace sparsewire {

// The algorithm that `text` names: one of the table, or the library's own allreduce in `world`, which must
// outlive it and does not know values of 16 bits. Throws std::invalid_argument if there is none.
template <class T>
Allreduce<Coded<T>> mpi_allreduce_named(MpiWorld& world, const std::string& text);

// An error that every process of the job throws alike.
struct SharedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Sends `text` of process 0 to all others; every process calls it and gets it back.
std::string broadcast(MpiWorld& world, const MpiSession& session, const std::string& text);

// The first text by rank that is not empty, on every process; empty if all are. Every process calls it.
std::string first_said(MpiWorld& world, const MpiSession& session, const std::string& text);

// Measures every point of the backend "mpi" whose key is not in `finished`: in each cell first the warm-ups,
// then the repetitions, each a round over all algorithms, so that noise meets them alike. Points that need
// more ranks than there are processes are skipped. Every process calls it with the same arguments;
// `on_measurement` is called on process 0 only; if it throws, the sweep ends after that cell and every
// process throws SharedError. `stop` of process 0 counts, and is looked at before each cell.
void run_mpi(const Experiment& experiment, const std::vector<Cell>& cells,
             const std::set<std::string>& finished, MpiWorld& world, const MpiSession& session,
             const std::atomic<bool>& stop, const OnMeasurement& on_measurement);

}  // namespace sparsewire
