// Machines for tests.
#pragma once

#include "model/machine.hpp"

namespace sparsewire::test {

// The parameters of LogGOPSim's documentation: L=2500 o=1500 g=1000 ns, G=6 ns/byte. No local work.
inline Machine loggopsim_machine() {
  Machine machine;
  machine.name = "loggopsim";
  machine.network = {.L = 2500e-9, .o = 1500e-9, .g = 1000e-9, .G = 6e-9, .S = 0, .serial_receiver = true};
  return machine;
}

// A cluster of today's kind: 10 GB/s, 1.8 us, with local work.
inline Machine cluster_machine() {
  Machine machine;
  machine.name = "cluster";
  machine.network = {.L = 1.8e-6, .o = 0.6e-6, .g = 0.7e-6, .G = 1e-10, .S = 0, .serial_receiver = true};
  machine.compute[WorkKind::merge] = 7e-9;
  machine.compute[WorkKind::scatter_add] = 4e-9;
  machine.compute[WorkKind::dense_add] = 0.6e-9;
  machine.compute[WorkKind::fill] = 0.3e-9;
  machine.compute[WorkKind::scan] = 1e-9;
  machine.compute[WorkKind::encode] = 3e-9;
  machine.compute[WorkKind::decode] = 4e-9;
  machine.compute[WorkKind::select] = 7e-9;
  return machine;
}

}  // namespace sparsewire::test
