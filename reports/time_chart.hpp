// Time against density, a line per algorithm.
#pragma once

#include "reports/chart.hpp"
#include "reports/chart_style.hpp"

namespace sparsewire {

// The curves on logarithmic axes, with a thin line at every change-over of their envelope; the key names the
// algorithm that is the fastest from there on. There must be a point.
Chart time_chart(const SeriesKey& key, const std::vector<Curve>& curves, const Styles& styles);

}  // namespace sparsewire
