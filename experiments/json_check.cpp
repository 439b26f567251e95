#include "experiments/json_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "experiments/nearest_name.hpp"

namespace sparsewire {
namespace {

using nlohmann::json;

std::string written(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool is_a(const json& value, const std::string& type) {
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  return type ==
         value.type_name();  // string, boolean, object, array, null: the library's names are the schema's
}

std::string range_of(const json& schema) {
  std::vector<std::string> limits;
  if (schema.contains("exclusiveMinimum"))
    limits.push_back(fmt::format("above {}", written(schema["exclusiveMinimum"])));
  if (schema.contains("minimum")) limits.push_back(fmt::format("of at least {}", written(schema["minimum"])));
  if (schema.contains("maximum")) limits.push_back(fmt::format("at most {}", written(schema["maximum"])));
  return limits.empty() ? "" : fmt::format(" {}", fmt::join(limits, " and "));
}

std::vector<std::string> strings_of(const json& list) {
  std::vector<std::string> strings;
  for (const auto& item : list)
    if (item.is_string()) strings.push_back(item);
  return strings;
}

std::vector<std::string> keys_of(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// Walks a value along the parts of JSON Schema that the project's schema is written in.
class Checker {
 public:
  explicit Checker(const json& root) : root_(root) {}

  std::vector<Problem> take() { return std::move(problems_); }

  void check(const json& value, const json& reference, const std::string& pointer) {
    const json& schema = resolve(reference);
    if (schema.contains("oneOf")) return check_alternatives(value, schema, pointer);
    if (schema.contains("const")) return check_constant(value, schema, pointer);
    if (!accepts(schema, value)) return mismatch(value, schema, pointer);
    if (value.is_object()) return check_object(value, schema, pointer);
    if (value.is_array()) return check_list(value, schema, pointer);
    if (!in_range(value, schema)) mismatch(value, schema, pointer);
  }

 private:
  const json& resolve(const json& schema) const {
    const auto reference = schema.find("$ref");
    if (reference == schema.end()) return schema;
    return root_.at(json::json_pointer(reference->get<std::string>().substr(1)));
  }

  static bool accepts(const json& schema, const json& value) {
    return !schema.contains("type") || is_a(value, schema["type"]);
  }

  static bool in_range(const json& value, const json& schema) {
    if (schema.contains("enum")) return std::ranges::find(schema["enum"], value) != schema["enum"].end();
    if (value.is_string()) return value.get_ref<const std::string&>().size() >= schema.value("minLength", 0u);
    if (!value.is_number()) return true;
    const double number = value;
    if (schema.contains("exclusiveMinimum") && number <= schema["exclusiveMinimum"].get<double>())
      return false;
    if (schema.contains("minimum") && number < schema["minimum"].get<double>()) return false;
    return !schema.contains("maximum") || number <= schema["maximum"].get<double>();
  }

  std::string expected(const json& reference) const {
    const json& schema = resolve(reference);
    if (schema.contains("oneOf")) {
      std::vector<std::string> phrases;
      for (const auto& alternative : schema["oneOf"])
        if (auto phrase = expected(alternative); std::ranges::find(phrases, phrase) == phrases.end())
          phrases.push_back(std::move(phrase));
      return fmt::format("{}", fmt::join(phrases, " or "));
    }
    if (schema.contains("const")) return written(schema["const"]);
    if (schema.contains("enum")) return "one of " + quoted_list(strings_of(schema["enum"]));
    const std::string type = schema.value("type", "any");
    if (type == "array") return schema.value("minItems", 0u) > 0 ? "a list with at least one item" : "a list";
    if (type == "string")
      return schema.value("minLength", 0u) > 0 ? "a string that is not empty" : "a string";
    if (type == "boolean") return "true or false";
    if (type == "object") return "an object";
    return (type == "integer" ? "an integer" : "a number") + range_of(schema);
  }

  void report(const std::string& pointer, std::string message) {
    problems_.push_back({pointer, std::move(message)});
  }

  void mismatch(const json& value, const json& schema, const std::string& pointer) {
    const auto names = schema.contains("enum") ? strings_of(schema["enum"]) : std::vector<std::string>{};
    report(pointer, fmt::format("found {}, expected {}{}", describe(value), expected(schema),
                                value.is_string() ? did_you_mean(value.get<std::string>(), names) : ""));
  }

  void check_constant(const json& value, const json& schema, const std::string& pointer) {
    if (value != schema["const"]) mismatch(value, schema, pointer);
  }

  void check_list(const json& value, const json& schema, const std::string& pointer) {
    if (value.size() < schema.value("minItems", 0u)) return mismatch(value, schema, pointer);
    std::map<json, std::size_t> seen;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto item_pointer = pointer_to(pointer, i);
      if (schema.contains("items")) check(value[i], schema["items"], item_pointer);
      const auto [first, is_new] = seen.emplace(value[i], i);
      if (!is_new && schema.value("uniqueItems", false))
        report(item_pointer, fmt::format("found {} again, expected no duplicate of {}", describe(value[i]),
                                         pointer_to(pointer, first->second)));
    }
  }

  void check_object(const json& value, const json& schema, const std::string& pointer) {
    const json& properties = schema.at("properties");
    for (const auto& key : schema.value("required", json::array()))
      if (!value.contains(key))
        report(pointer,
               fmt::format("missing key {}, expected {}", written(key), expected(properties.at(key))));
    for (const auto& [key, item] : value.items()) {
      if (properties.contains(key)) {
        check(item, properties[key], pointer_to(pointer, key));
      } else {
        const auto known = keys_of(properties);
        report(pointer_to(pointer, key), fmt::format("unknown key {}, expected one of {}{}", written(key),
                                                     quoted_list(known), did_you_mean(key, known)));
      }
    }
  }

  void check_alternatives(const json& value, const json& schema, const std::string& pointer) {
    std::vector<const json*> alternatives;
    for (const auto& alternative : schema["oneOf"]) alternatives.push_back(&resolve(alternative));
    std::erase_if(alternatives, [&](const json* alternative) { return !accepts(*alternative, value); });
    if (alternatives.empty()) return mismatch(value, schema, pointer);
    if (const auto tag = tag_of(alternatives); !tag.empty()) {
      if (!keep_tagged(alternatives, tag, value, pointer)) return;
    }
    const auto known_keys = [&](const json* alternative) {
      return std::ranges::count_if(keys_of(value), [&](const auto& key) {
        return alternative->value("properties", json::object()).contains(key);
      });
    };
    check(value, **std::ranges::max_element(alternatives, {}, known_keys), pointer);
  }

  // The property that is a constant in every alternative; empty if there is none.
  static std::string tag_of(const std::vector<const json*>& alternatives) {
    if (alternatives.size() < 2) return "";
    const json properties = alternatives.front()->value("properties", json::object());
    for (const auto& [key, property] : properties.items())
      if (std::ranges::all_of(alternatives, [&, tag = key](const json* alternative) {
            return alternative->value("properties", json::object())
                .value(tag, json::object())
                .contains("const");
          }))
        return key;
    return "";
  }

  // Keeps the alternatives that have the value's tag; if there are none, reports that and returns false.
  bool keep_tagged(std::vector<const json*>& alternatives, const std::string& tag, const json& value,
                   const std::string& pointer) {
    const auto constant = [&](const json* alternative) -> const json& {
      return alternative->at("properties").at(tag).at("const");
    };
    std::vector<std::string> tags;
    for (const json* alternative : alternatives)
      if (const std::string name = constant(alternative); std::ranges::find(tags, name) == tags.end())
        tags.push_back(name);
    if (!value.contains(tag)) {
      report(pointer, fmt::format("missing key \"{}\", expected one of {}", tag, quoted_list(tags)));
      return false;
    }
    std::erase_if(alternatives, [&](const json* alternative) { return constant(alternative) != value[tag]; });
    if (!alternatives.empty()) return true;
    mismatch(value[tag], {{"enum", tags}}, pointer_to(pointer, tag));
    return false;
  }

  const json& root_;
  std::vector<Problem> problems_;
};

std::string pointer_of(const std::vector<std::string>& context) {
  std::string pointer;
  for (std::size_t i = 1; i < context.size(); ++i)  // context: "<root>", "[key]", "[index]"
    pointer = pointer_to(pointer, std::string_view(context[i]).substr(1, context[i].size() - 2));
  return pointer;
}

std::vector<Problem> validate(const json& value, const json& schema) {
  valijson::Schema compiled;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  try {
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), compiled);
  } catch (const std::runtime_error& error) {
    throw std::logic_error(fmt::format("invalid schema: {}", error.what()));
  }
  valijson::ValidationResults results;
  valijson::Validator().validate(compiled, valijson::adapters::NlohmannJsonAdapter(value), &results);
  std::vector<Problem> problems;
  for (const auto& error : results) problems.push_back({pointer_of(error.context), error.description});
  return problems;
}

}  // namespace

std::vector<Problem> check_json(const json& value, const json& schema, const std::string& definition) {
  json root = schema;
  if (!definition.empty())
    root = {{"oneOf", json::array({json{{"$ref", "#/definitions/" + definition}}})},
            {"definitions", schema.at("definitions")}};
  Checker checker(root);
  checker.check(value, root, "");
  auto problems = checker.take();
  return problems.empty() ? validate(value, root) : problems;
}

std::string describe(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return value.empty() ? "an empty list" : fmt::format("a list of {}", value.size());
  return written(value);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const auto nearest = nearest_name(name, candidates);
  return nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : "";
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const auto& name : names) quoted.push_back(fmt::format("\"{}\"", name));
  return fmt::format("{}", fmt::join(quoted, ", "));
}

}  // namespace sparsewire
