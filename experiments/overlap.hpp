// How much computation a started allreduce hides.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/payload/stream.hpp"
#include "algorithms/transport/world.hpp"
#include "model/machine.hpp"

namespace sparsewire {

// Keeps a rank busy for about the given time.
using Compute = std::function<void(Transport&, Seconds)>;

// Charges a simulator with that much of the cheapest work that costs anything. Throws std::invalid_argument
// if no work does on this machine.
Compute simulated_compute(const Machine& machine);

// Adds vectors on this core. How many a second is measured by this call, which takes 20 ms.
Compute real_compute();

struct OverlapPlan {
  std::vector<unsigned> chunks = {1, 2, 4, 8, 16, 32, 64};  // of the computation
  double work = 1;                                          // its length over that of the allreduce
  unsigned repetitions = 10;                                // of which the medians count
};

// The time of the slowest rank: of the blocking allreduce, of the computation, and of both when the allreduce
// is started first, tested between two chunks of the computation, and waited for in the end.
struct OverlapRow {
  unsigned chunks = 1;
  Seconds collective = 0, computation = 0, together = 0;

  // The hidden part of the shorter of the two: 1 if both take no longer than the longer one, 0 if they take
  // as long as one after the other, and below that if they take even longer.
  double overlap() const;
};

// A row for each of plan.chunks. Throws as World::run, and std::runtime_error if a started allreduce ends
// with other bits than the blocking one. In an MPI world every process calls it.
std::vector<OverlapRow> measure_overlap(World& world, const Allreduce<Stream<float>>& algorithm,
                                        const std::vector<SparseVector<float>>& vectors,
                                        const Compute& compute, const OverlapPlan& plan);

// The rows as a table with a head.
std::string overlap_table(const std::vector<OverlapRow>& rows);

}  // namespace sparsewire
