#include "reports/time_chart.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "reports/gnuplot.hpp"
#include "reports/text.hpp"

namespace sparsewire {
namespace {

// As many change-overs are named; all of them have a line.
constexpr std::size_t kNamed = 12;

std::vector<double> all_of(const std::vector<Curve>& curves, double CurvePoint::*part) {
  std::vector<double> values;
  for (const Curve& curve : curves) {
    for (const CurvePoint& point : curve.points) values.push_back(point.*part);
  }
  return values;
}

std::string letter(std::size_t index) {
  const std::string name(1, static_cast<char>('A' + index % 26));
  return index < 26 ? name : fmt::format("{}{}", name, index / 26 + 1);
}

// Letters above the plot; one that stands close to the one before it goes a line higher, in turn.
std::string change_marks(const std::vector<Changeover>& changes, const Range& densities) {
  constexpr double kClose = 0.03;
  const double length = std::log(densities.high / densities.low);
  std::string commands;
  double previous = 0;
  int level = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const double density = changes[i].density;
    const bool close = previous > 0 && std::abs(std::log(density / previous)) < kClose * length;
    level = close ? (level + 1) % 3 : 0;
    previous = density;
    commands += fmt::format(
        "set arrow from {0:.6g}, graph 0 to {0:.6g}, graph {1} nohead lw 1 lc rgb '#707070' back\n", density,
        1.0 + 0.04 * level);
    commands += fmt::format("set label '{}' at {:.6g}, graph {} center font ',12'\n", letter(i), density,
                            1.025 + 0.04 * level);
  }
  return commands;
}

std::string named(const std::string& text) {
  return "keyentry with lines lw 0 lc rgb 'white' title " + gnuplot_text(text);
}

std::vector<std::string> change_entries(const std::vector<Curve>& curves,
                                        const std::vector<Changeover>& changes) {
  std::vector<std::string> entries{named(" "), named("fastest, from the left:"),
                                   named(*fastest_at_lowest_density(curves))};
  for (std::size_t i = 0; i < std::min(changes.size(), kNamed); ++i) {
    entries.push_back(named(fmt::format("{}: {} from {}", letter(i), changes[i].to,
                                        format_crossover_density(changes[i].density))));
  }
  if (changes.size() > kNamed)
    entries.push_back(named(fmt::format("and {} more changes", changes.size() - kNamed)));
  return entries;
}

std::string plot_command(const std::vector<Curve>& curves, const Styles& styles,
                         const std::vector<Changeover>& changes) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    parts.push_back(fmt::format("data index {} with linespoints {} title {}", i,
                                styles.at(curves[i].algorithm).line, gnuplot_text(curves[i].algorithm)));
  }
  for (const std::string& entry : change_entries(curves, changes)) parts.push_back(entry);
  return fmt::format("  plot {}", fmt::join(parts, ", \\\n    "));
}

}  // namespace

Chart time_chart(const SeriesKey& key, const std::vector<Curve>& curves, const Styles& styles) {
  const Range densities = log_range(all_of(curves, &CurvePoint::density), 0.03);
  const Range times = log_range(all_of(curves, &CurvePoint::time), 0.05);
  const std::vector<Changeover> changes = envelope_changes(curves);
  Chart chart = named_chart("time", key);
  for (const Curve& curve : curves) chart.data += data_block(curve.algorithm, curve.points);
  chart.settings = "set title " + full_title("Allreduce time", key) + " offset 0,1\n" +
                   density_axis("x", densities) + time_axis("y", times) + change_marks(changes, densities) +
                   density_axis_name() + light_grid() +
                   "set ylabel 'time'\n"
                   "set key outside right top Left reverse samplen 4 spacing 1.15 font ',12'\n";
  chart.drawing = plot_command(curves, styles, changes);
  return chart;
}

}  // namespace sparsewire
