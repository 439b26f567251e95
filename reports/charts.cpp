#include "reports/charts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "reports/best_chart.hpp"
#include "reports/chart.hpp"
#include "reports/chart_style.hpp"
#include "reports/model_chart.hpp"
#include "reports/prediction_chart.hpp"
#include "reports/series.hpp"
#include "reports/time_chart.hpp"

namespace sparsewire {
namespace {

using Groups = std::map<SeriesKey, Group>;

void append(std::vector<Chart>& charts, std::optional<Chart> chart) {
  if (chart) charts.push_back(std::move(*chart));
}

std::vector<Chart> series_charts(const Groups& groups, const Styles& styles) {
  std::vector<Chart> charts;
  for (const auto& [key, group] : groups) {
    const std::vector<Curve> curves = curves_of(group);
    if (!curves.empty()) charts.push_back(time_chart(key, curves, styles));
    append(charts, model_chart(key, group, styles));
  }
  return charts;
}

using Maps = std::map<SeriesKey, std::vector<MapRow>>;

// The maps that show a series each row; `shared` forgets of a key what the rows of a map may differ in.
Maps maps_by(const Groups& groups, SeriesKey (*shared)(SeriesKey)) {
  Maps maps;
  for (const auto& [key, group] : groups) {
    std::vector<Curve> curves = exact_curves(curves_of(group));
    if (!curves.empty()) maps[shared(key)].push_back({key.ranks, std::move(curves)});
  }
  for (auto& [key, rows] : maps) std::ranges::stable_sort(rows, {}, &MapRow::ranks);
  return maps;
}

SeriesKey without_ranks(SeriesKey key) {
  key.ranks = 0;
  return key;
}

SeriesKey without_ranks_and_place(SeriesKey key) {
  key.machine.clear(), key.topology.clear();
  return without_ranks(std::move(key));
}

bool has_one_row_per_ranks(const std::vector<MapRow>& rows) {
  return std::ranges::adjacent_find(rows, {}, &MapRow::ranks) == rows.end();
}

// A map for each machine and topology. Where each rank count was run on one of them alone (a topology that
// grows with the ranks), one map of all.
std::vector<Chart> best_charts(const Groups& groups, const Styles& styles) {
  const Maps by_place = maps_by(groups, without_ranks), merged = maps_by(groups, without_ranks_and_place);
  std::vector<Chart> charts;
  std::set<SeriesKey> drawn;
  for (const auto& [key, rows] : by_place) {
    const auto& all = merged.at(without_ranks_and_place(key));
    if (all.size() == rows.size() || !has_one_row_per_ranks(all)) {
      charts.push_back(best_chart(key, rows, styles));
    } else if (drawn.insert(without_ranks_and_place(key)).second) {
      charts.push_back(best_chart(without_ranks_and_place(key), all, styles));
    }
  }
  return charts;
}

bool same_problem(const SeriesKey& a, const SeriesKey& b) {
  return a.workload == b.workload && a.precision == b.precision && a.codec == b.codec &&
         a.dimension == b.dimension && a.ranks == b.ranks;
}

std::vector<Chart> prediction_charts(const Groups& groups, const Styles& styles) {
  std::vector<Chart> charts;
  for (const auto& [predicted, predictions] : groups) {
    if (predicted.backend == "mpi") continue;
    for (const auto& [measured, measurements] : groups) {
      if (measured.backend != "mpi" || !same_problem(predicted, measured)) continue;
      append(charts, prediction_chart(predicted, predictions, measured, measurements, styles));
    }
  }
  return charts;
}

}  // namespace

std::vector<std::filesystem::path> write_charts(const std::vector<Measurement>& measurements,
                                                const std::filesystem::path& directory) {
  const Groups groups = group_by_series(measurements);
  const Styles styles = styles_of(measurements);
  std::vector<Chart> charts = series_charts(groups, styles);
  for (Chart& chart : best_charts(groups, styles)) charts.push_back(std::move(chart));
  for (Chart& chart : prediction_charts(groups, styles)) charts.push_back(std::move(chart));
  make_names_unique(charts);

  std::filesystem::create_directories(directory);
  std::vector<std::filesystem::path> files;
  for (const Chart& chart : charts) {
    for (std::filesystem::path& file : draw(chart, directory)) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace sparsewire
