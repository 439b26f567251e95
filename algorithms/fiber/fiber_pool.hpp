// Cooperative fibers on one thread: each runs until it parks, and goes on after it has been woken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace sparsewire {

// Which of several ready fibers runs next. The outcome of a simulation must not depend on it.
enum class FiberOrder { fifo, lifo, random };

class FiberPool {
 public:
  // Prepares `count` fibers that run body(0), body(1), ... on stacks of `stack_bytes` each; memory is taken
  // only as stacks are touched. `seed` matters to FiberOrder::random. Throws std::bad_alloc.
  FiberPool(std::size_t count, std::size_t stack_bytes, FiberOrder order, std::uint64_t seed,
            std::function<void(std::size_t)> body);
  ~FiberPool();  // unwinds fibers that have not ended: their destructors run
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  // Runs fibers until none is ready: all have ended or are parked. A stack overflow aborts the process with a
  // message. Exceptions must not leave `body`, but for those that park() throws: let these pass.
  void run();

  // Called by the fiber that runs: gives way until wake(itself).
  void park();

  // Makes a parked fiber ready.
  void wake(std::size_t fiber);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sparsewire
