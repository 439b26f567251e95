// Measured against predicted times.
#pragma once

#include <optional>

#include "reports/chart.hpp"
#include "reports/chart_style.hpp"

namespace sparsewire {

// Points measured over MPI, with their confidence intervals where they have one, and the line that a
// simulator predicts, on the same axes: one panel for each algorithm that both have at some density. nullopt
// when there is no such algorithm. Densities within 2 % count as the same, as a simulator may use the
// expected one.
std::optional<Chart> prediction_chart(const SeriesKey& predicted, const Group& predictions,
                                      const SeriesKey& measured, const Group& measurements,
                                      const Styles& styles);

}  // namespace sparsewire
