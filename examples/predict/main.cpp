// What each allreduce would take on a network that is described by its LogGP parameters: predicted by the
// closed forms, and simulated with random vectors.
#include <cstdio>
#include <random>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "model/closed_forms.hpp"
#include "model/fill_in.hpp"
#include "sim/loggp_world.hpp"

namespace {

using namespace sparsewire;

constexpr Rank kRanks = 64;
constexpr std::uint64_t kParameters = 1000000;
constexpr std::uint64_t kNonZeros = 2000;

SparseVector<float> random_gradient(Rank rank) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank));
  std::vector<std::pair<std::int64_t, float>> elements;
  for (std::uint64_t i = 0; i < kNonZeros; ++i)
    elements.emplace_back(static_cast<std::int64_t>(random() % kParameters), 1.0f);
  return sparse_vector<float>(kParameters, std::move(elements));
}

}  // namespace

int main() {
  Machine machine;
  machine.network = {.L = 1.8e-6, .o = 0.6e-6, .g = 0.7e-6, .G = 1e-10};  // 10 GB/s
  const CostInput input{kRanks, kParameters, sizeof(float),
                        uniform_union_sizes(kParameters, kNonZeros, kRanks)};
  LogGPWorld world(machine);
  std::printf("%-24s %14s %14s\n", "algorithm", "predicted (us)", "simulated (us)");
  for (const auto& algorithm : allreduce_catalogue<Stream<float>>()) {
    const RunResult result = world.run(kRanks, [&](Transport& transport) {
      algorithm.run(transport, stream_of(random_gradient(transport.rank())));
      return Output();
    });
    const auto predicted = predict(algorithm.spec, machine, input);
    std::printf("%-24s %14.1f %14.1f\n", algorithm.name.c_str(), predicted ? predicted->total * 1e6 : 0.0,
                finish_time(result) * 1e6);
  }
}
