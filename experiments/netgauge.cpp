#include "experiments/netgauge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <stdexcept>

#include "reports/statistics.hpp"

namespace sparsewire {
namespace {

constexpr std::size_t kColumns = 11;

[[noreturn]] void refuse(std::string_view file, std::size_t line, const std::string& found) {
  throw std::invalid_argument(fmt::format("{}: line {}: {}", file, line, found));
}

std::vector<double> numbers_of(const std::string& text, std::string_view file, std::size_t line) {
  std::vector<double> numbers;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    char* end = nullptr;
    numbers.push_back(std::strtod(word.c_str(), &end));
    if (*end != '\0') refuse(file, line, fmt::format("found \"{}\", expected a number", word));
  }
  if (numbers.size() != kColumns)
    refuse(file, line, fmt::format("found {} numbers, expected {}", numbers.size(), kColumns));
  return numbers;
}

NetgaugeRow row_of(const std::vector<double>& numbers, std::string_view file, std::size_t line) {
  constexpr double kMostBytes = 9e15;  // exact in a double
  const auto is_count = [](double value, double least) {
    return value >= least && value <= kMostBytes && value == std::floor(value);
  };
  if (!is_count(numbers[0], 1))
    refuse(file, line, fmt::format("size is {}, expected a whole number of at least 1", numbers[0]));
  if (!is_count(numbers[1], 2))
    refuse(file, line, fmt::format("n is {}, expected a whole number of at least 2", numbers[1]));
  for (const std::size_t column : {2, 3, 4})
    if (!(numbers[column] > 0) || !std::isfinite(numbers[column]))
      refuse(file, line, fmt::format("a PRTT is {}, expected a positive time", numbers[column]));
  constexpr Seconds kMicrosecond = 1e-6;
  return {static_cast<std::uint64_t>(numbers[0]),
          numbers[1],
          numbers[2] * kMicrosecond,
          numbers[3] * kMicrosecond,
          numbers[6] * kMicrosecond,
          numbers[7] * kMicrosecond};
}

Seconds median_slope(std::span<const NetgaugeRow> rows) {
  const auto is_small = [least = rows.back().bytes / 2](const NetgaugeRow& row) { return row.bytes < least; };
  const auto small = static_cast<std::size_t>(std::ranges::count_if(rows, is_small));
  rows = rows.subspan(std::min(small, rows.size() - 2));
  std::vector<double> slopes;
  for (std::size_t upper = 1; upper < rows.size(); ++upper)
    for (std::size_t lower = 0; lower < upper; ++lower)
      slopes.push_back((rows[upper].gap() - rows[lower].gap()) /
                       static_cast<double>(rows[upper].bytes - rows[lower].bytes));
  return median(slopes);
}

}  // namespace

std::vector<NetgaugeRow> read_netgauge(std::string_view text, std::string_view file) {
  std::vector<NetgaugeRow> rows;
  std::istringstream lines{std::string(text)};
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string::npos || line[start] == '#') continue;
    rows.push_back(row_of(numbers_of(line, file, number), file, number));
  }
  std::ranges::stable_sort(rows, {}, &NetgaugeRow::bytes);
  const auto repeated = std::ranges::unique(rows, {}, &NetgaugeRow::bytes);
  rows.erase(repeated.begin(), repeated.end());
  if (rows.size() < 2)
    throw std::invalid_argument(fmt::format(
        "{}: found {} sizes, expected at least 2 rows of a Netgauge LogGP table", file, rows.size()));
  return rows;
}

LogGP loggp_of(const std::vector<NetgaugeRow>& rows, std::string_view file) {
  const NetgaugeRow& smallest = rows.front();
  LogGP network;
  network.o = std::min((smallest.send_overhead + smallest.recv_overhead) / 2, smallest.one / 4);
  network.L = smallest.one / 2 - 2 * network.o;
  network.g = smallest.gap();
  network.G = median_slope(rows);
  if (!(network.o >= 0) || !(network.g >= 0) || !(network.L >= 0) || !(network.G > 0))
    throw std::invalid_argument(
        fmt::format("{}: found L={:.4g} s, o={:.4g} s, g={:.4g} s, G={:.4g} s/byte, expected G above 0 and "
                    "none below",
                    file, network.L, network.o, network.g, network.G));
  return network;
}

std::string json_of(const Machine& machine) {
  nlohmann::ordered_json json = {{"name", machine.name},
                                 {"source", machine.source},
                                 {"L_s", machine.network.L},
                                 {"o_s", machine.network.o},
                                 {"g_s", machine.network.g},
                                 {"G_s_per_byte", machine.network.G},
                                 {"rendezvous_threshold_bytes", machine.network.S},
                                 {"serial_receiver", machine.network.serial_receiver}};
  for (std::size_t kind = 0; kind < kWorkKinds; ++kind)
    json["compute"][std::string(kWorkKindNames[kind]) + "_s_per_element"] =
        machine.compute.seconds_per_element[kind];
  return json.dump(2) + "\n";
}

}  // namespace sparsewire
