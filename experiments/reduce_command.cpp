#include "experiments/reduce_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "experiments/job.hpp"
#include "experiments/names.hpp"
#include "experiments/reduce.hpp"

namespace sparsewire {
namespace {

namespace fs = std::filesystem;

template <class T>
std::vector<SparseVector<T>> vectors_for(const Job& job, const std::string& file) {
  if (!fs::is_regular_file(file) && !fs::is_fifo(file) && !fs::is_character_file(file))
    throw std::invalid_argument(fmt::format("{}: cannot open the file", file));
  std::vector<SparseVector<T>> vectors = rank_vectors<T>(read_svmlight(file, {}));
  if (vectors.empty()) throw std::invalid_argument(file + ": no vectors, expected a rank per line");
  if (job.session != nullptr && static_cast<std::size_t>(job.session->size()) != vectors.size())
    throw std::invalid_argument(
        fmt::format("{}: found {} vectors, expected one for each of the job's {} ranks", file, vectors.size(),
                    job.session->size()));
  return vectors;
}

template <class T>
int reduce_in(const Job& job, World& world, const ReduceOptions& options) {
  const auto vectors = job.together([&] { return vectors_for<T>(job, options.vectors); });
  if (job.world == nullptr && options.algorithm == kMpiAllreduce)
    throw std::invalid_argument(options.algorithm + " runs over MPI only: start it with mpirun");
  const auto algorithm = job.world != nullptr ? mpi_allreduce_named<T>(*job.world, options.algorithm)
                                              : allreduce_named<Stream<T>>(options.algorithm);
  const Reduction reduction = reduce(world, algorithm, vectors);
  if (job.speaks()) fmt::print("{}", reduction.text);
  return reduction.ranks_agree ? kDone : kSomeFailed;
}

// The simulator to reduce in; none if that is MPI's job.
std::unique_ptr<World> world_for(const ReduceOptions& options) {
  require_option_algorithm(options.algorithm);
  require_name("--precision", options.precision, {"fp32", "fp64"});
  return simulated_world(options.world);
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
