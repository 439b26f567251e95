// Elements per second of the local work that simulators charge for.
#include <benchmark/benchmark.h>

#include <random>

#include "algorithms/payload/stream.hpp"

namespace sparsewire {
namespace {

constexpr std::uint64_t kDimension = 1 << 22;

// Each index with probability `density`, by geometric gaps.
Stream<float> random_stream(double density, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  SparseVector<float> vector{kDimension, {}, {}};
  std::geometric_distribution<std::uint64_t> gap(density);
  for (std::uint64_t index = gap(random); index < kDimension; index += 1 + gap(random))
    vector.indices.push_back(static_cast<Index>(index));
  vector.values.assign(vector.indices.size(), 1.0f);
  return Stream<float>::sparse(0, kDimension, vector.indices, vector.values);
}

double density_of(const benchmark::State& state) {
  return static_cast<double>(state.range(0)) / 10000;
}

// Elements read, of both vectors.
void merge(benchmark::State& state) {
  const Stream<float> a = random_stream(density_of(state), 1), b = random_stream(density_of(state), 2);
  for (auto _ : state) benchmark::DoNotOptimize(sum(a, b));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(a.count() + b.count()));
}
BENCHMARK(merge)->ArgName("density_e4")->Arg(1)->Arg(10)->Arg(100)->Arg(1000);

void scatter_add(benchmark::State& state) {
  const Stream<float> sparse = random_stream(density_of(state), 1);
  Stream<float> dense = densified(random_stream(density_of(state), 2)).value;
  for (auto _ : state) {
    dense = sum(std::move(dense), sparse).value;
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(sparse.count()));
}
BENCHMARK(scatter_add)->ArgName("density_e4")->Arg(1)->Arg(10)->Arg(100)->Arg(1000);

void dense_add(benchmark::State& state) {
  const Stream<float> other = densified(random_stream(0.1, 1)).value;
  Stream<float> dense = densified(random_stream(0.1, 2)).value;
  for (auto _ : state) {
    dense = sum(std::move(dense), other).value;
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDimension));
}
BENCHMARK(dense_add);

// Zero-fill, with next to nothing to add.
void fill(benchmark::State& state) {
  const Stream<float> sparse = random_stream(1e-5, 1);
  for (auto _ : state) benchmark::DoNotOptimize(densified(sparse));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDimension));
}
BENCHMARK(fill);

// Search of a dense range for its non-zeros.
void scan(benchmark::State& state) {
  const Stream<float> dense = densified(random_stream(density_of(state), 1)).value;
  for (auto _ : state) benchmark::DoNotOptimize(sparse_vector_of(dense));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDimension));
}
BENCHMARK(scan)->ArgName("density_e4")->Arg(1)->Arg(1000);

}  // namespace
}  // namespace sparsewire
