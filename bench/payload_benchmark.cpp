// Elements per second of the local work that simulators charge for.
#include <benchmark/benchmark.h>

#include <random>

#include "algorithms/codec/codec.hpp"
#include "algorithms/codec/quantised.hpp"
#include "algorithms/lossy/select/top_k.hpp"
#include "algorithms/payload/stream.hpp"

namespace sparsewire {
namespace {

constexpr std::uint64_t kDimension = 1 << 22;

// Each index with probability `density`, by geometric gaps.
template <class Op>
Stream<float, Op> random_stream(double density, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  SparseVector<float> vector{kDimension, {}, {}};
  std::geometric_distribution<std::uint64_t> gap(density);
  for (std::uint64_t index = gap(random); index < kDimension; index += 1 + gap(random))
    vector.indices.push_back(static_cast<Index>(index));
  vector.values.assign(vector.indices.size(), 1.0f);
  return Stream<float, Op>::sparse(0, kDimension, vector.indices, vector.values);
}

double density_of(const benchmark::State& state) {
  return static_cast<double>(state.range(0)) / 10000;
}

// Elements read, of both vectors.
template <class Op>
void merge(benchmark::State& state) {
  const Stream<float, Op> a = random_stream<Op>(density_of(state), 1),
                          b = random_stream<Op>(density_of(state), 2);
  for (auto _ : state) benchmark::DoNotOptimize(sum(a, b));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(a.count() + b.count()));
}
BENCHMARK(merge<Minimum>)->ArgName("density_e4")->Arg(100);
BENCHMARK(merge<Plus>)->ArgName("density_e4")->Arg(1)->Arg(10)->Arg(100)->Arg(1000);

template <class Op>
void scatter_add(benchmark::State& state) {
  const Stream<float, Op> sparse = random_stream<Op>(density_of(state), 1);
  Stream<float, Op> dense = densified(random_stream<Op>(density_of(state), 2)).value;
  for (auto _ : state) {
    dense = sum(std::move(dense), sparse).value;
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(sparse.count()));
}
BENCHMARK(scatter_add<Minimum>)->ArgName("density_e4")->Arg(100);
BENCHMARK(scatter_add<Plus>)->ArgName("density_e4")->Arg(1)->Arg(10)->Arg(100)->Arg(1000);

template <class Op>
void dense_add(benchmark::State& state) {
  const Stream<float, Op> other = densified(random_stream<Op>(0.1, 1)).value;
  Stream<float, Op> dense = densified(random_stream<Op>(0.1, 2)).value;
  for (auto _ : state) {
    dense = sum(std::move(dense), other).value;
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDimension));
}
BENCHMARK(dense_add<Plus>);
BENCHMARK(dense_add<Minimum>);
BENCHMARK(dense_add<Product>);
BENCHMARK(dense_add<LogicalOr>);

// Zero-fill, with next to nothing to add.
template <class Op>
void fill(benchmark::State& state) {
  const Stream<float, Op> sparse = random_stream<Op>(1e-5, 1);
  for (auto _ : state) benchmark::DoNotOptimize(densified(sparse));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDimension));
}
BENCHMARK(fill<Plus>);

// Search of a dense range for its non-zeros.
template <class Op>
void scan(benchmark::State& state) {
  const Stream<float, Op> dense = densified(random_stream<Op>(density_of(state), 1)).value;
  for (auto _ : state) benchmark::DoNotOptimize(sparse_vector_of(dense));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDimension));
}
BENCHMARK(scan<Plus>)->ArgName("density_e4")->Arg(1)->Arg(1000);

// Steps of model/codec.hpp.
std::int64_t steps(const benchmark::State& state, Codec codec, const Stream<float>& stream) {
  return state.iterations() * static_cast<std::int64_t>(coding_steps(codec, stream.count(), stream.length()));
}

void encode_in(benchmark::State& state, Codec codec) {
  const Stream<float> stream = random_stream<Plus>(density_of(state), 1);
  for (auto _ : state) benchmark::DoNotOptimize(encode(codec, stream));
  state.SetItemsProcessed(steps(state, codec, stream));
}

void decode_from(benchmark::State& state, Codec codec) {
  const Stream<float> stream = random_stream<Plus>(density_of(state), 1);
  const Message block = encode(codec, stream);
  for (auto _ : state) benchmark::DoNotOptimize(decode<float>(block));
  state.SetItemsProcessed(steps(state, codec, stream));
}

#define CODEC(codec)                                                                            \
  BENCHMARK_CAPTURE(encode_in, codec, Codec::codec)->ArgName("density_e4")->Arg(10)->Arg(1000); \
  BENCHMARK_CAPTURE(decode_from, codec, Codec::codec)->ArgName("density_e4")->Arg(10)->Arg(1000)
CODEC(bitmap);
CODEC(tiled_bitmap);
CODEC(delta);
CODEC(bit_packed);
CODEC(bloom);
#undef CODEC

// Exact top-k of normal values.
void select(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(kDimension);
  for (float& value : values) value = normal(random);
  const auto count = static_cast<std::uint64_t>(density_of(state) * kDimension);
  for (auto _ : state) benchmark::DoNotOptimize(top_k(std::span<const float>(values), count));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDimension));
}
BENCHMARK(select)->ArgName("density_e4")->Arg(10)->Arg(1000);

void quantise(benchmark::State& state) {
  const Stream<float> dense = densified(random_stream<Plus>(0.5, 1)).value;
  for (auto _ : state)
    benchmark::DoNotOptimize(encode_quantised(dense, {static_cast<std::uint64_t>(state.range(0)), 512, 1}));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDimension));
}
BENCHMARK(quantise)->ArgName("bits")->Arg(2)->Arg(8);

void dequantise(benchmark::State& state) {
  const Stream<float> dense = densified(random_stream<Plus>(0.5, 1)).value;
  const Message block = encode_quantised(dense, {static_cast<std::uint64_t>(state.range(0)), 512, 1});
  for (auto _ : state) benchmark::DoNotOptimize(decode_quantised(block));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDimension));
}
BENCHMARK(dequantise)->ArgName("bits")->Arg(2)->Arg(8);

}  // namespace
}  // namespace sparsewire
