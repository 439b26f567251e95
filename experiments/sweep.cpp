#include "experiments/sweep.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "algorithms/catalogue.hpp"
#include "experiments/sha1.hpp"
#include "model/codec.hpp"
#include "topologies/topology_json.hpp"

namespace sparsewire {
namespace {

using nlohmann::json;

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream input(path, std::ios::binary);
  if (!input) throw std::runtime_error(path.string() + ": cannot open the file");
  return {std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
}

json machine_json(const Machine& machine) {
  const LogGP& network = machine.network;
  return {machine.name,
          network.L,
          network.o,
          network.g,
          network.G,
          network.S,
          network.serial_receiver,
          machine.compute.seconds_per_element};
}

class KeyMaker {
 public:
  KeyMaker(const Experiment& experiment, std::string_view program_version)
      : experiment_(experiment),
        base_({program_version, experiment.name, machine_json(experiment.machine), experiment.seed}),
        topology_(topology_to_json(experiment.topology)) {}

  std::string key(const Cell& cell, const Point& point) {
    json parts = {base_,         workload_json(cell.workload),
                  cell.ranks,    cell.dimension,
                  cell.density,  cell.precision,
                  point.backend, point.algorithm};
    if (point.codec != name_of(Codec::pairs)) parts.push_back({"codec", point.codec});
    if (point.backend == kSimGridBackend) parts.push_back(topology_);
    if (point.backend == kMpiBackend) parts.push_back({experiment_.repetitions, experiment_.warm_ups});
    return sha1_of(parts.dump());
  }

 private:
  // What decides the inputs of a workload.
  json workload_json(const Workload& workload) {
    struct Parameters {
      KeyMaker& keys;
      json operator()(const Uniform&) const { return "uniform"; }
      json operator()(const Overlap& overlap) const { return {"overlap", overlap.fraction}; }
      json operator()(const PowerLaw& power) const { return {"power-law", power.exponent}; }
      json operator()(const Clustered& clustered) const { return {"clustered", clustered.run_length}; }
      json operator()(const SvmlightFile& file) const {
        return {"libsvm", keys.hash_of_file(file.path), file.batch};
      }
    };
    return {workload.label, std::visit(Parameters{*this}, workload.kind)};
  }

  const std::string& hash_of_file(const std::filesystem::path& path) {
    const auto [entry, is_new] = file_hashes_.try_emplace(path);
    if (is_new) entry->second = sha1_of(contents_of(path));
    return entry->second;
  }

  const Experiment& experiment_;
  json base_, topology_;
  std::map<std::filesystem::path, std::string> file_hashes_;
};

bool reads_a_file(const Workload& workload) {
  return std::holds_alternative<SvmlightFile>(workload.kind);
}

}  // namespace

std::vector<Cell> cells_of(const Experiment& experiment, const std::vector<std::string>& backends,
                           std::string_view program_version) {
  KeyMaker keys(experiment, program_version);
  std::vector<Cell> cells;
  const auto add = [&](const Workload& workload, const std::string& precision, std::uint64_t dimension,
                       std::int64_t ranks, double density) {
    Cell cell{workload, static_cast<Rank>(ranks), dimension, density, precision, {}};
    for (const std::string& backend : backends)
      for (const std::string& codec : experiment.codecs)
        for (const std::string& algorithm : experiment.algorithms) {
          if (algorithm == kMpiAllreduce && backend != kMpiBackend) continue;
          Point point{backend, algorithm, "", codec};
          point.key = keys.key(cell, point);
          cell.points.push_back(std::move(point));
        }
    cells.push_back(std::move(cell));
  };
  for (const Workload& workload : experiment.workloads)
    for (const std::string& precision : experiment.precisions) {
      if (reads_a_file(workload)) {
        for (const std::int64_t ranks : experiment.ranks) add(workload, precision, 0, ranks, 0);
        continue;
      }
      for (const std::uint64_t dimension : experiment.dimensions)
        for (const std::int64_t ranks : experiment.ranks)
          for (const double density : experiment.densities)
            add(workload, precision, dimension, ranks, density);
    }
  return cells;
}

std::string describe(const Cell& cell, const Point& point) {
  std::string inputs = cell.workload.label;
  if (const auto* file = std::get_if<SvmlightFile>(&cell.workload.kind))
    inputs += fmt::format(", batch {}", file->batch);
  inputs += fmt::format(", P={}", cell.ranks);
  if (!reads_a_file(cell.workload))
    inputs += fmt::format(", N={}, density {:.4g}", cell.dimension, cell.density);
  const bool is_default = point.codec == name_of(Codec::pairs);
  return fmt::format("{} on {}: {}, {}{}", point.algorithm, point.backend, inputs, cell.precision,
                     is_default ? "" : " " + point.codec);
}

}  // namespace sparsewire
