// Measurements grouped into curves of time over density.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reports/crossover.hpp"
#include "reports/measurement.hpp"

namespace sparsewire {

// What the points of one table or one chart over density share.
struct SeriesKey {
  std::string backend, workload, machine, topology, precision, codec;
  std::uint64_t dimension = 0;
  std::int64_t ranks = 0;
  auto operator<=>(const SeriesKey&) const = default;
};

// How values travel, for titles: "fp32", and the codec where it is not the default: "fp32 bitmap".
std::string format_of(const SeriesKey& key);

// Points into a vector of measurements that outlives the group.
using Group = std::vector<const Measurement*>;

// Every measurement in exactly one group.
std::map<SeriesKey, Group> group_by_series(const std::vector<Measurement>& measurements);

// Whether a point has a place on logarithmic axes: status "ok", density and time positive and finite.
bool drawable(const Measurement& measurement);

// A curve for each algorithm with a drawable point, sparse ones first, lossy ones last, then by name; points
// by rising density. Several points at one density (other seeds) become their median.
std::vector<Curve> curves_of(const Group& group);

}  // namespace sparsewire
