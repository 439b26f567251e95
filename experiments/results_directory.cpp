#include "experiments/results_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
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
  return std::tuple_cat(std::tie(m.experiment, m.workload, m.precision, m.codec, m.dimension, m.ranks,
                                 m.density, m.backend, m.algorithm, m.machine, m.topology, m.seed),
                        std::make_tuple(reason));
}

// The time chart of the most ranks; empty if there is none.
// The charts of the most ranks: time, and prediction where there is one.
std::vector<std::filesystem::path> first_to_look_at(const std::vector<Measurement>& measurements,
                                                    const std::vector<std::filesystem::path>& charts) {
  std::int64_t most = 0;
  const bool measured = std::ranges::any_of(
      measurements, [](const Measurement& m) { return m.backend == "mpi" && m.status == "ok"; });
  for (const Measurement& measurement : measurements)
    if (measurement.status == "ok" && (!measured || measurement.backend == "mpi"))
      most = std::max(most, measurement.ranks);
  std::filesystem::path time, prediction;
  for (const std::filesystem::path& chart : charts) {
    const std::string name = chart.filename().string();
    if (chart.extension() != ".png" || name.find(fmt::format("_P{}_", most)) == name.npos) continue;
    if (name.starts_with("time_")) time = chart;
    if (name.starts_with("prediction_")) prediction = chart;
  }
  std::vector<std::filesystem::path> first;
  for (const std::filesystem::path& chart : {time, prediction})
    if (!chart.empty()) first.push_back(chart);
  return first;
}

// "PARTIAL: ..." for each backend that has fewer points than its last run was to have.
std::string missing_points(const ResultsPaths& paths, const std::vector<Measurement>& measurements) {
  std::string text;
  for (const std::filesystem::path& file : {paths.context, paths.mpi_context}) {
    if (!std::filesystem::exists(file)) continue;
    for (const auto& [backend, planned] : read_context(file).points) {
      const auto there = static_cast<std::uint64_t>(
          std::ranges::count(measurements, backend, [](const Measurement& m) { return m.backend; }));
      if (there < planned)
        text += fmt::format("PARTIAL: {} has {} of {} points; table, crossovers and plots show only these\n",
                            backend, there, planned);
    }
  }
  return text;
}

// Removes charts that `drawn` does not hold, and what they were made of.
void remove_stale_charts(const std::filesystem::path& plots,
                         const std::vector<std::filesystem::path>& drawn) {
  std::set<std::string> stems;
  for (const std::filesystem::path& chart : drawn) stems.insert(chart.stem().string());
  for (const std::filesystem::path& folder : {plots, plots / "gnuplot"}) {
    if (!std::filesystem::is_directory(folder)) continue;
    std::vector<std::filesystem::path> stale;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string stem = entry.path().stem().string();
      const bool is_chart = stem.starts_with("time_") || stem.starts_with("best_") ||
                            stem.starts_with("prediction_") || stem.starts_with("model_");
      if (entry.is_regular_file() && is_chart && !stems.contains(stem)) stale.push_back(entry.path());
    }
    for (const std::filesystem::path& path : stale) std::filesystem::remove(path);
  }
}

}  // namespace

ResultsPaths results_paths(const std::filesystem::path& directory) {
  return {directory,
          directory / "points.jsonl",
          directory / "context.json",
          directory / "context-mpi.json",
          directory / "results.csv",
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
  return fmt::format("{}\n{}results: {}\n         {}\n", results_table(measurements),
                     missing_points(paths, measurements), paths.points.string(), paths.csv.string());
}

std::string write_plots(const ResultsPaths& paths) {
  const std::vector<Measurement> measurements = current_measurements(paths);
  const std::vector<std::filesystem::path> charts = write_charts(measurements, paths.plots);
  remove_stale_charts(paths.plots, charts);
  if (charts.empty()) return "";
  std::string text = fmt::format("plots:   {} files in {}\n", charts.size(), paths.plots.string());
  for (const std::filesystem::path& chart : first_to_look_at(measurements, charts))
    text += fmt::format("plot:    {}\n", chart.string());
  return text;
}

}  // namespace sparsewire
