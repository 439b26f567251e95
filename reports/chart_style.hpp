// What the charts share: a look for each algorithm, logarithmic axes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/measurement.hpp"
#include "reports/series.hpp"

namespace sparsewire {

// The look of an algorithm. Colours are of the palette of Okabe and Ito (2008), which colour-blind readers
// can tell apart; points, dashes and fills tell algorithms apart without colour. Sparse ones have solid
// lines, filled points and plain fills, dense ones dashed lines, open points and hatched fills.
struct Style {
  int number = 0;     // from 1, sparse ones first
  std::string line;   // gnuplot's options of a line,
  std::string point;  // of its points
  std::string fill;   // and of a filled area
};

// The same look in all charts of these measurements.
using Styles = std::map<std::string, Style>;
Styles styles_of(const std::vector<Measurement>& measurements);

struct Range {
  double low = 0, high = 0;
};

// The range of positive values, wider by `margin` of its length at both ends of a logarithmic axis.
Range log_range(const std::vector<double>& values, double margin);

// gnuplot commands that give the axis ("x" or "y") a logarithmic scale over the range, with three to a dozen
// labelled tics whatever the range.
std::string density_axis(const std::string& axis, const Range& range);
std::string time_axis(const std::string& axis, const Range& range);
std::string ratio_axis(const std::string& axis, const Range& range);

// gnuplot commands for the names of the density axis and the grid behind the curves.
std::string density_axis_name();
std::string light_grid();

// The command that plots the curves as lines with points, curve i from block i of the data.
std::string plot_lines(const std::vector<Curve>& curves, const Styles& styles);

// One block of a gnuplot data file, to be chosen by its index.
std::string data_block(const std::string& name, const std::vector<CurvePoint>& points);

}  // namespace sparsewire
