#include "reports/model_chart.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "reports/gnuplot.hpp"

namespace sparsewire {
namespace {

// The curves of time in units of the closed form.
std::vector<Curve> ratio_curves(const Group& group) {
  std::vector<Measurement> ratios;
  for (const Measurement* m : group) {
    if (!drawable(*m) || !m->model || !(m->model->total > 0)) continue;
    ratios.push_back(*m);
    ratios.back().time_s = m->time_s / m->model->total;
  }
  Group pointers;
  for (const Measurement& m : ratios) pointers.push_back(&m);
  return curves_of(pointers);
}

std::string plot_command(const std::vector<Curve>& curves, const Styles& styles) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    parts.push_back(fmt::format("data index {} with linespoints {} title {}", i,
                                styles.at(curves[i].algorithm).line, gnuplot_text(curves[i].algorithm)));
  }
  return fmt::format("  plot {}", fmt::join(parts, ", \\\n    "));
}

}  // namespace

std::optional<Chart> model_chart(const SeriesKey& key, const Group& group, const Styles& styles) {
  const std::vector<Curve> curves = ratio_curves(group);
  if (curves.empty()) return std::nullopt;
  std::vector<double> densities, ratios{0.95, 1.05};  // a look at 1 at least
  Chart chart = named_chart("model", key);
  for (const Curve& curve : curves) {
    chart.data += data_block(curve.algorithm, curve.points);
    for (const CurvePoint& point : curve.points)
      densities.push_back(point.density), ratios.push_back(point.time);
  }
  chart.settings = "set title " + full_title("Time over closed form", key) + "\n" +
                   density_axis("x", log_range(densities, 0.03)) + ratio_axis("y", log_range(ratios, 0.05)) +
                   density_axis_name() + light_grid() + "set ylabel 'time / closed-form time'\n" +
                   "set arrow from graph 0, first 1 to graph 1, first 1 nohead lw 1.5 lc rgb '#707070' back\n"
                   "set key outside right top Left reverse samplen 4 spacing 1.15 font ',12'\n";
  chart.drawing = plot_command(curves, styles);
  return chart;
}

}  // namespace sparsewire
