#include "experiments/results_directory.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "reports/charts.hpp"
#include "reports/results_io.hpp"
#include "reports/table.hpp"

namespace sparsewire {
namespace {

auto identity_of(const Measurement& m) {
  return std::tie(m.experiment, m.workload, m.precision, m.dimension, m.ranks, m.density, m.backend,
                  m.algorithm, m.machine, m.topology, m.seed);
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

std::string write_report(const ResultsPaths& paths) {
  const std::vector<Measurement> measurements = current_measurements(paths);
  if (measurements.empty()) throw std::runtime_error(paths.points.string() + ": no results");
  write_csv(paths.csv, measurements);
  const std::vector<std::filesystem::path> charts = write_charts(measurements, paths.plots);
  std::string text = results_table(measurements);
  text += fmt::format("\nresults: {}\n         {}\n", paths.points.string(), paths.csv.string());
  if (!charts.empty()) text += fmt::format("plots:   {} files in {}\n", charts.size(), paths.plots.string());
  // the one to look at first: the time chart of the most ranks
  std::filesystem::path first;
  std::int64_t most = 0;
  for (const Measurement& measurement : measurements) most = std::max(most, measurement.ranks);
  for (const std::filesystem::path& chart : charts) {
    const std::string name = chart.filename().string();
    if (name.starts_with("time_") && name.find(fmt::format("_P{}_", most)) != name.npos &&
        chart.extension() == ".png")
      first = chart;
  }
  if (!first.empty()) text += fmt::format("plot:    {}\n", first.string());
  return text;
}

}  // namespace sparsewire
