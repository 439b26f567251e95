#include "experiments/json_parse.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace sparsewire {
namespace {

using nlohmann::json;

// Builds the document from the parser's events.
class DocumentBuilder final : public nlohmann::json_sax<json> {
 public:
  explicit DocumentBuilder(std::string_view text) : text_(text) {}

  ParsedJson take() { return {std::move(root_), std::move(problems_)}; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override {
    constexpr double kExact = 9007199254740992;  // 2^53
    if (value != std::trunc(value) || std::abs(value) > kExact) return add(value);
    if (value < 0) return add(static_cast<number_integer_t>(value));
    return add(static_cast<number_unsigned_t>(value));
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (level.container->contains(name))
      problems_.push_back({pointer_to(level.pointer, name),
                           fmt::format("found the key \"{}\" again, expected it once", name)});
    level.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    std::string message = error.what();  // "[json.exception...] parse error at line 3, column 5: ..."
    message.erase(0, message.find("] ") + 2);
    const std::size_t end = std::min(position, text_.size());
    const std::string_view last = text_.substr(end < 2 ? 0 : end - 2, end < 2 ? end : 2);
    if (last.find_first_of("/#") != std::string_view::npos) message += "; comments are not accepted";
    root_ = nullptr;
    problems_ = {{"", message}};
    return false;
  }

 private:
  struct Level {
    json* container;
    std::string pointer;
    std::string key;  // of the value to come, in an object
  };

  std::string next_pointer() const {
    if (levels_.empty()) return "";
    const Level& level = levels_.back();
    if (level.container->is_object()) return pointer_to(level.pointer, level.key);
    return pointer_to(level.pointer, level.container->size());
  }

  json* place(json value) {
    if (levels_.empty()) return &(root_ = std::move(value));
    Level& level = levels_.back();
    if (level.container->is_object()) return &((*level.container)[level.key] = std::move(value));
    level.container->push_back(std::move(value));
    return &level.container->back();
  }

  bool add(json value) {
    place(std::move(value));
    return true;
  }

  bool open(json container) {
    std::string pointer = next_pointer();
    levels_.push_back({place(std::move(container)), std::move(pointer), {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  json root_;
  std::vector<Level> levels_;
  std::vector<Problem> problems_;
};

}  // namespace

ParsedJson parse_json(std::string_view text) {
  DocumentBuilder builder(text);
  json::sax_parse(text, &builder);
  return builder.take();
}

std::string pointer_to(const std::string& pointer, std::string_view key) {
  std::string extended = pointer + '/';
  for (const char c : key) {
    if (c == '~')
      extended += "~0";
    else if (c == '/')
      extended += "~1";
    else
      extended += c;
  }
  return extended;
}

std::string pointer_to(const std::string& pointer, std::size_t index) {
  return pointer + '/' + std::to_string(index);
}

}  // namespace sparsewire
