#include "reports/crossover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

#include "reports/text.hpp"

namespace sparsewire {
namespace {

// A checked curve that is read by density.
struct Line {
  std::string algorithm, family;
  std::map<double, Seconds> times;

  bool has(double density) const { return times.contains(density); }
  bool ends_before(double density) const { return times.empty() || times.rbegin()->first < density; }
};

// The current algorithm of the envelope changes at the measured density `grid_density`; `crossing` is absent
// when the lines' crossing was not measured.
struct Takeover {
  double grid_density;
  const Line* from;
  const Line* to;
  std::optional<double> crossing;
};

struct Envelope {
  const Line* first = nullptr;
  std::vector<Takeover> takeovers;
};

bool positive(double value) {
  return std::isfinite(value) && value > 0;
}

Line checked_line(const Curve& curve) {
  Line line{curve.algorithm, curve.family, {}};
  for (const CurvePoint& point : curve.points) {
    if (!positive(point.density) || !positive(point.time)) {
      throw std::invalid_argument(fmt::format("curve of {}: density {} and time {} must be positive",
                                              curve.algorithm, point.density, point.time));
    }
    if (!line.times.emplace(point.density, point.time).second) {
      throw std::invalid_argument(
          fmt::format("curve of {}: density {} stands twice", curve.algorithm, point.density));
    }
  }
  return line;
}

// Sorted by name, so that the order of the curves and ties between them do not matter.
std::vector<Line> checked_lines(const std::vector<Curve>& curves) {
  std::vector<Line> lines;
  for (const Curve& curve : curves) lines.push_back(checked_line(curve));
  std::ranges::sort(lines, {}, &Line::algorithm);
  const auto twice = std::ranges::adjacent_find(lines, {}, &Line::algorithm);
  if (twice != lines.end()) throw std::invalid_argument("two curves of algorithm " + twice->algorithm);
  return lines;
}

std::set<double> grid_of(const std::vector<Line>& lines) {
  std::set<double> grid;
  for (const Line& line : lines) {
    for (const auto& [density, time] : line.times) grid.insert(density);
  }
  return grid;
}

const Line& fastest_at(const std::vector<Line>& lines, double density) {
  const Line* best = nullptr;
  for (const Line& line : lines) {
    if (!line.has(density)) continue;
    if (best == nullptr || line.times.at(density) < best->times.at(density)) best = &line;
  }
  return *best;
}

std::optional<double> last_common_density_before(double density, const Line& a, const Line& b) {
  for (auto it = std::make_reverse_iterator(a.times.lower_bound(density)); it != a.times.rend(); ++it) {
    if (b.has(it->first)) return it->first;
  }
  return std::nullopt;
}

// Where `to` overtakes `from` at or before `high`, at which it is the faster one.
std::optional<double> crossing(const Line& from, const Line& to, double high) {
  const std::optional<double> low = last_common_density_before(high, from, to);
  if (!low) return std::nullopt;
  const double lead_low = std::log(from.times.at(*low) / to.times.at(*low));
  const double lead_high = std::log(from.times.at(high) / to.times.at(high));
  if (lead_low > 0) return std::nullopt;
  const double share = lead_low / (lead_low - lead_high);
  return std::clamp(*low * std::exp(share * std::log(high / *low)), *low, high);
}

Envelope envelope_of(const std::vector<Line>& lines) {
  Envelope envelope;
  const Line* current = nullptr;
  for (const double density : grid_of(lines)) {
    const Line& best = fastest_at(lines, density);
    if (current == nullptr) {
      envelope.first = current = &best;
    } else if (current->has(density)) {
      if (!(best.times.at(density) < current->times.at(density))) continue;
      envelope.takeovers.push_back({density, current, &best, crossing(*current, best, density)});
      current = &best;
    } else if (current->ends_before(density)) {
      envelope.takeovers.push_back({density, current, &best, std::nullopt});
      current = &best;
    }
  }
  return envelope;
}

std::set<double> densities_of_family(const std::vector<Line>& lines, std::string_view family) {
  std::set<double> densities;
  for (const Line& line : lines) {
    if (line.family != family) continue;
    for (const auto& [density, time] : line.times) densities.insert(density);
  }
  return densities;
}

void keep_only(std::vector<Line>& lines, const std::set<double>& densities) {
  for (Line& line : lines) {
    std::erase_if(line.times, [&](const auto& point) { return !densities.contains(point.first); });
  }
}

void check_families(const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    if (line.family == "sparse" || line.family == "dense") continue;
    throw std::invalid_argument(
        fmt::format("algorithm {}: unknown family '{}'", line.algorithm, line.family));
  }
}

FamilyCrossover describe(const Envelope& envelope) {
  FamilyCrossover result;
  result.statement = envelope.first->family;
  bool changed = false;
  for (const Takeover& takeover : envelope.takeovers) {
    if (takeover.from->family == takeover.to->family) continue;
    changed = true;
    const double density = takeover.crossing.value_or(takeover.grid_density);
    result.statement +=
        fmt::format(", {} {} {}", takeover.to->family, takeover.crossing ? "from" : "at the latest from",
                    format_crossover_density(density));
    if (!takeover.crossing) continue;
    result.crossings.push_back({density, takeover.from->algorithm, takeover.to->algorithm});
    if (takeover.to->family == "dense" && !result.sparse_to_dense) result.sparse_to_dense = density;
  }
  if (!changed) result.statement += " always";
  return result;
}

}  // namespace

int family_order(std::string_view family) {
  return family == "sparse" ? 0 : family == "dense" ? 1 : 2;
}

std::vector<Curve> exact_curves(const std::vector<Curve>& curves) {
  std::vector<Curve> exact;
  std::ranges::copy_if(curves, std::back_inserter(exact),
                       [](const Curve& curve) { return curve.family != "lossy"; });
  return exact;
}

std::vector<Changeover> envelope_changes(const std::vector<Curve>& curves) {
  const std::vector<Line> lines = checked_lines(curves);
  std::vector<Changeover> changes;
  for (const Takeover& takeover : envelope_of(lines).takeovers) {
    if (!takeover.crossing) continue;
    changes.push_back({*takeover.crossing, takeover.from->algorithm, takeover.to->algorithm});
  }
  return changes;
}

std::optional<std::string> fastest_at_lowest_density(const std::vector<Curve>& curves) {
  const std::vector<Line> lines = checked_lines(curves);
  const Envelope envelope = envelope_of(lines);
  if (envelope.first == nullptr) return std::nullopt;
  return envelope.first->algorithm;
}

FamilyCrossover family_crossover(const std::vector<Curve>& curves) {
  std::vector<Line> lines = checked_lines(curves);
  check_families(lines);
  const std::set<double> sparse = densities_of_family(lines, "sparse");
  const std::set<double> dense = densities_of_family(lines, "dense");
  if (sparse.empty()) return {{}, {}, "no sparse algorithm to compare"};
  if (dense.empty()) return {{}, {}, "no dense algorithm to compare"};

  std::set<double> common;
  std::ranges::set_intersection(sparse, dense, std::inserter(common, common.end()));
  if (common.empty()) return {{}, {}, "no density at which both families were measured"};
  keep_only(lines, common);
  return describe(envelope_of(lines));
}

}  // namespace sparsewire
