// The published JSON Schema (draft-07) of experiment files, as text.
#pragma once

#include <string_view>

namespace sparsewire {

// The contents of experiments/schema/experiment.schema.json at the time of the build.
std::string_view experiment_schema();

}  // namespace sparsewire
