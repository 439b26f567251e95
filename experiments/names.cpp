#include "experiments/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "algorithms/catalogue.hpp"
#include "algorithms/payload/stream.hpp"
#include "experiments/json_check.hpp"
#include "experiments/sweep.hpp"

namespace sparsewire {

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const auto& algorithm : allreduce_catalogue<Stream<float>>()) names.emplace_back(algorithm.name);
  names.emplace_back(kMpiAllreduce);
  return names;
}

std::vector<std::string> backend_names() {
  return {std::string(kLogGPBackend), std::string(kSimGridBackend), std::string(kMpiBackend)};
}

void require_name(std::string_view what, std::string_view name, const std::vector<std::string>& valid) {
  if (std::ranges::find(valid, name) != valid.end()) return;
  throw std::invalid_argument(fmt::format("{}: found \"{}\", expected one of {}{}", what, name,
                                          fmt::join(valid, ", "), did_you_mean(name, valid)));
}

}  // namespace sparsewire
