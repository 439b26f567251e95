// The map of the fastest algorithm over density and number of ranks.
#pragma once

#include <vector>

#include "reports/chart.hpp"
#include "reports/chart_style.hpp"

namespace sparsewire {

// The points of one number of ranks.
struct MapRow {
  std::int64_t ranks = 0;
  std::vector<Curve> curves;
};

// A cell per density and number of ranks, filled and numbered by its fastest algorithm; cells meet half way
// between neighbours in logarithms. A thick line parts sparse from dense. There must be a row, each with a
// point, sorted by ranks.
Chart best_chart(const SeriesKey& key, const std::vector<MapRow>& rows, const Styles& styles);

}  // namespace sparsewire
