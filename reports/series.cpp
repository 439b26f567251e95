#include "reports/series.hpp"

#include <algorithm>
#include <cmath>

#include "reports/statistics.hpp"

namespace sparsewire {
namespace {

bool positive(double value) {
  return std::isfinite(value) && value > 0;
}

Curve curve_of(const Measurement& any, const std::map<double, std::vector<Seconds>>& times) {
  Curve curve{any.algorithm, any.family, {}};
  for (const auto& [density, samples] : times) curve.points.push_back({density, median(samples)});
  return curve;
}

}  // namespace

std::map<SeriesKey, Group> group_by_series(const std::vector<Measurement>& measurements) {
  std::map<SeriesKey, Group> groups;
  for (const Measurement& m : measurements) {
    groups[{m.backend, m.workload, m.machine, m.topology, m.precision, m.codec, m.dimension, m.ranks}]
        .push_back(&m);
  }
  return groups;
}

std::string format_of(const SeriesKey& key) {
  return key.codec.empty() || key.codec == "pairs" ? key.precision : key.precision + ' ' + key.codec;
}

bool drawable(const Measurement& measurement) {
  return measurement.status == "ok" && positive(measurement.density) && positive(measurement.time_s);
}

std::vector<Curve> curves_of(const Group& group) {
  struct Samples {
    const Measurement* any = nullptr;
    std::map<double, std::vector<Seconds>> times;
  };
  std::map<std::string, Samples> by_algorithm;
  for (const Measurement* m : group) {
    if (!drawable(*m)) continue;
    Samples& samples = by_algorithm[m->algorithm];
    samples.any = m;
    samples.times[m->density].push_back(m->time_s);
  }
  std::vector<Curve> curves;
  for (const auto& [algorithm, samples] : by_algorithm)
    curves.push_back(curve_of(*samples.any, samples.times));
  std::ranges::stable_sort(curves, {}, [](const Curve& curve) { return family_order(curve.family); });
  return curves;
}

}  // namespace sparsewire
