#include "experiments/overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "algorithms/nonblocking/nonblocking.hpp"
#include "experiments/measure.hpp"
#include "reports/statistics.hpp"
#include "reports/text.hpp"

namespace sparsewire {
namespace {

constexpr std::size_t kBlock = 4096;  // elements

// Work that no compiler leaves out.
[[gnu::noinline]] void add_block(std::vector<float>& total, const std::vector<float>& addend) {
  for (std::size_t i = 0; i < kBlock; ++i) total[i] += addend[i];
}

// What one rank hands back: how long it took, and a hash of its sum.
struct Sample {
  Seconds elapsed = 0;
  std::uint64_t sum_hash = 0;
};

std::uint64_t hash_of(const Stream<float>& stream) {
  const std::vector<std::byte> bytes = stream.packed().flatten();
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// What a rank does in the time that counts, with its vector; returns the sum, if any.
using Part = std::function<Stream<float>(Transport&, Stream<float>)>;

// The computation in chunks, with `between` called between two of them.
template <class Between>
void compute_in_chunks(Transport& transport, const Compute& compute, Seconds time, unsigned chunks,
                       const Between& between) {
  for (unsigned chunk = 0; chunk < chunks; ++chunk) {
    if (chunk > 0) between();
    compute(transport, time / chunks);
  }
}

class Bench {
 public:
  Bench(World& world, const Allreduce<Stream<float>>& algorithm,
        const std::vector<SparseVector<float>>& vectors)
      : world_(world), algorithm_(algorithm), vectors_(vectors) {}

  Seconds median_time(const Part& part, unsigned repetitions) const {
    std::vector<double> times;
    for (unsigned i = 0; i < repetitions; ++i) times.push_back(run(part).elapsed);
    return median(times);
  }

  // The three in turn, so that noise meets them alike.
  OverlapRow row(const Compute& compute, Seconds work, unsigned chunks, unsigned repetitions,
                 std::uint64_t sum_hash) const {
    const Part computation = [&](Transport& transport, Stream<float>) {
      compute_in_chunks(transport, compute, work, chunks, [] {});
      return Stream<float>();
    };
    const Part both = [&](Transport& transport, Stream<float> mine) {
      NonBlocking nonblocking(transport);
      auto sum = nonblocking.start(algorithm_, std::move(mine));
      compute_in_chunks(transport, compute, work, chunks, [&] { sum.test(); });
      return sum.wait();
    };
    std::vector<double> alone, computing, together;
    for (unsigned i = 0; i < repetitions; ++i) {
      alone.push_back(run(algorithm_.run).elapsed);
      computing.push_back(run(computation).elapsed);
      const Sample sample = run(both);
      if (sample.sum_hash != sum_hash)
        throw std::runtime_error(algorithm_.name + ": the started allreduce ended with other bits");
      together.push_back(sample.elapsed);
    }
    return {chunks, median(alone), median(computing), median(together)};
  }

  // The slowest rank's time, and the hash of the sum that all have.
  Sample run(const Part& part) const {
    const RunResult result = world_.run(static_cast<Rank>(vectors_.size()), [&](Transport& transport) {
      Stream<float> mine =
          starting_stream(vectors_[static_cast<std::size_t>(transport.rank())], algorithm_.family);
      Sample sample;
      const Seconds start = transport.now();
      const Stream<float> sum = part(transport, std::move(mine));
      sample.elapsed = transport.now() - start;
      sample.sum_hash = hash_of(sum);
      Output output(sizeof sample);
      std::memcpy(output.data(), &sample, sizeof sample);
      return output;
    });
    Sample slowest = sample_of(result[0]);
    for (const RankResult& rank : result) {
      const Sample sample = sample_of(rank);
      if (sample.sum_hash != slowest.sum_hash) throw std::runtime_error("ranks ended with different sums");
      slowest.elapsed = std::max(slowest.elapsed, sample.elapsed);
    }
    return slowest;
  }

 private:
  static Sample sample_of(const RankResult& rank) {
    Sample sample;
    std::memcpy(&sample, rank.output.data(), sizeof sample);
    return sample;
  }

  World& world_;
  const Allreduce<Stream<float>>& algorithm_;
  const std::vector<SparseVector<float>>& vectors_;
};

}  // namespace

Compute simulated_compute(const Machine& machine) {
  std::optional<WorkKind> cheapest;
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    const auto kind = static_cast<WorkKind>(i);
    if (machine.compute[kind] > 0 && (!cheapest || machine.compute[kind] < machine.compute[*cheapest]))
      cheapest = kind;
  }
  if (!cheapest)
    throw std::invalid_argument("machine " + machine.name +
                                ": no work costs any time, so there is no computation to hide");
  return [kind = *cheapest, cost = machine.compute[*cheapest]](Transport& transport, Seconds time) {
    transport.compute(Work::of(kind, static_cast<std::uint64_t>(std::llround(time / cost))));
  };
}

Compute real_compute() {
  std::vector<float> total(kBlock, 1.0f), addend(kBlock, 0.5f);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  double blocks = 0;
  for (; Clock::now() - start < std::chrono::milliseconds(20); ++blocks) add_block(total, addend);
  const double blocks_per_second = blocks / std::chrono::duration<double>(Clock::now() - start).count();
  return [=](Transport&, Seconds time) mutable {
    const auto count = static_cast<std::uint64_t>(std::llround(time * blocks_per_second));
    for (std::uint64_t block = 0; block < count; ++block) add_block(total, addend);
  };
}

double OverlapRow::overlap() const {
  const Seconds shorter = std::min(collective, computation);
  return shorter > 0 ? (collective + computation - together) / shorter : 0;
}

std::vector<OverlapRow> measure_overlap(World& world, const Allreduce<Stream<float>>& algorithm,
                                        const std::vector<SparseVector<float>>& vectors,
                                        const Compute& compute, const OverlapPlan& plan) {
  const Bench bench(world, algorithm, vectors);
  const std::uint64_t sum_hash = bench.run(algorithm.run).sum_hash;  // and the warm-up
  const Seconds work = plan.work * bench.median_time(algorithm.run, plan.repetitions);
  std::vector<OverlapRow> rows;
  for (const unsigned chunks : plan.chunks)
    rows.push_back(bench.row(compute, work, chunks, plan.repetitions, sum_hash));
  return rows;
}

std::string overlap_table(const std::vector<OverlapRow>& rows) {
  std::string table = fmt::format("{:>8} {:>12} {:>12} {:>12} {:>8}\n", "chunks", "allreduce", "computation",
                                  "together", "overlap");
  for (const OverlapRow& row : rows)
    table += fmt::format("{:>8} {:>12} {:>12} {:>12} {:>7.1f}%\n", row.chunks, format_time(row.collective),
                         format_time(row.computation), format_time(row.together), 100 * row.overlap());
  return table;
}

}  // namespace sparsewire
