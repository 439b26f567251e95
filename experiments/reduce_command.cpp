#include "experiments/reduce_command.hpp"

#include <fmt/format.h>

#include <memory>

#include "algorithms/coded_catalogue.hpp"
#include "algorithms/half_catalogue.hpp"
#include "experiments/names.hpp"
#include "experiments/precision.hpp"
#include "experiments/vectors_file.hpp"

namespace sparsewire {
namespace {

int finished(const Job& job, const Reduction& reduction) {
  if (job.speaks()) fmt::print("{}", reduction.text);
  return reduction.ranks_agree ? kDone : kSomeFailed;
}

// Sums travel in any codec and precision.
template <class T>
int sum_in(const Job& job, World& world, const ReduceOptions& options) {
  const auto vectors = job.together([&] { return vectors_for<T, Plus>(job, options.vectors); });
  const auto algorithm = job.world != nullptr ? mpi_allreduce_named<T>(*job.world, options.algorithm)
                                              : allreduce_named<Coded<T>>(options.algorithm);
  Coding coding{*codec_named(options.codec), {}};
  coding.quantisation.bits = quantised_bits(options.precision);
  return finished(job, reduce(world, algorithm, vectors, coding));
}

template <class T>
int reduce_in(const Job& job, World& world, const ReduceOptions& options) {
  return with_operator(options.operation, [&]<class Op>(Op) {
    if constexpr (std::is_same_v<Op, Plus>) return sum_in<T>(job, world, options);
    const auto vectors = job.together([&] { return vectors_for<T, Op>(job, options.vectors); });
    const auto algorithm = allreduce_named<Stream<T, Op>>(options.algorithm);
    return finished(job, reduce(world, algorithm, vectors));
  });
}

// What is refused of combinations.
void require_possible(const ReduceOptions& options, bool simulates) {
  const bool is_sum = options.operation == Plus::kName;
  if (!is_sum && (options.codec != name_of(Codec::pairs) ||
                  (options.precision != "fp32" && options.precision != "fp64")))
    throw std::invalid_argument(
        fmt::format("--op: found \"{}\" with {} in {}, expected sum: others go in pairs of fp32 or fp64 only",
                    options.operation, options.precision, options.codec));
  if (options.algorithm != kMpiAllreduce) return;
  if (simulates) throw std::invalid_argument(options.algorithm + " runs over MPI only: start it with mpirun");
  if (!is_sum)
    throw std::invalid_argument(
        fmt::format("--op: found \"{}\", expected sum: {} has no rules for NaNs of others", options.operation,
                    options.algorithm));
}

// The simulator to reduce in; none if that is MPI's job.
std::unique_ptr<World> world_for(const ReduceOptions& options) {
  require_option_algorithm(options.algorithm);
  require_name("--precision", options.precision, kPrecisions);
  require_name("--codec", options.codec, {kCodecNames.begin(), kCodecNames.end()});
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
    return with_value_of(options.precision, [&](auto value) {
      using T = decltype(value);
      if constexpr (std::floating_point<T>) return reduce_in<T>(job, world, options);
      return sum_in<T>(job, world, options);
    });
  });
}

}  // namespace sparsewire
