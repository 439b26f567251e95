#include "reports/results_io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <concepts>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace sparsewire {
namespace {

using Json = nlohmann::ordered_json;

// ---- values to JSON and back, strict about types

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json numbers(const auto& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(number(value));
  return array;
}

const Json& member(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw std::invalid_argument(fmt::format("key '{}' is missing", key));
  return *found;
}

[[noreturn]] void wrong_type(const char* key, std::string_view wanted) {
  throw std::invalid_argument(fmt::format("key '{}' is not {}", key, wanted));
}

void read_value(const Json& value, const char* key, double& to) {
  if (!value.is_null() && !value.is_number()) wrong_type(key, "a number");
  to = value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}
void read_value(const Json& value, const char* key, bool& to) {
  if (!value.is_boolean()) wrong_type(key, "true or false");
  to = value.get<bool>();
}
void read_value(const Json& value, const char* key, std::string& to) {
  if (!value.is_string()) wrong_type(key, "a string");
  to = value.get<std::string>();
}
void read_value(const Json& value, const char* key, std::uint64_t& to) {
  if (!value.is_number_unsigned()) wrong_type(key, "an integer from 0 to 2^64-1");
  to = value.get<std::uint64_t>();
}
void read_value(const Json& value, const char* key, std::int64_t& to) {
  if (!value.is_number_integer()) wrong_type(key, "an integer");
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
    wrong_type(key, "an integer below 2^63");
  }
  to = value.get<std::int64_t>();
}
void read_value(const Json& value, const char* key, std::vector<double>& to) {
  if (!value.is_array()) wrong_type(key, "an array of numbers");
  for (const Json& item : value) read_value(item, key, to.emplace_back());
}

const Json& object_at(const Json& parent, const char* key) {
  const Json& object = member(parent, key);
  if (!object.is_object()) wrong_type(key, "an object");
  return object;
}

Json to_value(double value) {
  return number(value);
}
Json to_value(const auto& value) {
  return value;
}

// Walks over the plain fields of a type with their keys, in the order of the file; one list for both
// directions.
void visit_fields(auto& m, auto&& visit) {
  visit("key", m.key), visit("status", m.status), visit("reason", m.reason);
  visit("experiment", m.experiment), visit("backend", m.backend), visit("algorithm", m.algorithm);
  visit("family", m.family), visit("workload", m.workload), visit("machine", m.machine);
  visit("topology", m.topology), visit("precision", m.precision), visit("ranks", m.ranks);
  visit("dimension", m.dimension), visit("density", m.density), visit("result_density", m.result_density);
  visit("seed", m.seed), visit("time_s", m.time_s), visit("messages", m.messages);
  visit("messages_max", m.messages_max), visit("wire_bytes", m.wire_bytes);
  visit("wire_bytes_max", m.wire_bytes_max), visit("ranks_agree", m.ranks_agree);
}

// Those that results of older versions do not have.
void visit_newer_fields(auto& m, auto&& visit) {
  visit("codec", m.codec);
}

void visit_model(auto& model, auto&& visit) {
  visit("total_s", model.total), visit("latency_s", model.latency), visit("overhead_s", model.overhead);
  visit("bandwidth_s", model.bandwidth), visit("compute_s", model.compute);
  visit("lower_bound_s", model.lower_bound);
}

void visit_context(auto& c, auto&& visit) {
  visit("schema_version", c.schema_version), visit("program_version", c.program_version);
  visit("git_revision", c.git_revision), visit("compiler", c.compiler), visit("flags", c.flags);
  visit("host", c.host), visit("mpi_version", c.mpi_version), visit("simgrid_version", c.simgrid_version);
  visit("date", c.date), visit("experiment_file", c.experiment_file), visit("seed", c.seed);
}

void visit_work(auto& work, auto&& visit) {
  for (std::size_t i = 0; i < kWorkKinds; ++i) visit(kWorkKindNames[i].data(), work.elements[i]);
}

auto writing_to(Json& json) {
  return [&json](const char* key, const auto& value) { json[key] = to_value(value); };
}

// What results of older versions do not have stays as it is.
auto reading_if_present_from(const Json& json) {
  return [&json](const char* key, auto& value) {
    if (json.contains(key)) read_value(json[key], key, value);
  };
}

auto reading_from(const Json& json) {
  return [&json](const char* key, auto& value) { read_value(member(json, key), key, value); };
}

std::array<Seconds, 2> interval_from(const Json& value) {
  std::vector<double> bounds;
  read_value(value, "confidence_s", bounds);
  if (bounds.size() != 2) wrong_type("confidence_s", "an array of two numbers");
  return {bounds[0], bounds[1]};
}

// ---- lines of text

// Text that is not UTF-8 (a system's message, say) is repaired instead of refused.
std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Measurement measurement_from_line(std::string_view line) {
  return measurement_from_json(Json::parse(line));
}

bool is_measurement(std::string_view line) {
  try {
    measurement_from_line(line);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// ---- files

[[noreturn]] void throw_system_error(const std::string& what, const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), what + " " + path.string());
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw_system_error("cannot read", path);
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw_system_error("cannot read", path);
  return std::move(text).str();
}

void write_all(int file, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_system_error("cannot write to", path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// What stands after the last newline.
std::string_view unfinished_line(std::string_view text) {
  const std::size_t newline = text.rfind('\n');
  return newline == text.npos ? text : text.substr(newline + 1);
}

void finish_last_line(int file, const std::filesystem::path& path) {
  const std::string text = file_text(path);
  const std::string_view rest = unfinished_line(text);
  if (rest.empty()) return;
  if (is_measurement(rest)) return write_all(file, "\n", path);
  if (::ftruncate(file, static_cast<off_t>(text.size() - rest.size())) != 0) {
    throw_system_error("cannot cut the partial last line of", path);
  }
}

void replace_file(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path beside = path.string() + ".new";
  {
    std::ofstream file(beside, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + beside.string());
  }
  std::filesystem::rename(beside, path);
}

// ---- CSV

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == field.npos) return field;
  std::string result = "\"";
  for (const char c : field) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

std::string csv_field(const std::string& text) {
  return quoted(text);
}
std::string csv_field(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}
std::string csv_field(bool value) {
  return value ? "true" : "false";
}
std::string csv_field(std::integral auto value) {
  return fmt::format("{}", value);
}

using Columns = std::vector<std::pair<std::string, std::string>>;  // name and field

Columns columns_of(const Measurement& m) {
  Columns columns;
  const auto with_prefix = [&columns](const std::string& prefix, bool present) {
    return [&columns, prefix, present](const char* name, const auto& value) {
      columns.emplace_back(prefix + name, present ? csv_field(value) : "");
    };
  };
  visit_fields(m, with_prefix("", true));
  visit_newer_fields(m, with_prefix("", true));
  columns.emplace_back("samples", csv_field(m.samples_s.size()));
  columns.emplace_back("samples_s", fmt::format("{}", fmt::join(m.samples_s, " ")));
  const std::array<Seconds, 2> interval = m.confidence_s.value_or(std::array<Seconds, 2>{});
  with_prefix("confidence_", m.confidence_s.has_value())("low_s", interval[0]);
  with_prefix("confidence_", m.confidence_s.has_value())("high_s", interval[1]);
  visit_work(m.work, [&](const std::string& kind, std::uint64_t elements) {
    columns.emplace_back("work_" + kind + "_elements", csv_field(elements));
  });
  with_prefix("", m.relative_error.has_value())("relative_error", m.relative_error.value_or(0));
  const ModelPrediction model = m.model.value_or(ModelPrediction{});
  visit_model(model, with_prefix("model_", m.model.has_value()));
  return columns;
}

std::string csv_line(const Columns& columns, std::string Columns::value_type::*part) {
  std::string line;
  for (const auto& column : columns) line += column.*part + ',';
  line.back() = '\n';
  return line;
}

}  // namespace

Json measurement_to_json(const Measurement& measurement) {
  Json json = Json::object();
  visit_fields(measurement, writing_to(json));
  visit_newer_fields(measurement, writing_to(json));
  json["samples_s"] = numbers(measurement.samples_s);
  if (measurement.confidence_s) json["confidence_s"] = numbers(*measurement.confidence_s);
  visit_work(measurement.work, writing_to(json["work_elements"]));
  if (measurement.relative_error) json["relative_error"] = number(*measurement.relative_error);
  if (measurement.model) visit_model(*measurement.model, writing_to(json["model"]));
  return json;
}

Measurement measurement_from_json(const Json& value) {
  if (!value.is_object()) throw std::invalid_argument("a measurement is not a JSON object");
  Measurement measurement;
  visit_fields(measurement, reading_from(value));
  visit_newer_fields(measurement, reading_if_present_from(value));
  read_value(member(value, "samples_s"), "samples_s", measurement.samples_s);
  if (value.contains("confidence_s")) measurement.confidence_s = interval_from(value["confidence_s"]);
  visit_work(measurement.work, reading_if_present_from(object_at(value, "work_elements")));
  if (value.contains("relative_error"))
    read_value(value["relative_error"], "relative_error", measurement.relative_error.emplace());
  if (value.contains("model"))
    visit_model(measurement.model.emplace(), reading_from(object_at(value, "model")));
  return measurement;
}

Json context_to_json(const RunContext& context) {
  Json json = Json::object();
  visit_context(context, writing_to(json));
  json["machine"] = context.machine;
  json["points"] = context.points;
  return json;
}

RunContext context_from_json(const Json& value) {
  if (!value.is_object()) throw std::invalid_argument("a run's context is not a JSON object");
  RunContext context;
  visit_context(context, reading_from(value));
  for (const auto& [name, text] : object_at(value, "machine").items()) {
    read_value(text, name.c_str(), context.machine[name]);
  }
  for (const auto& [backend, count] : object_at(value, "points").items())
    read_value(count, backend.c_str(), context.points[backend]);
  return context;
}

ResultsWriter::ResultsWriter(const std::filesystem::path& path)
    : path_(path), file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (file_ < 0) throw_system_error("cannot open", path_);
  try {
    finish_last_line(file_, path_);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

ResultsWriter::~ResultsWriter() {
  ::close(file_);
}

void ResultsWriter::append(const Measurement& measurement) {
  write_all(file_, dump(measurement_to_json(measurement), -1) + '\n', path_);
}

std::vector<Measurement> read_measurements(const std::filesystem::path& path) {
  const std::string text = file_text(path);
  std::vector<Measurement> measurements;
  std::string_view rest = text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t newline = rest.find('\n');
    const std::string_view line = rest.substr(0, newline);
    try {
      measurements.push_back(measurement_from_line(line));
    } catch (const std::exception& error) {
      if (newline == rest.npos) break;
      throw std::runtime_error(fmt::format("{}:{}: {}", path.string(), number, error.what()));
    }
    rest.remove_prefix(newline == rest.npos ? rest.size() : newline + 1);
  }
  return measurements;
}

void write_context(const std::filesystem::path& path, const RunContext& context) {
  replace_file(path, dump(context_to_json(context), 2) + '\n');
}

RunContext read_context(const std::filesystem::path& path) {
  try {
    return context_from_json(Json::parse(file_text(path)));
  } catch (const std::system_error&) {
    throw;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

void write_csv(const std::filesystem::path& path, const std::vector<Measurement>& measurements) {
  std::string text = csv_line(columns_of({}), &Columns::value_type::first);
  for (const Measurement& m : measurements) text += csv_line(columns_of(m), &Columns::value_type::second);
  replace_file(path, text);
}

}  // namespace sparsewire
