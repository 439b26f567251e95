// The valid name that a misspelled one most likely stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparsewire {

// The candidate with the least edit distance to `name` (insert, delete, replace; Levenshtein 1966), the first
// of equals. Nothing if even that one needs more than half its letters changed and `name` is not its
// beginning.
std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace sparsewire
