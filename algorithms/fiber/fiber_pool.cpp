#include "algorithms/fiber/fiber_pool.hpp"

#include <sys/mman.h>

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <boost/context/stack_context.hpp>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <new>
#include <random>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace sparsewire {
namespace {

// The address sanitizer has to know of each switch of stacks: that it starts, to which stack, and that it is
// done, from which. `fake` keeps what belongs to the stack that is left; without it that stack has ended.
// Stacks that are unmapped still have marks of frames that were left and not returned from.
#if defined(__SANITIZE_ADDRESS__)
void start_switch(void** fake, const void* bottom, std::size_t bytes) {
  __sanitizer_start_switch_fiber(fake, bottom, bytes);
}
void finish_switch(void* fake, const void** bottom, std::size_t* bytes) {
  __sanitizer_finish_switch_fiber(fake, bottom, bytes);
}
void forget_stacks(const void* memory, std::size_t bytes) {
  __asan_unpoison_memory_region(memory, bytes);
}
#else
void start_switch(void**, const void*, std::size_t) {}
void finish_switch(void*, const void**, std::size_t*) {}
void forget_stacks(const void*, std::size_t) {}
#endif

constexpr std::uint64_t kCanary = 0x5ba25e317e57ac4bULL;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kShift = 320;

// All stacks in one mapping: a mapping per stack would meet the kernel's limit on mappings near 32,000
// fibers. The lowest word of each is a canary instead of a guard page. Each stack lies kShift further on in
// its page than the one before: fibers at the same place of a program are in different lines of the cache,
// and a canary is on a page that the stack below it uses anyway.
class StackSlab {
 public:
  StackSlab(std::size_t count, std::size_t stack_bytes)
      : stack_bytes_((stack_bytes + kPage - 1) / kPage * kPage + kShift), bytes_(count * stack_bytes_) {
    if (bytes_ == 0) return;
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(memory);
    for (std::size_t i = 0; i < count; ++i) *canary(i) = kCanary;
  }
  ~StackSlab() {
    if (memory_ == nullptr) return;
    forget_stacks(memory_, bytes_);
    munmap(memory_, bytes_);
  }
  StackSlab(const StackSlab&) = delete;
  StackSlab& operator=(const StackSlab&) = delete;

  boost::context::stack_context stack(std::size_t i) const {
    boost::context::stack_context context;
    context.size = stack_bytes_;
    context.sp = memory_ + (i + 1) * stack_bytes_;
    return context;
  }
  const std::byte* bottom(std::size_t i) const { return memory_ + i * stack_bytes_; }
  std::size_t stack_bytes() const { return stack_bytes_; }
  bool intact(std::size_t i) const { return *canary(i) == kCanary; }

 private:
  std::uint64_t* canary(std::size_t i) const {
    return reinterpret_cast<std::uint64_t*>(memory_ + i * stack_bytes_);
  }
  std::size_t stack_bytes_, bytes_;
  std::byte* memory_ = nullptr;
};

// The slab outlives the fibers, so there is nothing to free.
struct NoFree {
  void deallocate(boost::context::stack_context&) noexcept {}
};

[[noreturn]] void abort_on_overflow(std::size_t fiber) {
  std::fprintf(stderr, "sparsewire: the stack of fiber %zu overflowed\n", fiber);
  std::abort();
}

}  // namespace

struct FiberPool::State {
  State(std::size_t count, std::size_t stack_bytes, FiberOrder fiber_order, std::uint64_t seed,
        std::function<void(std::size_t)> fiber_body)
      : body(std::move(fiber_body)),
        order(fiber_order),
        random(seed),
        slab(count, stack_bytes),
        fibers(count) {}

  // A fiber that has not ended goes on with an exception that ends it.
  ~State() {
    for (std::size_t i = 0; i < fibers.size(); ++i)
      if (fibers[i]) on_stack(i, [&] { fibers[i] = {}; });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::function<void(std::size_t)> body;
  FiberOrder order;
  std::mt19937_64 random;
  std::deque<std::size_t> ready;
  StackSlab slab;  // before the fibers: destroyed after them
  boost::context::fiber caller;
  std::vector<boost::context::fiber> fibers;
  const void* scheduler_bottom = nullptr;  // the scheduler's own stack, as far as it is known
  std::size_t scheduler_bytes = 0;

  std::size_t take_ready() {
    if (order == FiberOrder::random) std::swap(ready.front(), ready[random() % ready.size()]);
    const std::size_t fiber = order == FiberOrder::lifo ? ready.back() : ready.front();
    if (order == FiberOrder::lifo)
      ready.pop_back();
    else
      ready.pop_front();
    return fiber;
  }

  void resume(std::size_t fiber) {
    on_stack(fiber, [&] { fibers[fiber] = std::move(fibers[fiber]).resume(); });
    if (!slab.intact(fiber)) abort_on_overflow(fiber);
  }

  // `switch_stacks` switches to the fiber's stack and returns when that has switched back.
  template <class Switch>
  void on_stack(std::size_t fiber, const Switch& switch_stacks) {
    void* fake = nullptr;
    start_switch(&fake, slab.bottom(fiber), slab.stack_bytes());
    switch_stacks();
    finish_switch(fake, nullptr, nullptr);
  }

  void run_body(std::size_t fiber) {
    const Stay stay(*this);
    body(fiber);
  }

  void park() {
    const Absence absence(*this);
    caller = std::move(caller).resume();
  }

  // A fiber's time on its stack, and its time off it. Both also end when the fiber is unwound.
  class Stay {
   public:
    explicit Stay(State& state) : state_(state) {
      finish_switch(nullptr, &state_.scheduler_bottom, &state_.scheduler_bytes);
    }
    ~Stay() { start_switch(nullptr, state_.scheduler_bottom, state_.scheduler_bytes); }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

   private:
    State& state_;
  };
  class Absence {
   public:
    explicit Absence(State& state) : state_(state) {
      start_switch(&fake_, state_.scheduler_bottom, state_.scheduler_bytes);
    }
    ~Absence() { finish_switch(fake_, &state_.scheduler_bottom, &state_.scheduler_bytes); }
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;

   private:
    State& state_;
    void* fake_ = nullptr;
  };
};

FiberPool::FiberPool(std::size_t count, std::size_t stack_bytes, FiberOrder order, std::uint64_t seed,
                     std::function<void(std::size_t)> body)
    : state_(std::make_unique<State>(count, stack_bytes, order, seed, std::move(body))) {
  State* state = state_.get();
  for (std::size_t i = 0; i < count; ++i) {
    const boost::context::stack_context stack = state->slab.stack(i);
    const boost::context::preallocated memory(stack.sp, stack.size, stack);
    state->fibers[i] = boost::context::fiber(std::allocator_arg, memory, NoFree{},
                                             [state, i](boost::context::fiber&& caller) {
                                               state->caller = std::move(caller);
                                               state->run_body(i);
                                               return std::move(state->caller);
                                             });
    state->ready.push_back(i);
  }
}

FiberPool::~FiberPool() = default;

void FiberPool::run() {
  while (!state_->ready.empty()) state_->resume(state_->take_ready());
}

void FiberPool::park() {
  state_->park();
}

void FiberPool::wake(std::size_t fiber) {
  state_->ready.push_back(fiber);
}

}  // namespace sparsewire
