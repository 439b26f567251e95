// An algorithm and its parameters, as users write them: "ssar-split-allgather" or "kylix(degrees=8x4)".
// Shared by the packages like model/units.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sparsewire {

struct AlgorithmSpec {
  std::string name;
  std::map<std::string, std::string, std::less<>> parameters;

  // The value of a parameter, which is there: a spec from the catalogue is complete. Throws
  // std::invalid_argument, naming the parameter, if it is absent or of another kind.
  const std::string& text(std::string_view parameter) const;
  std::uint64_t number(std::string_view parameter) const;                // "64"
  std::vector<std::uint64_t> numbers(std::string_view parameter) const;  // "8x4x2"
  double real(std::string_view parameter) const;                         // "0.5"
};

// name, or name(parameter=value,parameter=value); a value may be such a text itself. Throws
// std::invalid_argument for anything else, or a parameter that stands twice.
AlgorithmSpec parse_algorithm(std::string_view text);

// The inverse: name(parameter=value,...), or the name alone if there are no parameters.
std::string text_of(const AlgorithmSpec& spec);

// What may stand for a parameter, beside its name.
//   number     a whole number of at least `least`
//   numbers    whole numbers of at least `least`, joined by "x"
//   real       a number from `least` to 1e6
//   choice     one of `choices`
//   algorithm  an algorithm of the same table, with its parameters
enum class ParameterKind : std::uint8_t { number, numbers, real, choice, algorithm };

struct Parameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::number;
  std::string_view fallback;
  std::string_view summary;
  std::uint64_t least = 1;
  std::vector<std::string_view> choices = {};
};

// Throws std::invalid_argument, saying what was found and expected, if `value` does not fit. That an
// algorithm exists is not checked.
void require_fitting(const Parameter& parameter, const std::string& value);

}  // namespace sparsewire
