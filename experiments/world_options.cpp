#include "experiments/world_options.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "experiments/job.hpp"
#include "experiments/json_parse.hpp"
#include "experiments/machine_library.hpp"
#include "experiments/names.hpp"
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

}  // namespace

std::string backend_of(const WorldOptions& options) {
  if (!options.backend.empty()) return options.backend;
  return std::string(launched_processes() > 0 ? kMpiBackend : kLogGPBackend);
}

bool needs_mpi(const WorldOptions& options) {
  return backend_of(options) == kMpiBackend || launched_processes() > 0;
}

std::unique_ptr<World> simulated_world(const WorldOptions& options) {
  const std::string backend = backend_of(options);
  require_name("--backend", backend, backend_names());
  if (backend == kMpiBackend) return nullptr;
  if (launched_processes() > 0)
    throw std::invalid_argument(
        "--backend: simulators run in one process, start them without an MPI launcher");
  return simulated_world(backend, find_machine(options.machine), topology_of(options.topology));
}

void require_option_algorithm(const std::string& text) {
  try {
    require_exact_algorithm(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("--algorithm: {}", error.what()));
  }
}

}  // namespace sparsewire
