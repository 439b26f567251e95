// A chart as plain data.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/series.hpp"

namespace sparsewire {

struct Chart {
  std::string name;   // of its files, without extension
  std::string place;  // machine and topology, added to the name where it is not unique without
  int width = 1000;   // pixels of the SVG; the PNG has twice as many, for print
  int height = 620;
  std::string data;      // the data file; the commands call it `data`
  std::string settings;  // gnuplot commands that hold for the whole chart
  std::string drawing;   // gnuplot commands that plot; `point_scale` makes points of one size in both formats
};

// A chart without contents, named "time_simgrid_uniform_P64_N1048576_fp32" of letters, digits, '.', '-' and
// '_' alone; without P where several rank counts share the chart (ranks = 0).
Chart named_chart(const std::string& kind, const SeriesKey& key);

// Makes the names unique, first by place, then by a number.
void make_names_unique(std::vector<Chart>& charts);

// Writes directory/gnuplot/NAME.gp and NAME.dat and lets gnuplot draw directory/NAME.svg and NAME.png, which
// are returned. Throws std::runtime_error when a file cannot be written or gnuplot fails.
std::vector<std::filesystem::path> draw(const Chart& chart, const std::filesystem::path& directory);

}  // namespace sparsewire
