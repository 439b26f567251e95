#include "experiments/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "algorithms/catalogue.hpp"
#include "algorithms/lossy/table.hpp"
#include "algorithms/payload/stream.hpp"
#include "experiments/json_check.hpp"
#include "experiments/sweep.hpp"

namespace sparsewire {
namespace {

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const auto& entry : allreduce_table<Stream<float>>()) names.emplace_back(entry.name);
  return names;
}

void require_nested(const std::string& place, const std::string& text);

void require_parameters(const std::vector<Parameter>& parameters, const AlgorithmSpec& spec) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.emplace_back(parameter.name);
  for (const auto& [name, value] : spec.parameters) {
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    if (found == parameters.end())
      throw std::invalid_argument(
          names.empty() ? fmt::format("{}: found the parameter \"{}\", but it has none", spec.name, name)
                        : fmt::format("{}: found the parameter \"{}\", expected one of {}{}", spec.name, name,
                                      fmt::join(names, ", "), did_you_mean(name, names)));
    try {
      require_fitting(*found, value);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{}: {}", spec.name, error.what()));
    }
    if (found->kind == ParameterKind::algorithm)
      require_nested(fmt::format("{}: {}", spec.name, name), value);
  }
}

void require_known(const AlgorithmSpec& spec, const std::vector<std::string>& names) {
  if (std::ranges::find(names, spec.name) == names.end())
    throw std::invalid_argument(fmt::format("found \"{}\", expected one of {}{}", spec.name,
                                            fmt::join(names, ", "), did_you_mean(spec.name, names)));
}

// Inside of others stand the algorithms of the table only.
void require_nested(const std::string& place, const std::string& text) {
  try {
    require_known(parse_algorithm(text), table_names());
    require_algorithm(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", place, error.what()));
  }
}

}  // namespace

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names = table_names();
  names.emplace_back(kMpiAllreduce);
  return names;
}

std::vector<std::string> lossy_names() {
  std::vector<std::string> names;
  for (const auto& method : lossy_table<float>()) names.emplace_back(method.name);
  return names;
}

void require_algorithm(const std::string& text) {
  const AlgorithmSpec spec = parse_algorithm(text);
  std::vector<std::string> names = algorithm_names();
  std::ranges::copy(lossy_names(), std::back_inserter(names));
  require_known(spec, names);
  for (const auto& entry : allreduce_table<Stream<float>>())
    if (entry.name == spec.name) return require_parameters(entry.settings.parameters, spec);
  for (const auto& entry : lossy_table<float>())
    if (entry.name == spec.name) {
      require_parameters(entry.settings.parameters, spec);
      lossy_named<float>(text);  // what no single parameter shows
      return;
    }
  require_parameters({}, spec);
}

void require_exact_algorithm(const std::string& text) {
  require_algorithm(text);
  if (is_lossy(text))
    throw std::invalid_argument(fmt::format("found \"{}\", which is lossy, expected an exact one", text));
}

bool is_lossy(const std::string& text) {
  return std::ranges::count(lossy_names(), parse_algorithm(text).name) > 0;
}

std::string family_of(const std::string& text) {
  if (text == kMpiAllreduce) return "dense";
  if (is_lossy(text)) return "lossy";
  return allreduce_named<Stream<float>>(text).family == Family::dense ? "dense" : "sparse";
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
