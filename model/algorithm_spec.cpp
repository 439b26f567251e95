#include "model/algorithm_spec.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace sparsewire {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw std::invalid_argument("found \"" + std::string(text) +
                              "\", expected name(parameter=value,...): " + why);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// The pieces of `text` between the commas that stand outside of parentheses.
std::vector<std::string_view> split_at_commas(std::string_view text, std::string_view whole) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth < 0) refuse(whole, "a parenthesis closes that was not opened");
    if (text[i] != ',' || depth > 0) continue;
    pieces.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  if (depth != 0) refuse(whole, "a parenthesis is not closed");
  pieces.push_back(text.substr(begin));
  return pieces;
}

template <class Number>
bool read_whole(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string_view> split_at_x(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

[[noreturn]] void refuse_value(std::string_view parameter, std::string_view value,
                               const std::string& expected) {
  throw std::invalid_argument(std::string(parameter) + ": found \"" + std::string(value) + "\", expected " +
                              expected);
}

}  // namespace

const std::string& AlgorithmSpec::text(std::string_view parameter) const {
  const auto found = parameters.find(parameter);
  if (found == parameters.end())
    throw std::invalid_argument(name + ": the parameter " + std::string(parameter) + " is missing");
  return found->second;
}

std::uint64_t AlgorithmSpec::number(std::string_view parameter) const {
  std::uint64_t value = 0;
  if (!read_whole(text(parameter), value)) refuse_value(parameter, text(parameter), "a whole number");
  return value;
}

std::vector<std::uint64_t> AlgorithmSpec::numbers(std::string_view parameter) const {
  std::vector<std::uint64_t> values;
  for (const std::string_view piece : split_at_x(text(parameter)))
    if (!read_whole(piece, values.emplace_back()))
      refuse_value(parameter, text(parameter), "whole numbers joined by \"x\"");
  return values;
}

double AlgorithmSpec::real(std::string_view parameter) const {
  double value = 0;
  if (!read_whole(text(parameter), value) || !std::isfinite(value))
    refuse_value(parameter, text(parameter), "a number");
  return value;
}

AlgorithmSpec parse_algorithm(std::string_view text) {
  const std::size_t open = text.find('(');
  AlgorithmSpec spec{std::string(text.substr(0, open)), {}};
  if (!is_name(spec.name)) refuse(text, "the name is missing or has odd characters");
  if (open == text.npos) return spec;
  if (text.back() != ')') refuse(text, "a parenthesis is not closed");
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  for (const std::string_view piece : split_at_commas(inside, text)) {
    const std::size_t equals = piece.find('=');
    const std::string_view key = piece.substr(0, equals);
    if (equals == piece.npos || !is_name(key) || equals + 1 == piece.size())
      refuse(text, "\"" + std::string(piece) + "\" is not parameter=value");
    if (!spec.parameters.emplace(key, piece.substr(equals + 1)).second)
      refuse(text, "\"" + std::string(key) + "\" stands twice");
  }
  return spec;
}

std::string text_of(const AlgorithmSpec& spec) {
  std::string text;
  for (const auto& [parameter, value] : spec.parameters)
    text += (text.empty() ? "(" : ",") + parameter + "=" + value;
  return spec.name + (text.empty() ? "" : text + ")");
}

void require_fitting(const Parameter& parameter, const std::string& value) {
  const AlgorithmSpec spec{"", {{std::string(parameter.name), value}}};
  const auto require_least = [&](double number) {
    if (number < static_cast<double>(parameter.least))
      refuse_value(parameter.name, value, "at least " + std::to_string(parameter.least));
  };
  switch (parameter.kind) {
    case ParameterKind::number:
      return require_least(static_cast<double>(spec.number(parameter.name)));
    case ParameterKind::numbers:
      for (const std::uint64_t number : spec.numbers(parameter.name))
        require_least(static_cast<double>(number));
      return;
    case ParameterKind::real:
      if (spec.real(parameter.name) > 1e6) refuse_value(parameter.name, value, "at most 1e6");
      return require_least(spec.real(parameter.name));
    case ParameterKind::algorithm:
      parse_algorithm(value);
      return;
    case ParameterKind::choice:
      break;
  }
  if (std::ranges::find(parameter.choices, value) != parameter.choices.end()) return;
  std::string expected;
  for (const std::string_view choice : parameter.choices)
    expected += (expected.empty() ? "" : " or ") + std::string(choice);
  refuse_value(parameter.name, value, expected);
}

}  // namespace sparsewire
