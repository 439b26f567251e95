#include "experiments/reduce_command.hpp"

#include <fmt/format.h>

#include <memory>

#include "experiments/names.hpp"
#include "experiments/vectors_file.hpp"

namespace sparsewire {
namespace {

template <class T, class Op>
Allreduce<Stream<T, Op>> algorithm_for(const Job& job, const std::string& text) {
  if constexpr (std::is_same_v<Op, Plus>)
    if (job.world != nullptr) return mpi_allreduce_named<T>(*job.world, text);
  return allreduce_named<Stream<T, Op>>(text);
}

template <class T>
int reduce_in(const Job& job, World& world, const ReduceOptions& options) {
  return with_operator(options.operation, [&]<class Op>(Op) {
    const auto vectors = job.together([&] { return vectors_for<T, Op>(job, options.vectors); });
    const Reduction reduction = reduce(world, algorithm_for<T, Op>(job, options.algorithm), vectors);
    if (job.speaks()) fmt::print("{}", reduction.text);
    return static_cast<int>(reduction.ranks_agree ? kDone : kSomeFailed);
  });
}

// What the MPI library's own allreduce cannot do.
void require_possible(const ReduceOptions& options, bool simulates) {
  if (options.algorithm != kMpiAllreduce) return;
  if (simulates) throw std::invalid_argument(options.algorithm + " runs over MPI only: start it with mpirun");
  if (options.operation != Plus::kName)
    throw std::invalid_argument(
        fmt::format("--op: found \"{}\", expected sum: {} has no rules for NaNs of others", options.operation,
                    options.algorithm));
}

// The simulator to reduce in; none if that is MPI's job.
std::unique_ptr<World> world_for(const ReduceOptions& options) {
  require_option_algorithm(options.algorithm);
  require_name("--precision", options.precision, {"fp32", "fp64"});
  require_name("--op", options.operation, {kOperatorNames.begin(), kOperatorNames.end()});
  auto simulated = simulated_world(options.world);
  require_possible(options, simulated != nullptr);
  return simulated;
}

}  // namespace

int reduce_command(const ReduceOptions& options) {
  const Job job = Job::start(needs_mpi(options.world));
  return exit_code_of(job, [&] {
    const auto simulated = job.together([&] { return world_for(options); });
    World& world = simulated != nullptr ? *simulated : *job.world;
    return options.precision == "fp64" ? reduce_in<double>(job, world, options)
                                       : reduce_in<float>(job, world, options);
  });
}

}  // namespace sparsewire
