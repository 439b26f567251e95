#include "reports/model_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/chart_frame.hpp"

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

}  // namespace

std::optional<Chart> model_chart(const SeriesKey& key, const Group& group, const Styles& styles) {
  const std::vector<Curve> curves = ratio_curves(group);
  if (curves.empty()) return std::nullopt;
  std::vector<double> densities, ratios{0.95, 1.05};  // a look at 1 at least
  std::size_t longest = 0;
  Chart chart = named_chart("model", key);
  for (const Curve& curve : curves) {
    chart.data += data_block(curve.algorithm, curve.points);
    longest = std::max(longest, curve.algorithm.size());
    for (const CurvePoint& point : curve.points)
      densities.push_back(point.density), ratios.push_back(point.time);
  }
  const Frame frame = frame_for(430, curves.size(), longest);
  chart.width = frame.width, chart.height = frame.height;
  chart.settings =
      frame_commands(frame, {parameters_line("Time over closed form", key), origin_line("", key, "")}) +
      density_axis("x", log_range(densities, 0.03)) + ratio_axis("y", log_range(ratios, 0.05)) +
      density_axis_name() + light_grid() +
      "set ylabel 'time / closed-form time'\n"
      "set arrow from graph 0, first 1 to graph 1, first 1 nohead lw 1.5 lc rgb '#707070' back\n";
  chart.drawing = plot_lines(curves, styles);
  return chart;
}

}  // namespace sparsewire
