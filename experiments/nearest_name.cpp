#include "experiments/nearest_name.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace sparsewire {
namespace {

// Levenshtein's distance with one row of the table (Wagner, Fischer 1974, doi:10.1145/321796.321811).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || candidates.empty()) return std::nullopt;
  std::vector<std::string> completions;
  std::ranges::copy_if(candidates, std::back_inserter(completions),
                       [&](const std::string& candidate) { return candidate.starts_with(name); });
  const auto& choice = completions.empty() ? candidates : completions;
  const auto distance = [&](const std::string& candidate) { return edit_distance(name, candidate); };
  const auto& nearest = *std::ranges::min_element(choice, {}, distance);
  const bool is_near = 2 * distance(nearest) <= std::max(name.size(), nearest.size());
  return is_near || !completions.empty() ? std::optional(nearest) : std::nullopt;
}

}  // namespace sparsewire
