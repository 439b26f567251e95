// What the charts share: a look for each algorithm, logarithmic axes, titles.
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
  int number = 0;    // from 1, sparse ones first
  std::string line;  // gnuplot's line and point options
  std::string fill;  // gnuplot's fill options
};

// The same look in all charts of these measurements.
using Styles = std::map<std::string, Style>;
Styles styles_of(const std::vector<Measurement>& measurements);

struct Range {
  double low = 0, high = 0;
};

// The range of positive values, wider by `margin` of its length at both ends of a logarithmic axis.
Range log_range(const std::vector<double>& values, double margin);

// gnuplot commands that give the axis ("x" or "y") a logarithmic scale over the range, with four to a dozen
// labelled tics whatever the range.
std::string density_axis(const std::string& axis, const Range& range);
std::string time_axis(const std::string& axis, const Range& range);
std::string ratio_axis(const std::string& axis, const Range& range);

// Titles as gnuplot expressions: "<what>: uniform, P = 64 ranks, N = 2^20 elements, fp32", and the same with
// a second line that says where it was obtained. Without P when ranks = 0.
std::string parameters_title(const std::string& what, const SeriesKey& key);
std::string full_title(const std::string& what, const SeriesKey& key);

// "simgrid, machine daint, topology torus", as plain text.
std::string origin_of(const SeriesKey& key);

// gnuplot commands for the names of the density axis and the grid behind the curves.
std::string density_axis_name();
std::string light_grid();

// One block of a gnuplot data file, to be chosen by its index.
std::string data_block(const std::string& name, const std::vector<CurvePoint>& points);

}  // namespace sparsewire
