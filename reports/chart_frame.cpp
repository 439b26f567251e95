#include "reports/chart_frame.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/gnuplot.hpp"
#include "reports/text.hpp"

namespace sparsewire {
namespace {

// Pixels. Text has 14 points, beside the plot 12, with PNG's metrics, which are the wider ones.
constexpr double kLeft = 135, kAbove = 135, kBelow = 75, kPlotWidth = 680, kGap = 25;
constexpr double kTextLine = 21, kCharacter = 8.6, kKeySample = 80;
constexpr double kTitleSize = 14, kSmallestTitleSize = 7, kTitleCharacter = 10.3;

std::string superscript(const std::string& power) {
  const std::size_t mark = power.find('^');
  if (mark == power.npos) return power;
  return fmt::format("{}^{{{}}}", power.substr(0, mark), power.substr(mark + 1));
}

std::string screen_x(const Frame& frame, double pixels) {
  return fmt::format("screen {:.4f}", pixels / frame.width);
}

std::string screen_y(const Frame& frame, double pixels_from_top) {
  return fmt::format("screen {:.4f}", 1 - pixels_from_top / frame.height);
}

}  // namespace

TitleLine parameters_line(const std::string& what, const SeriesKey& key) {
  const std::string ranks = key.ranks > 0 ? fmt::format(", P = {} ranks", key.ranks) : "";
  const std::string before = fmt::format("{}: {}{}, dimension N = ", what, key.workload, ranks);
  const std::string dimension = format_power(key.dimension), after = ", " + format_of(key);
  return {fmt::format("{}.{}.{}", gnuplot_text(before), gnuplot_enhanced(superscript(dimension)),
                      gnuplot_text(after)),
          before.size() + dimension.size() + after.size()};
}

TitleLine origin_line(const std::string& before, const SeriesKey& key, const std::string& after) {
  std::string text = before + key.backend;
  if (!key.machine.empty()) text += ", machine " + key.machine;
  if (!key.topology.empty()) text += ", topology " + key.topology;
  return text_line(text + after);
}

TitleLine text_line(const std::string& text) {
  return {gnuplot_text(text), text.size()};
}

std::string title_expression(const std::vector<TitleLine>& lines) {
  std::string expression;
  for (const TitleLine& line : lines) {
    if (!expression.empty()) expression += R"(."\n".)";
    expression += line.expression;
  }
  return expression;
}

double title_size(const std::vector<TitleLine>& lines, int width) {
  std::size_t longest = 1;
  for (const TitleLine& line : lines) longest = std::max(longest, line.characters);
  const double fitting = kTitleSize * (width - 2 * kGap) / (kTitleCharacter * static_cast<double>(longest));
  return std::clamp(fitting, kSmallestTitleSize, kTitleSize);
}

Frame frame_for(double plot_height, std::size_t lines, std::size_t characters) {
  Frame frame;
  frame.plot_height = std::max(plot_height, static_cast<double>(lines) * kTextLine);
  frame.width = static_cast<int>(kLeft + kPlotWidth + 2 * kGap + kKeySample +
                                 static_cast<double>(characters) * kCharacter);
  frame.height = static_cast<int>(kAbove + kBelow + frame.plot_height);
  return frame;
}

std::string frame_commands(const Frame& frame, const std::vector<TitleLine>& title) {
  const double right = kLeft + kPlotWidth;
  return fmt::format("set lmargin at {}\nset rmargin at {}\nset tmargin at {}\nset bmargin at {}\n",
                     screen_x(frame, kLeft), screen_x(frame, right), screen_y(frame, kAbove),
                     screen_y(frame, frame.height - kBelow)) +
         fmt::format(
             "set key at {}, {} left top vertical maxcols 1 Left reverse samplen 4 spacing 1.1 font ',12'\n",
             screen_x(frame, right + kGap), screen_y(frame, kAbove - kTextLine / 2)) +
         fmt::format("set label {} at screen 0.5, {} center font ',{:.3g}'\n", title_expression(title),
                     screen_y(frame, kGap), title_size(title, frame.width));
}

std::string text_beside(const Frame& frame, std::size_t key_lines, const std::vector<std::string>& lines) {
  std::string commands;
  double y = kAbove + static_cast<double>(key_lines + 1) * kTextLine;
  for (const std::string& line : lines) {
    commands += fmt::format("set label {} at {}, {} left font ',12'\n", gnuplot_text(line),
                            screen_x(frame, kLeft + kPlotWidth + kGap), screen_y(frame, y));
    y += kTextLine;
  }
  return commands;
}

std::string line_above_plot(const Frame& frame, double lines) {
  return fmt::format("graph {:.4f}", 1 + lines * kTextLine / frame.plot_height);
}

}  // namespace sparsewire
