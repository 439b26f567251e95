// Places the parts of a chart by pixels, so that no text overlaps another or the plot.
#pragma once

#include <string>
#include <vector>

#include "reports/series.hpp"

namespace sparsewire {

// One line of a title as a gnuplot expression, and how long it is.
struct TitleLine {
  std::string expression;
  std::size_t characters = 0;
};

// "<what>: uniform, P = 64 ranks, dimension N = 2^20, fp32"; without P when ranks = 0.
TitleLine parameters_line(const std::string& what, const SeriesKey& key);

// "<before>simgrid, machine daint, topology torus<after>".
TitleLine origin_line(const std::string& before, const SeriesKey& key, const std::string& after);

TitleLine text_line(const std::string& text);

// The lines as one expression, and the size of its font in points with which they fit into the width.
std::string title_expression(const std::vector<TitleLine>& lines);
double title_size(const std::vector<TitleLine>& lines, int width);

// The size of a chart that has its plot at the left and lines of text, the key first, beside it.
struct Frame {
  int width = 0, height = 0;
  double plot_height = 0;
};

// A frame for `lines` lines of at most `characters` characters, with a plot at least `plot_height` pixels
// high.
Frame frame_for(double plot_height, std::size_t lines, std::size_t characters);

// gnuplot commands that place the plot, its key and the title.
std::string frame_commands(const Frame& frame, const std::vector<TitleLine>& title);

// gnuplot commands that write lines beside the plot, below a key of `key_lines` entries.
std::string text_beside(const Frame& frame, std::size_t key_lines, const std::vector<std::string>& lines);

// The gnuplot coordinate so many lines of small text above the plot.
std::string line_above_plot(const Frame& frame, double lines);

}  // namespace sparsewire
