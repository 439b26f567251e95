// Time over closed-form time.
#pragma once

#include <optional>

#include "reports/chart.hpp"
#include "reports/chart_style.hpp"

namespace sparsewire {

// A line per algorithm whose points carry a closed form: time over the form's total, against density. nullopt
// when no drawable point has one.
std::optional<Chart> model_chart(const SeriesKey& key, const Group& group, const Styles& styles);

}  // namespace sparsewire
