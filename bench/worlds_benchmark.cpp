// Messages per second of the simulators: recursive doubling of a small vector.
#include <benchmark/benchmark.h>

#include "algorithms/payload/stream.hpp"
#include "algorithms/phase/recursive_doubling.hpp"
#include "sim/loggp_world.hpp"
#include "sim/simgrid_world.hpp"

namespace sparsewire {
namespace {

Machine machine() {
  Machine machine;
  machine.network = {.L = 2e-6, .o = 0.5e-6, .g = 0.5e-6, .G = 1e-10, .S = 0, .serial_receiver = true};
  return machine;
}

void run_recursive_doubling(benchmark::State& state, World& world) {
  const auto ranks = static_cast<Rank>(state.range(0));
  const Stream<float> mine = stream_of(sparse_vector<float>(1000, {{1, 1.0f}, {700, 2.0f}}));
  std::uint64_t messages = 0;
  for (auto _ : state) {
    const RunResult result = world.run(ranks, [&](Transport& transport) -> Output {
      recursive_doubling(transport, mine);
      return {};
    });
    for (const RankResult& rank : result) messages += rank.counters.messages;
  }
  state.counters["messages_per_s"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}

void loggp_recursive_doubling(benchmark::State& state) {
  LogGPWorld world(machine());
  run_recursive_doubling(state, world);
}
BENCHMARK(loggp_recursive_doubling)
    ->ArgName("ranks")
    ->Arg(1024)
    ->Arg(16384)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void simgrid_recursive_doubling(benchmark::State& state, Sharing sharing) {
  SimGridWorld world(machine(), {"star", StarSpec{.link = {}, .sharing = sharing}});
  run_recursive_doubling(state, world);
}
BENCHMARK_CAPTURE(simgrid_recursive_doubling, unshared, Sharing::unshared)
    ->ArgName("ranks")
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(simgrid_recursive_doubling, shared, Sharing::shared)
    ->ArgName("ranks")
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace sparsewire
