// JSON that is strict about duplicate keys and knows where each problem lies.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparsewire {

// What is wrong at one place of a JSON document.
struct Problem {
  std::string pointer;  // JSON pointer (RFC 6901) of the culprit; empty for the whole document
  std::string message;

  friend bool operator==(const Problem&, const Problem&) = default;
};

struct ParsedJson {
  nlohmann::json value;  // null if the text is no JSON
  std::vector<Problem> problems;
};

// Parses a JSON text. Numbers that are written as floating point but are whole (1e6, 4.0) and at most 2^53 in
// magnitude become integers. Duplicate keys are problems, and so are a syntax error (its message has line and
// column; comments are one) and a number too large for a double.
ParsedJson parse_json(std::string_view text);

// `pointer` extended by a key, escaped as RFC 6901 has it, or by an index.
std::string pointer_to(const std::string& pointer, std::string_view key);
std::string pointer_to(const std::string& pointer, std::size_t index);

}  // namespace sparsewire
