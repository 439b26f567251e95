#include "sim/loggp_world.hpp"
#include "sim/simgrid_world.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/worlds.hpp"

namespace sparsewire::test {

std::vector<WorldUnderTest> worlds() {
  Machine rendezvous = cluster_machine();
  rendezvous.network.S = 64;
  const Topology star{"star", StarSpec{}};
  return {
      {"loggp", [] { return std::make_unique<LogGPWorld>(cluster_machine()); }, 1 << 20},
      {"loggp-rendezvous", [=] { return std::make_unique<LogGPWorld>(rendezvous); }, 1 << 20},
      {"simgrid", [=] { return std::make_unique<SimGridWorld>(cluster_machine(), star); }, 1 << 14},
      {"simgrid-rendezvous", [=] { return std::make_unique<SimGridWorld>(rendezvous, star); }, 1 << 14},
  };
}

}  // namespace sparsewire::test
