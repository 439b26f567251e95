#include "experiments/results_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "reports/charts.hpp"
#include "reports/results_io.hpp"
#include "reports/table.hpp"

namespace sparsewire {
namespace {

// Points of a file that could not be used have no density: there the reason tells them apart.
auto identity_of(const Measurement& m) {
  const std::string_view reason = m.dimension == 0 ? std::string_view(m.reason) : "";
  return std::tuple_cat(std::tie(m.experiment, m.workload, m.precision, m.dimension, m.ranks, m.density,
                                 m.backend, m.algorithm, m.machine, m.topology, m.seed),
                        std::make_tuple(reason));
}

// The time chart of the most ranks; empty if there is none.
std::filesystem::path first_to_look_at(const std::vector<Measurement>& measurements,
                                       const std::vector<std::filesystem::path>& charts) {
  std::filesystem::path first;
  std::int64_t most = 0;
  for (const Measurement& measurement : measurements)
    if (measurement.status == "ok") most = std::max(most, measurement.ranks);
  for (const std::filesystem::path& chart : charts) {
    const std::string name = chart.filename().string();
    if (name.starts_with("time_") && name.find(fmt::format("_P{}_", most)) != name.npos &&
        chart.extension() == ".png")
      first = chart;
  }
  return first;
}

}  // namespace

ResultsPaths results_paths(const std::filesystem::path& directory) {
  return {directory, directory / "points.jsonl", directory / "context.json", directory / "results.csv",
          directory / "plots"};
}

std::vector<Measurement> current_measurements(const ResultsPaths& paths) {
  if (!std::filesystem::exists(paths.points)) return {};
  std::vector<Measurement> all = read_measurements(paths.points);
  std::map<std::string_view, std::size_t> last_of_key;
  for (std::size_t i = 0; i < all.size(); ++i) last_of_key[all[i].key] = i;
  std::map<decltype(identity_of(all.front())), std::size_t> last;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (last_of_key.at(all[i].key) == i) last[identity_of(all[i])] = i;
  std::vector<Measurement> current;
  for (const auto& [identity, index] : last) current.push_back(all[index]);
  return current;
}

std::set<std::string> finished_keys(const std::vector<Measurement>& measurements) {
  std::set<std::string> keys;
  for (const Measurement& measurement : measurements)
    if (measurement.status == "ok") keys.insert(measurement.key);
  return keys;
}

std::string write_table(const ResultsPaths& paths) {
  const std::vector<Measurement> measurements = current_measurements(paths);
  if (measurements.empty())
    throw std::invalid_argument(paths.directory.string() +
                                ": no results, expected the points.jsonl of an earlier run");
  write_csv(paths.csv, measurements);
  return fmt::format("{}\nresults: {}\n         {}\n", results_table(measurements), paths.points.string(),
                     paths.csv.string());
}

std::string write_plots(const ResultsPaths& paths) {
  const std::vector<Measurement> measurements = current_measurements(paths);
  const std::vector<std::filesystem::path> charts = write_charts(measurements, paths.plots);
  if (charts.empty()) return "";
  const std::string text = fmt::format("plots:   {} files in {}\n", charts.size(), paths.plots.string());
  const std::filesystem::path first = first_to_look_at(measurements, charts);
  return first.empty() ? text : text + fmt::format("plot:    {}\n", first.string());
}

}  // namespace sparsewire
