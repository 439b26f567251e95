// A small experiment for tests.
#pragma once

#include "experiments/experiment.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire::test {

// Two algorithms on both simulators, P=2 and 4, N=100, densities 0.05 and 0.5: 4 cells of 4 points.
inline Experiment example_experiment() {
  Experiment experiment;
  experiment.name = "example";
  experiment.machine = cluster_machine();
  experiment.backends = {"loggp", "simgrid"};
  experiment.algorithms = {"ssar-recursive-double", "dense-ring"};
  experiment.ranks = {2, 4};
  experiment.dimensions = {100};
  experiment.densities = {0.05, 0.5};
  experiment.workloads = {{"uniform", Uniform{}}};
  experiment.precisions = {"fp32"};
  return experiment;
}

}  // namespace sparsewire::test
