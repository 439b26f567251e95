#include "reports/prediction_chart.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "reports/chart_frame.hpp"
#include "reports/gnuplot.hpp"
#include "reports/text.hpp"

namespace sparsewire {
namespace {

// Pixels above the panels, below them, and between two rows of them.
constexpr double kAbove = 165, kBelow = 65, kBetween = 95;

struct Panel {
  Curve predicted;
  Group measured;
  std::vector<double> ratios;  // measured over predicted, where both have the density
};

std::vector<double> ratios_of(const Curve& predicted, const Group& measured) {
  constexpr double kSameDensity = 0.02;
  std::vector<double> ratios;
  for (const Measurement* m : measured) {
    for (const CurvePoint& point : predicted.points) {
      if (std::abs(std::log(point.density / m->density)) < kSameDensity)
        ratios.push_back(m->time_s / point.time);
    }
  }
  return ratios;
}

std::vector<Panel> panels_of(const Group& predictions, const Group& measurements) {
  std::vector<Panel> panels;
  for (const Curve& curve : curves_of(predictions)) {
    Panel panel{curve, {}, {}};
    for (const Measurement* m : measurements) {
      if (m->algorithm == curve.algorithm && drawable(*m)) panel.measured.push_back(m);
    }
    panel.ratios = ratios_of(curve, panel.measured);
    if (!panel.ratios.empty()) panels.push_back(std::move(panel));
  }
  return panels;
}

bool has_interval(const Measurement& m) {
  return m.confidence_s && std::isfinite((*m.confidence_s)[0]) && (*m.confidence_s)[0] > 0 &&
         std::isfinite((*m.confidence_s)[1]);
}

bool has_intervals(const Panel& panel) {
  return std::ranges::any_of(panel.measured, [](const Measurement* m) { return has_interval(*m); });
}

// density, time, low, high; '?' where there is no interval.
std::string measured_block(const Group& measured) {
  std::string block = "# measured\n";
  for (const Measurement* m : measured) {
    block += fmt::format("{} {} ", m->density, m->time_s);
    block +=
        has_interval(*m) ? fmt::format("{} {}\n", (*m->confidence_s)[0], (*m->confidence_s)[1]) : "? ?\n";
  }
  return block + "\n\n";
}

Range densities_of(const std::vector<Panel>& panels) {
  std::vector<double> densities;
  for (const Panel& panel : panels) {
    for (const CurvePoint& point : panel.predicted.points) densities.push_back(point.density);
    for (const Measurement* m : panel.measured) densities.push_back(m->density);
  }
  return log_range(densities, 0.06);
}

Range times_of(const Panel& panel) {
  std::vector<double> times;
  for (const CurvePoint& point : panel.predicted.points) times.push_back(point.time);
  for (const Measurement* m : panel.measured) {
    times.push_back(m->time_s);
    if (has_interval(*m)) times.insert(times.end(), m->confidence_s->begin(), m->confidence_s->end());
  }
  return log_range(times, 0.08);
}

// "1.12 (0.93 to 1.4)": geometric mean and extremes.
std::string agreement(const std::vector<double>& ratios) {
  double sum = 0;
  for (const double ratio : ratios) sum += std::log(ratio);
  const auto [low, high] = std::ranges::minmax(ratios);
  return fmt::format("{:.3g} ({:.3g} to {:.3g})", std::exp(sum / static_cast<double>(ratios.size())), low,
                     high);
}

struct Grid {
  int columns, rows;
};

Grid grid_for(std::size_t panels) {
  const int count = static_cast<int>(panels);
  const int columns = count <= 4 ? std::min(count, 2) : 3;
  return {columns, (count + columns - 1) / columns};
}

std::string panel_commands(const Panel& panel, std::size_t index, const Style& style) {
  std::string text =
      fmt::format(R"(  set title {}."\n".{} offset 0,-0.5)", gnuplot_text(panel.predicted.algorithm),
                  gnuplot_text("ratio " + agreement(panel.ratios)));
  text += "\n  " + time_axis("y", times_of(panel));
  text += fmt::format("  plot data index {} with lines {} notitle", 2 * index, style.line);
  if (has_intervals(panel)) {
    text += fmt::format(
        ", data index {} using 1:3:(0):($4-$3) with vectors heads size screen 0.004,90 nofilled lc rgb "
        "'black' lw 1.2 notitle",
        2 * index + 1);
  }
  return text + fmt::format(
                    ", data index {} using 1:2 with points lc rgb 'black' pt 7 ps 0.75*point_scale notitle\n",
                    2 * index + 1);
}

// The axes are named at the left column and at the lowest panel of each column.
std::string axis_names(std::size_t index, std::size_t panels, const Grid& grid) {
  const bool left = index % grid.columns == 0, lowest = index + grid.columns >= panels;
  return fmt::format("  set ylabel '{}'\n  set xlabel '{}'\n", left ? "time" : "",
                     lowest ? "density of a rank (non-zeros / N)" : "");
}

std::vector<TitleLine> title_of(const SeriesKey& predicted, const SeriesKey& measured,
                                const std::vector<Panel>& panels) {
  const bool intervals = std::ranges::any_of(panels, [](const Panel& panel) { return has_intervals(panel); });
  const std::string note = intervals ? ", with 95 % confidence intervals of the median" : "";
  return {parameters_line("Allreduce time", predicted), origin_line("line: predicted by ", predicted, ""),
          origin_line("points: measured over ", measured, note),
          text_line("ratio: measured / predicted, geometric mean (lowest to highest)")};
}

std::string drawing_of(const std::vector<Panel>& panels, const std::vector<TitleLine>& title,
                       const Chart& chart, const Styles& styles) {
  const Grid grid = grid_for(panels.size());
  std::string text = fmt::format("  set multiplot layout {},{} margins screen 0.1,0.98,{:.3f},{:.3f}",
                                 grid.rows, grid.columns, kBelow / chart.height, 1.0 - kAbove / chart.height);
  text += fmt::format(" spacing screen 0.08,{:.3f} title {} font ',{:.3g}'\n", kBetween / chart.height,
                      title_expression(title), title_size(title, chart.width));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    text += axis_names(i, panels.size(), grid) +
            panel_commands(panels[i], i, styles.at(panels[i].predicted.algorithm));
  }
  return text + "  unset multiplot";
}

}  // namespace

std::optional<Chart> prediction_chart(const SeriesKey& predicted, const Group& predictions,
                                      const SeriesKey& measured, const Group& measurements,
                                      const Styles& styles) {
  const std::vector<Panel> panels = panels_of(predictions, measurements);
  if (panels.empty()) return std::nullopt;
  Chart chart = named_chart("prediction", predicted);
  chart.place = fmt::format("{}_{}", chart.place, named_chart("", measured).place);
  const Grid grid = grid_for(panels.size());
  chart.width = grid.columns == 3 ? 1200 : 1000;
  chart.height = static_cast<int>(kAbove + kBelow - kBetween) + 300 * grid.rows;
  for (const Panel& panel : panels) {
    chart.data +=
        data_block(panel.predicted.algorithm, panel.predicted.points) + measured_block(panel.measured);
  }
  chart.settings =
      density_axis("x", densities_of(panels)) + light_grid() +
      "set datafile missing '?'\n"
      "set tics font ',11'\nset xlabel font ',12'\nset ylabel font ',12'\nset title font ',13'\n";
  chart.drawing = drawing_of(panels, title_of(predicted, measured, panels), chart, styles);
  return chart;
}

}  // namespace sparsewire
