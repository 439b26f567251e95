#include "experiments/reduce_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/job.hpp"
#include "experiments/json_parse.hpp"
#include "experiments/machine_library.hpp"
#include "experiments/names.hpp"
#include "experiments/reduce.hpp"
#include "experiments/simulated_run.hpp"
#include "topologies/read_topology.hpp"

namespace sparsewire {
namespace {

namespace fs = std::filesystem;

nlohmann::json parsed(const std::string& text, const std::string& source) {
  ParsedJson parsed = parse_json(text);
  if (parsed.problems.empty()) return std::move(parsed.value);
  const Problem& first = parsed.problems.front();
  throw std::invalid_argument(
      fmt::format("{}{}{}: {}", source, first.pointer.empty() ? "" : ": ", first.pointer, first.message));
}

Topology topology_of(const std::string& text) {
  nlohmann::json json = {{"name", text}};
  fs::path folder;
  if (text.starts_with('{')) {
    json = parsed(text, "--topology");
  } else if (fs::is_regular_file(text)) {
    std::ifstream input(text);
    json = parsed({std::istreambuf_iterator<char>(input), {}}, "--topology: " + text);
    folder = fs::path(text).parent_path();
    if (json.is_object() && json.contains("edges"))
      json.emplace("name", "graph");  // as an experiment may leave it out
  }
  try {
    return topology_from_json(json, folder);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("--topology: {}", error.what()));
  }
}

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

void require_option_algorithm(const std::string& text) {
  try {
    require_algorithm(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("--algorithm: {}", error.what()));
  }
}

// The simulator to reduce in; none if that is MPI's job.
std::unique_ptr<World> world_for(const ReduceOptions& options, const std::string& backend) {
  require_option_algorithm(options.algorithm);
  require_name("--backend", backend, backend_names());
  require_name("--precision", options.precision, {"fp32", "fp64"});
  if (backend == kMpiBackend) return nullptr;
  if (launched_processes() > 0)
    throw std::invalid_argument(
        "--backend: simulators run in one process, start them without an MPI launcher");
  return simulated_world(backend, find_machine(options.machine), topology_of(options.topology));
}

}  // namespace

int reduce_command(const ReduceOptions& options) {
  const std::string backend = !options.backend.empty()
                                  ? options.backend
                                  : std::string(launched_processes() > 0 ? kMpiBackend : kLogGPBackend);
  const Job job = Job::start(backend == kMpiBackend || launched_processes() > 0);
  return exit_code_of(job, [&] {
    const auto simulated = job.together([&] { return world_for(options, backend); });
    World& world = simulated != nullptr ? *simulated : *job.world;
    return options.precision == "fp64" ? reduce_in<double>(job, world, options)
                                       : reduce_in<float>(job, world, options);
  });
}

}  // namespace sparsewire
