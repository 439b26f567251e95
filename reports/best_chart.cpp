#include "reports/best_chart.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "reports/chart_frame.hpp"
#include "reports/gnuplot.hpp"

namespace sparsewire {
namespace {

struct Cell {
  double density;
  double ranks;
  Range x, y;
  const Curve* best;
};

// Borders half way between neighbours in logarithms; the outer ones as far out as the nearest inner ones.
std::vector<Range> spans(const std::vector<double>& centers, double lone_factor) {
  std::vector<Range> result;
  for (std::size_t i = 0; i < centers.size(); ++i) {
    const bool first = i == 0, last = i + 1 == centers.size();
    const double below = first ? 0 : std::sqrt(centers[i] / centers[i - 1]);
    const double above = last ? 0 : std::sqrt(centers[i + 1] / centers[i]);
    const double alone = first && last ? lone_factor : std::max(below, above);
    result.push_back({centers[i] / (first ? alone : below), centers[i] * (last ? alone : above)});
  }
  return result;
}

std::map<double, const Curve*> best_by_density(const std::vector<Curve>& curves) {
  struct Best {
    Seconds time = HUGE_VAL;
    const Curve* curve = nullptr;
  };
  std::map<double, Best> best;
  for (const Curve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      Best& so_far = best[point.density];
      if (point.time < so_far.time) so_far = {point.time, &curve};
    }
  }
  std::map<double, const Curve*> result;
  for (const auto& [density, entry] : best) result[density] = entry.curve;
  return result;
}

using CellRow = std::vector<Cell>;

CellRow cells_of(const MapRow& row, const Range& y) {
  std::vector<double> densities;
  const auto best = best_by_density(row.curves);
  for (const auto& [density, curve] : best) densities.push_back(density);
  const std::vector<Range> x = spans(densities, 1.5);
  CellRow cells;
  for (std::size_t i = 0; i < densities.size(); ++i) {
    cells.push_back({densities[i], static_cast<double>(row.ranks), x[i], y, best.at(densities[i])});
  }
  return cells;
}

std::vector<CellRow> cell_rows(const std::vector<MapRow>& rows) {
  std::vector<double> ranks;
  for (const MapRow& row : rows) ranks.push_back(static_cast<double>(row.ranks));
  const std::vector<Range> y = spans(ranks, std::sqrt(2.0));
  std::vector<CellRow> result;
  for (std::size_t i = 0; i < rows.size(); ++i) result.push_back(cells_of(rows[i], y[i]));
  return result;
}

std::string segment(double x0, double y0, double x1, double y1) {
  return fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}\n", x0, y0, x1, y1);
}

// Borders between cells of different families, beside and above one another.
std::string boundary_segments(const std::vector<CellRow>& rows) {
  std::string segments;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i + 1 < rows[r].size(); ++i) {
      const Cell &left = rows[r][i], &right = rows[r][i + 1];
      if (left.best->family != right.best->family)
        segments += segment(left.x.high, left.y.low, left.x.high, left.y.high);
    }
    if (r + 1 == rows.size()) break;
    for (const Cell& lower : rows[r]) {
      for (const Cell& upper : rows[r + 1]) {
        const double low = std::max(lower.x.low, upper.x.low), high = std::min(lower.x.high, upper.x.high);
        if (low < high && lower.best->family != upper.best->family)
          segments += segment(low, lower.y.high, high, lower.y.high);
      }
    }
  }
  return segments;
}

std::string cell_block(const std::string& algorithm, int number, const std::vector<CellRow>& rows) {
  std::string block = fmt::format("# {}\n", gnuplot_text(algorithm));
  for (const CellRow& row : rows) {
    for (const Cell& cell : row) {
      if (cell.best->algorithm != algorithm) continue;
      block += fmt::format("{:.9g} {} {:.9g} {:.9g} {:.9g} {:.9g} {}\n", cell.density, cell.ranks, cell.x.low,
                           cell.x.high, cell.y.low, cell.y.high, number);
    }
  }
  return block + "\n\n";
}

// The winners of all cells in the order of their numbers.
std::vector<std::string> winners_of(const std::vector<CellRow>& rows, const Styles& styles) {
  std::map<int, std::string> winners;
  for (const CellRow& row : rows) {
    for (const Cell& cell : row) winners[styles.at(cell.best->algorithm).number] = cell.best->algorithm;
  }
  std::vector<std::string> names;
  for (const auto& [number, name] : winners) names.push_back(name);
  return names;
}

Range extent(const std::vector<CellRow>& rows, Range Cell::*part) {
  Range range{HUGE_VAL, 0};
  for (const CellRow& row : rows) {
    for (const Cell& cell : row) {
      range.low = std::min(range.low, (cell.*part).low);
      range.high = std::max(range.high, (cell.*part).high);
    }
  }
  return range;
}

std::string ranks_axis(const std::vector<MapRow>& rows, const Range& range) {
  std::vector<std::string> tics;
  for (const MapRow& row : rows) tics.push_back(fmt::format("'{0}' {0}", row.ranks));
  return fmt::format("set logscale y 2\nset yrange [{:.9g}:{:.9g}]\nset ytics ({})\n", range.low, range.high,
                     fmt::join(tics, ", "));
}

std::string plot_command(const std::vector<std::string>& winners, bool boundary, const Styles& styles) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < winners.size(); ++i) {
    const Style& style = styles.at(winners[i]);
    parts.push_back(fmt::format("data index {} using 1:2:3:4:5:6 with boxxyerror {} title {}", i, style.fill,
                                gnuplot_text(fmt::format("{}  {}", style.number, winners[i]))));
  }
  for (std::size_t i = 0; i < winners.size(); ++i) {
    parts.push_back(
        fmt::format("data index {} using 1:2:(sprintf('%d', $7)) with labels boxed font ',13' notitle", i));
  }
  if (boundary) {
    parts.push_back(
        fmt::format("data index {} using 1:2:($3-$1):($4-$2) with vectors nohead lw 3.5 lc rgb 'black' title "
                    "'sparse | dense'",
                    winners.size()));
  }
  return fmt::format("  plot {}", fmt::join(parts, ", \\\n    "));
}

double plot_height(std::size_t rows) {
  return std::clamp(70.0 * static_cast<double>(rows), 200.0, 650.0);
}

std::size_t longest(const std::vector<std::string>& names) {
  constexpr std::size_t kNumber = 4;
  std::size_t length = 0;
  for (const std::string& name : names) length = std::max(length, name.size() + kNumber);
  return length;
}

}  // namespace

Chart best_chart(const SeriesKey& key, const std::vector<MapRow>& rows, const Styles& styles) {
  const std::vector<CellRow> cells = cell_rows(rows);
  const std::vector<std::string> winners = winners_of(cells, styles);
  const Frame frame = frame_for(plot_height(rows.size()), winners.size() + 1, longest(winners));
  Chart chart = named_chart("best", key);
  chart.width = frame.width, chart.height = frame.height;
  for (const std::string& winner : winners) chart.data += cell_block(winner, styles.at(winner).number, cells);
  const std::string boundary = boundary_segments(cells);
  chart.data += "# boundary between the families\n" + boundary;
  chart.settings =
      frame_commands(frame, {parameters_line("Fastest allreduce", key), origin_line("", key, "")}) +
      density_axis("x", extent(cells, &Cell::x)) + ranks_axis(rows, extent(cells, &Cell::y)) +
      density_axis_name() +
      "set ylabel 'ranks P'\n"
      "set style textbox opaque noborder fillcolor rgb 'white' margins 0.6,0.6\n"
      "set tics out nomirror\n";
  chart.drawing = plot_command(winners, !boundary.empty(), styles);
  return chart;
}

}  // namespace sparsewire
