#include "experiments/overlap_command.hpp"

#include <fmt/format.h>

#include "experiments/job.hpp"
#include "experiments/machine_library.hpp"
#include "experiments/names.hpp"
#include "experiments/workload.hpp"
#include "reports/text.hpp"

namespace sparsewire {
namespace {

constexpr Rank kSimulatedRanks = 16;

// What all processes have to agree on before any of them goes on.
struct Prepared {
  std::unique_ptr<World> simulated;  // none over MPI
  Rank ranks = 0;
  Allreduce<Stream<float>> algorithm;
  std::vector<SparseVector<float>> vectors;
  Compute compute;
  OverlapPlan plan;
};

Rank ranks_of(const OverlapOptions& options, const Job& job) {
  if (job.session == nullptr) return options.ranks > 0 ? options.ranks : kSimulatedRanks;
  if (options.ranks > job.session->size())
    throw std::invalid_argument(
        fmt::format("--ranks: found {}, expected at most the job's {}", options.ranks, job.session->size()));
  return options.ranks > 0 ? options.ranks : job.session->size();
}

Prepared prepare(const OverlapOptions& options, const Job& job) {
  require_option_algorithm(options.algorithm);
  if (options.algorithm == kMpiAllreduce)
    throw std::invalid_argument("--algorithm: the MPI library's own allreduce blocks and cannot be started");
  Prepared prepared;
  prepared.simulated = simulated_world(options.world);
  prepared.ranks = ranks_of(options, job);
  prepared.algorithm = allreduce_named<Stream<float>>(options.algorithm);
  prepared.vectors = generate<float>({"uniform", Uniform{}}, prepared.ranks, options.dimension,
                                     options.density, options.seed);
  prepared.plan = options.plan;
  if (prepared.simulated == nullptr) {
    prepared.compute = real_compute();
  } else {
    prepared.compute = simulated_compute(find_machine(options.world.machine));
    prepared.plan.repetitions = 1;
  }
  return prepared;
}

std::string head(const OverlapOptions& options, const Prepared& prepared) {
  const std::string machine =
      prepared.simulated == nullptr ? "" : fmt::format(", machine {}", options.world.machine);
  return fmt::format("# {}, P={}, N={}, density {}, fp32, {}{}\n", prepared.algorithm.name, prepared.ranks,
                     format_power(options.dimension), options.density, backend_of(options.world), machine);
}

}  // namespace

int overlap_command(const OverlapOptions& options) {
  const Job job = Job::start(needs_mpi(options.world));
  return exit_code_of(job, [&] {
    const Prepared prepared = job.together([&] { return prepare(options, job); });
    World& world = prepared.simulated != nullptr ? *prepared.simulated : *job.world;
    const std::vector<OverlapRow> rows =
        measure_overlap(world, prepared.algorithm, prepared.vectors, prepared.compute, prepared.plan);
    if (job.speaks()) fmt::print("{}{}", head(options, prepared), overlap_table(rows));
    return static_cast<int>(kDone);
  });
}

}  // namespace sparsewire
