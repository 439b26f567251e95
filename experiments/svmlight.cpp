#include "experiments/svmlight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "algorithms/payload/sparse_vector.hpp"

namespace sparsewire {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

// The whole of `text` as a number; nothing if it is not one.
template <class T>
std::optional<T> number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Token {
  std::string_view text;
  std::size_t column;  // from 1
};

std::vector<Token> tokens_of(std::string_view line) {
  std::vector<Token> tokens;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    tokens.push_back({line.substr(begin, end - begin), begin + 1});
    begin = line.find_first_not_of(kBlanks, end);
  }
  return tokens;
}

class Parser {
 public:
  Parser(std::string name, const SvmlightOptions& options) : name_(std::move(name)), options_(options) {
    if (options_.dimension) set_dimension(*options_.dimension, 1);
  }

  void line(std::string_view text) {
    ++line_;
    const std::size_t comment = text.find('#');
    if (line_ == 1 && comment == 0 && !dimension_) read_header(text);
    const auto tokens = tokens_of(text.substr(0, comment));
    if (!tokens.empty()) return row(tokens);
    if (comment == text.npos && options_.empty_line_is_vector) data_.rows.emplace_back();
  }

  SvmlightData finish() {
    data_.dimension = dimension_.value_or(highest_ + 1);
    return std::move(data_);
  }

 private:
  [[noreturn]] void fail(std::size_t column, const std::string& message) const {
    throw SvmlightError(fmt::format("{}:{}:{}: {}", name_, line_, column, message));
  }

  void set_dimension(std::uint64_t dimension, std::size_t column) {
    if (dimension > kMaxDimension)
      fail(column, fmt::format("dimension {} is above 2^32, the limit of 32-bit indices", dimension));
    dimension_ = dimension;
  }

  // "# N=1000 any words"; another comment says nothing of the dimension.
  void read_header(std::string_view text) {
    const auto tokens = tokens_of(text.substr(1));
    if (tokens.empty() || !tokens[0].text.starts_with("N=")) return;
    const std::size_t column = tokens[0].column + 1;
    const auto dimension = number<std::uint64_t>(tokens[0].text.substr(2));
    if (!dimension) fail(column, fmt::format("found \"{}\", expected N= and a whole number", tokens[0].text));
    set_dimension(*dimension, column);
  }

  void row(const std::vector<Token>& tokens) {
    auto& pairs = data_.rows.emplace_back();
    const bool has_label = tokens[0].text.find(':') == std::string_view::npos;
    pairs.reserve(tokens.size());
    for (std::size_t i = has_label ? 1 : 0; i < tokens.size(); ++i) pairs.push_back(pair(tokens[i]));
  }

  std::pair<std::int64_t, double> pair(const Token& token) {
    const std::size_t colon = token.text.find(':');
    if (colon == std::string_view::npos || colon + 1 == token.text.size())
      fail(token.column, fmt::format("found \"{}\" without a value, expected index:value", token.text));
    const auto value = number<double>(token.text.substr(colon + 1));
    if (!value)
      fail(token.column + colon + 1,
           fmt::format("found \"{}\", expected a number as the value", token.text.substr(colon + 1)));
    return {index(token.text.substr(0, colon), token.column), *value};
  }

  std::int64_t index(std::string_view text, std::size_t column) {
    const auto digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
      fail(column, fmt::format("found \"{}\", expected a whole number as the index", text));
    const std::int64_t lowest = options_.one_based ? 1 : 0;
    const auto index = number<std::int64_t>(text);
    const auto limit = static_cast<std::int64_t>(dimension_.value_or(kMaxDimension)) + lowest;
    if (!index || *index < lowest || *index >= limit)
      fail(column, fmt::format("vector {} (line {}): index {} is not in [{}, {})", data_.rows.size() - 1,
                               line_, text, lowest, limit));
    highest_ = std::max(highest_, *index - lowest);
    return *index - lowest;
  }

  std::string name_;
  SvmlightOptions options_;
  SvmlightData data_;
  std::optional<std::uint64_t> dimension_;
  std::int64_t highest_ = -1;
  std::size_t line_ = 0;
};

}  // namespace

SvmlightData parse_svmlight(std::istream& input, const std::string& name, const SvmlightOptions& options) {
  Parser parser(name, options);
  for (std::string line; std::getline(input, line);) {
    if (line.ends_with('\r')) line.pop_back();
    parser.line(line);
  }
  if (input.bad()) throw std::runtime_error(fmt::format("{}: reading failed", name));
  return parser.finish();
}

SvmlightData read_svmlight(const std::filesystem::path& path, const SvmlightOptions& options) {
  std::ifstream input(path);
  if (!input || std::filesystem::is_directory(path))
    throw std::runtime_error(fmt::format("{}: cannot open the file", path.string()));
  return parse_svmlight(input, path.string(), options);
}

}  // namespace sparsewire
