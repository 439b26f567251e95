#include "reports/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "reports/series.hpp"
#include "reports/statistics.hpp"
#include "reports/text.hpp"

namespace sparsewire {
namespace {

// Points of one algorithm at one density.
struct Cell {
  std::vector<Seconds> times;
  std::string status;  // of the last point without a time

  Seconds time() const { return times.empty() ? HUGE_VAL : median(times); }
};

struct Column {
  std::string family, algorithm;
  auto operator<=>(const Column&) const = default;
};

using Row = std::map<Column, Cell, std::greater<>>;

struct Label {
  SeriesKey key;
  bool with_place;  // whether machine and topology tell series apart

  std::string text() const {
    std::string result = fmt::format("P={} N={} {} {} {}", key.ranks, key.dimension, key.workload,
                                     format_of(key), key.backend);
    if (with_place && !key.machine.empty()) result += ' ' + key.machine;
    if (with_place && !key.topology.empty()) result += ' ' + key.topology;
    return result;
  }
};

void add_point(Cell& cell, const Measurement& m) {
  const bool timed = m.status == "ok" && !std::isnan(m.time_s);
  if (timed) {
    cell.times.push_back(m.time_s);
  } else {
    cell.status = m.status;
  }
}

std::map<double, Row> rows_of(const Group& group) {
  std::map<double, Row> rows;
  for (const Measurement* m : group) add_point(rows[m->density][{m->family, m->algorithm}], *m);
  return rows;
}

std::vector<Column> columns_of(const std::map<double, Row>& rows) {
  std::set<Column> columns;
  for (const auto& [density, row] : rows) {
    for (const auto& [column, cell] : row) columns.insert(column);
  }
  std::vector<Column> sorted(columns.begin(), columns.end());
  std::ranges::stable_sort(sorted, {}, [](const Column& column) { return family_order(column.family); });
  return sorted;
}

// Of the exact algorithms.
Seconds fastest_of(const Row& row) {
  Seconds fastest = HUGE_VAL;
  for (const auto& [column, cell] : row)
    if (column.family != "lossy") fastest = std::min(fastest, cell.time());
  return fastest;
}

std::string cell_text(const Row& row, const Column& column, Seconds fastest) {
  const auto found = row.find(column);
  if (found == row.end()) return "-  ";
  const Cell& cell = found->second;
  if (cell.times.empty()) return cell.status + "  ";
  return format_time(cell.time()) + (column.family != "lossy" && cell.time() == fastest ? " *" : "  ");
}

// A name in lines cut after its hyphens, each at most 10 characters where the hyphens allow.
std::vector<std::string> wrapped(const std::string& name) {
  constexpr std::size_t kWidth = 10;
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('-', begin), name.size() - 1) + 1;
    const std::string part = name.substr(begin, end - begin);
    if (!lines.back().empty() && lines.back().size() + part.size() > kWidth) lines.emplace_back();
    lines.back() += part;
    begin = end;
  }
  return lines;
}

using TextColumn = std::vector<std::string>;  // heading lines, then one line a row

TextColumn heading(const std::string& name, std::size_t height) {
  TextColumn lines = wrapped(name);
  for (std::string& line : lines) line += "  ";
  lines.insert(lines.begin(), height - std::min(height, lines.size()), "");
  return lines;
}

std::string side_by_side(const std::vector<TextColumn>& columns) {
  std::vector<std::string> lines(columns.front().size());
  for (const TextColumn& column : columns) {
    std::size_t width = 0;
    for (const std::string& text : column) width = std::max(width, text.size());
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i] += fmt::format(" {:>{}}", column[i], width);
  }
  std::string result;
  for (const std::string& line : lines) result += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  return result;
}

std::string table_of(const Group& group) {
  const std::map<double, Row> rows = rows_of(group);
  const std::vector<Column> columns = columns_of(rows);
  std::size_t height = 1;
  for (const Column& column : columns) height = std::max(height, wrapped(column.algorithm).size());

  std::vector<TextColumn> text{heading("density", height)};
  for (const auto& [density, row] : rows) text.front().push_back(format_density(density) + "  ");
  for (const Column& column : columns) {
    TextColumn& lines = text.emplace_back(heading(column.algorithm, height));
    for (const auto& [density, row] : rows) lines.push_back(cell_text(row, column, fastest_of(row)));
  }
  return side_by_side(text);
}

std::string title_of(const SeriesKey& key) {
  std::string title = fmt::format("{}  {}  N={}  {}  P={}", key.backend, key.workload,
                                  format_power(key.dimension), format_of(key), key.ranks);
  if (!key.machine.empty()) title += "  machine " + key.machine;
  if (!key.topology.empty()) title += "  topology " + key.topology;
  return title;
}

std::string crossover_lines(const Label& label, const Group& group) {
  const std::vector<Curve> curves = exact_curves(curves_of(group));
  if (curves.empty()) return "";
  std::string lines;
  for (const Changeover& change : envelope_changes(curves)) {
    lines += fmt::format("{}: {} -> {} at density {}\n", label.text(), change.from, change.to,
                         format_crossover_density(change.density));
  }
  return lines + fmt::format("{}: best family: {}\n", label.text(), family_crossover(curves).statement);
}

bool several_places(const std::map<SeriesKey, Group>& groups) {
  std::set<std::pair<std::string, std::string>> places;
  for (const auto& [key, group] : groups) places.emplace(key.machine, key.topology);
  return places.size() > 1;
}

std::string points(std::size_t count) {
  return count == 1 ? "1 point" : fmt::format("{} points", count);
}

std::string unfinished_lines(const std::vector<Measurement>& measurements) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const Measurement& m : measurements) {
    if (m.status != "ok") ++counts[{m.status, m.reason.empty() ? "no reason given" : m.reason}];
  }
  std::string lines;
  for (const auto& [what, count] : counts) {
    lines += fmt::format("{} {}: {}\n", points(count), what.first, what.second);
  }
  return lines;
}

std::string doubtful_lines(const std::vector<Measurement>& measurements) {
  std::size_t disagreeing = 0, without_place = 0;
  for (const Measurement& m : measurements) {
    if (m.status != "ok") continue;
    if (!m.ranks_agree) ++disagreeing;
    if (!drawable(m)) ++without_place;
  }
  std::string lines;
  if (disagreeing > 0) lines += points(disagreeing) + " where ranks ended with different bits\n";
  if (without_place > 0)
    lines += points(without_place) + " left out of crossovers: density or time not positive\n";
  return lines;
}

std::string paragraph(const std::string& lines) {
  return lines.empty() ? "" : lines + '\n';
}

}  // namespace

std::string results_table(const std::vector<Measurement>& measurements) {
  const std::map<SeriesKey, Group> groups = group_by_series(measurements);
  if (groups.empty()) return "no results\n";
  const bool with_place = several_places(groups);
  std::string tables, crossovers;
  for (const auto& [key, group] : groups) {
    const auto skipped = [](const Measurement* point) { return point->status == "skipped"; };
    if (std::all_of(group.begin(), group.end(), skipped)) continue;  // nothing but a line at the end
    tables += title_of(key) + '\n' + table_of(group) + '\n';
    crossovers += crossover_lines({key, with_place}, group);
  }
  std::string text =
      tables + paragraph(crossovers) + unfinished_lines(measurements) + doubtful_lines(measurements);
  return text.substr(0, text.find_last_not_of('\n') + 1) + '\n';
}

}  // namespace sparsewire
