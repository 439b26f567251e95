// Checks of JSON against a JSON Schema, with messages for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/json_parse.hpp"

namespace sparsewire {

// The parts of `value` that the schema does not allow; for an unknown key or name with the nearest one.
// `definition` is the name under "definitions" to check against, or empty for the schema itself. Follows $ref
// into "definitions"; of the alternatives in oneOf, the one meant is found by type, by the constant that
// tells them apart (such as "kind") and by keys. A second opinion comes from a complete validator: what only
// that one finds is reported as well. Throws std::logic_error if the schema is not one.
std::vector<Problem> check_json(const nlohmann::json& value, const nlohmann::json& schema,
                                const std::string& definition = "");

// A value in a message: scalars as they are written, "an object", "an empty list", "a list of 3".
std::string describe(const nlohmann::json& value);

// `; did you mean "ranks"?`, or nothing if no candidate is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// `"a", "b"`.
std::string quoted_list(const std::vector<std::string>& names);

}  // namespace sparsewire
