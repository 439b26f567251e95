// mpi_failing_program receive|allreduce|ended|number|deadlock: a job that has to end by itself, and badly.
#include <cstdio>
#include <string>

#include "algorithms/transport/mpi_world.hpp"

using namespace sparsewire;

namespace {

Output fail(MpiWorld& world, const std::string& mode, Transport& transport) {
  if (mode == "deadlock") return transport.recv(1 - transport.rank(), 3).flatten();
  if (transport.rank() == 2) {
    if (mode == "number") throw 42;
    throw std::runtime_error("bad index 7");
  }
  if (mode == "receive") return transport.recv(2, 0).flatten();
  if (mode == "allreduce") {
    std::vector<float> values(4);
    world.allreduce_sum(values);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  MpiSession session(&argc, &argv);
  MpiWorld world(session, {.timeout = argc > 1 && std::string(argv[1]) == "deadlock" ? 1.0 : 0.0});
  world.run(session.size(), [&](Transport& transport) { return fail(world, argv[1], transport); });
  std::puts("the run came back");
  return 0;
}
