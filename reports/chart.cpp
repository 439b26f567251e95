#include "reports/chart.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

#include "reports/gnuplot.hpp"

namespace sparsewire {
namespace {

// A file name has to stay below 255 bytes with all its parts.
constexpr std::size_t kLongestPart = 30, kLongestWorkload = 60;

std::string sanitised(const std::string& text, std::size_t longest = kLongestPart) {
  std::string result;
  for (const char c : text.substr(0, longest)) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    result += kept ? c : '-';
  }
  return result;
}

std::string script_of(const Chart& chart) {
  constexpr std::string_view kScript =
      R"(# Draws ../{name}.svg and ../{name}.png: run `gnuplot {name}.gp` in this directory.
set encoding utf8
data = '{name}.dat'
{settings}
do for [kind in 'svg png'] {{
  if (kind eq 'svg') {{
    set terminal svg size {width},{height} background 'white' font 'sans-serif,14' fontscale 1.3
    point_scale = 0.65
  }} else {{
    set terminal pngcairo size {width2},{height2} font 'sans,14' fontscale 2 linewidth 2 pointscale 2
    point_scale = 1.0
  }}
  set output '../{name}.'.kind
{drawing}
  unset output
}}
)";
  return fmt::format(kScript, fmt::arg("name", chart.name), fmt::arg("settings", chart.settings),
                     fmt::arg("drawing", chart.drawing), fmt::arg("width", chart.width),
                     fmt::arg("height", chart.height), fmt::arg("width2", 2 * chart.width),
                     fmt::arg("height2", 2 * chart.height));
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

Chart named_chart(const std::string& kind, const SeriesKey& key) {
  const std::string ranks = key.ranks > 0 ? fmt::format("P{}_", key.ranks) : "";
  const bool both = !key.machine.empty() && !key.topology.empty();
  Chart chart;
  chart.name =
      fmt::format("{}_{}_{}_{}N{}_{}", kind, sanitised(key.backend),
                  sanitised(key.workload, kLongestWorkload), ranks, key.dimension, sanitised(format_of(key)));
  chart.place = fmt::format("{}{}{}", sanitised(key.machine), both ? "_" : "", sanitised(key.topology));
  return chart;
}

void make_names_unique(std::vector<Chart>& charts) {
  std::map<std::string, int> uses;
  for (const Chart& chart : charts) ++uses[chart.name];
  std::set<std::string> taken;
  for (Chart& chart : charts) {
    if (uses[chart.name] > 1 && !chart.place.empty()) chart.name += '_' + chart.place;
    const std::string base = chart.name;
    for (int number = 2; !taken.insert(chart.name).second; ++number)
      chart.name = fmt::format("{}_{}", base, number);
  }
}

std::vector<std::filesystem::path> draw(const Chart& chart, const std::filesystem::path& directory) {
  const std::filesystem::path sources = directory / "gnuplot";
  std::filesystem::create_directories(sources);
  write_file(sources / (chart.name + ".dat"), chart.data);
  write_file(sources / (chart.name + ".gp"), script_of(chart));
  run_gnuplot(sources, chart.name + ".gp");
  return {directory / (chart.name + ".svg"), directory / (chart.name + ".png")};
}

}  // namespace sparsewire
