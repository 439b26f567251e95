// Messages per second of the simulators: recursive doubling of a small vector, and two of them in flight.
#include <benchmark/benchmark.h>

#include "algorithms/nonblocking/nonblocking.hpp"
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

void run_program(benchmark::State& state, World& world, const Program& program) {
  std::uint64_t messages = 0;
  for (auto _ : state) {
    const RunResult result = world.run(static_cast<Rank>(state.range(0)), program);
    for (const RankResult& rank : result) messages += rank.counters.messages;
  }
  state.counters["messages_per_s"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}

void run_recursive_doubling(benchmark::State& state, World& world) {
  const Stream<float> mine = stream_of(sparse_vector<float>(1000, {{1, 1.0f}, {700, 2.0f}}));
  run_program(state, world, [&](Transport& transport) -> Output {
    recursive_doubling(transport, mine);
    return {};
  });
}

void run_two_in_flight(benchmark::State& state, World& world) {
  const Stream<float> mine = stream_of(sparse_vector<float>(1000, {{1, 1.0f}, {700, 2.0f}}));
  const auto doubling = [&](Transport& transport) { return recursive_doubling(transport, mine); };
  run_program(state, world, [&](Transport& transport) -> Output {
    NonBlocking nonblocking(transport);
    auto first = nonblocking.start(doubling), second = nonblocking.start(doubling);
    second.test();
    first.wait();
    second.wait();
    return {};
  });
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

void loggp_two_in_flight(benchmark::State& state) {
  LogGPWorld world(machine());
  run_two_in_flight(state, world);
}
BENCHMARK(loggp_two_in_flight)
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

void simgrid_two_in_flight(benchmark::State& state) {
  SimGridWorld world(machine(), {"star", StarSpec{.link = {}, .sharing = Sharing::unshared}});
  run_two_in_flight(state, world);
}
BENCHMARK(simgrid_two_in_flight)->ArgName("ranks")->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace sparsewire
