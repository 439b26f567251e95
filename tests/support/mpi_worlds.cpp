#include "algorithms/transport/mpi_world.hpp"
#include "tests/mpi/mpi_main.hpp"
#include "tests/support/worlds.hpp"

namespace sparsewire::test {

std::vector<WorldUnderTest> worlds() {
  const Rank size = test_session().size();
  return {{"mpi", [] { return std::make_unique<MpiWorld>(test_session()); }, size, true}};
}

}  // namespace sparsewire::test
