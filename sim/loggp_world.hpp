// A world of simulated ranks under LogGP, fast and exact: no event queue, as clocks travel in messages.
#pragma once

#include "algorithms/fiber/fiber_pool.hpp"
#include "algorithms/transport/world.hpp"
#include "model/machine.hpp"

namespace sparsewire {

struct LogGPOptions {
  // Finish times are the same for each. Last in, first out is the fastest, as its data are still cached.
  FiberOrder order = FiberOrder::lifo;
  std::uint64_t order_seed = 0;
  std::size_t stack_bytes = 256 * 1024;  // per rank; virtual memory until touched
};

// Every rank is a fiber. Receives name their sender, so each rank's clock is a max-plus function of the
// messages it receives and does not depend on the order in which fibers run; nor do the answers of arrived()
// and wait_any(), which are given in the order of the ranks' clocks. The rules are those of model/loggp.hpp.
// What has to be decided by order of arrival (contention on links) is SimGridWorld's matter.
class LogGPWorld final : public World {
 public:
  // Throws std::invalid_argument if the machine is not valid.
  explicit LogGPWorld(Machine machine, LogGPOptions options = {});

  RunResult run(Rank ranks, const Program& program) override;

 private:
  Machine machine_;
  LogGPOptions options_;
};

}  // namespace sparsewire
