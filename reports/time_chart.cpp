#include "reports/time_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/chart_frame.hpp"
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

struct Mark {
  std::string letter;
  double density;
  int level;         // lines of text above the plot
  bool before_line;  // the letter stands left of its line, as the next line is close
  bool family_changes;
};

std::string family_of(const std::vector<Curve>& curves, const std::string& algorithm) {
  return std::ranges::find(curves, algorithm, &Curve::algorithm)->family;
}

// A mark that is close to the one before it goes a line higher, in turn.
std::vector<Mark> marks_of(const std::vector<Curve>& curves, const std::vector<Changeover>& changes,
                           const Range& densities) {
  const double close = 0.035 * std::log(densities.high / densities.low);
  std::vector<Mark> marks;
  for (const Changeover& change : changes) {
    const bool family_changes = family_of(curves, change.from) != family_of(curves, change.to);
    Mark mark{letter(marks.size()), change.density, 0, false, family_changes};
    if (!marks.empty() && std::abs(std::log(mark.density / marks.back().density)) < close) {
      mark.level = (marks.back().level + 1) % 3;
      marks.back().before_line = true;
    }
    marks.push_back(mark);
  }
  return marks;
}

std::string mark_commands(const Mark& mark, const Frame& frame) {
  return fmt::format(
      "set arrow from {0:.6g}, graph 0 to {0:.6g}, {1} nohead {2} back\n"
      "set label '{3}' at {0:.6g}, {4} {5} font ',12'\n",
      mark.density, line_above_plot(frame, mark.level),
      mark.family_changes ? "lw 2 lc rgb 'black'" : "lw 1 lc rgb '#707070'", mark.letter,
      line_above_plot(frame, mark.level + 0.6), mark.before_line ? "right offset -0.3,0" : "center");
}

// What stands right of the plot under the key: who is the fastest from where on.
std::vector<std::string> summary_lines(const std::vector<Curve>& curves,
                                       const std::vector<Changeover>& changes) {
  const std::optional<std::string> first = fastest_at_lowest_density(exact_curves(curves));
  if (!first) return {};
  std::vector<std::string> lines{
      curves.back().family == "lossy" ? "fastest exact, from the left:" : "fastest, from the left:", *first};
  for (std::size_t i = 0; i < std::min(changes.size(), kNamed); ++i) {
    lines.push_back(fmt::format("{}: {} from {}", letter(i), changes[i].to,
                                format_crossover_density(changes[i].density)));
  }
  if (changes.size() > kNamed) lines.push_back(fmt::format("and {} more changes", changes.size() - kNamed));
  return lines;
}

std::size_t longest(const std::vector<Curve>& curves, const std::vector<std::string>& lines) {
  std::size_t length = 0;
  for (const Curve& curve : curves) length = std::max(length, curve.algorithm.size());
  for (const std::string& line : lines) {
    length =
        std::max(length, line.size() - std::min<std::size_t>(line.size(), 9));  // no key sample before it
  }
  return length;
}

}  // namespace

Chart time_chart(const SeriesKey& key, const std::vector<Curve>& curves, const Styles& styles) {
  const Range densities = log_range(all_of(curves, &CurvePoint::density), 0.03);
  const Range times = log_range(all_of(curves, &CurvePoint::time), 0.05);
  const std::vector<Changeover> changes = envelope_changes(exact_curves(curves));
  const std::vector<std::string> summary = summary_lines(curves, changes);
  const Frame frame = frame_for(430, curves.size() + summary.size() + 1, longest(curves, summary));
  Chart chart = named_chart("time", key);
  chart.width = frame.width, chart.height = frame.height;
  for (const Curve& curve : curves) chart.data += data_block(curve.algorithm, curve.points);
  chart.settings = frame_commands(frame, {parameters_line("Allreduce time", key), origin_line("", key, "")}) +
                   text_beside(frame, curves.size(), summary) + density_axis("x", densities) +
                   time_axis("y", times) + density_axis_name() + "set ylabel 'time of the slowest rank'\n" +
                   light_grid();
  for (const Mark& mark : marks_of(curves, changes, densities)) chart.settings += mark_commands(mark, frame);
  chart.drawing = plot_lines(curves, styles);
  return chart;
}

}  // namespace sparsewire
