// The valid name that a misspelled one most likely stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparsewire {

// The candidate with the least edit distance to `name` (insert, delete, replace; Levenshtein 1966), the first
// of equals. Candidates that begin with `name` come before all others; of those others, only one that needs
// at most half its letters changed counts.
std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace sparsewire
