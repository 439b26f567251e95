#include "experiments/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/json_check.hpp"
#include "experiments/json_parse.hpp"
#include "experiments/names.hpp"
#include "experiments/schema.hpp"
#include "topologies/read_topology.hpp"

namespace sparsewire {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Gathers the problems of a file and of those it refers to.
class Problems {
 public:
  explicit Problems(const fs::path& file) : file_(file.string()) {}

  void add(const std::string& pointer, const std::string& message) {
    pointers_.push_back(pointer);
    lines_.push_back(fmt::format("{}: {}{}{}", file_, pointer, pointer.empty() ? "" : ": ", message));
  }
  void add(const std::vector<Problem>& problems) {
    for (const auto& problem : problems) add(problem.pointer, problem.message);
  }
  // Problems of another file, as it names them.
  void add_foreign(const std::string& pointer, const std::string& lines) {
    pointers_.push_back(pointer);
    lines_.push_back(lines);
  }

  // Whether there is none at the pointer, under it, or above it. (A problem of the whole document is a key
  // that is missing.)
  bool none_at(const std::string& pointer) const {
    return std::ranges::none_of(pointers_, [&](const std::string& known) {
      return known == pointer || known.starts_with(pointer + '/') ||
             (!known.empty() && pointer.starts_with(known + '/'));
    });
  }

  void throw_if_any() const {
    if (!lines_.empty()) throw ExperimentError(fmt::format("{}", fmt::join(lines_, "\n")));
  }

 private:
  std::string file_;
  std::vector<std::string> pointers_, lines_;
};

// The default that the schema publishes for a key of the experiment.
json default_of(const json& schema, const std::string& key) {
  return schema.at("properties").at(key).at("default");
}

std::string contents_of(const fs::path& file, Problems& problems) {
  std::ifstream input(file);
  if (!input || fs::is_directory(file)) {
    problems.add("", "cannot open the file");
    problems.throw_if_any();
  }
  return {std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
}

json checked(std::string_view text, const json& schema, const std::string& definition, Problems& problems) {
  ParsedJson parsed = parse_json(text);
  problems.add(parsed.problems);
  if (parsed.value.is_null() && !parsed.problems.empty()) problems.throw_if_any();
  problems.add(check_json(parsed.value, schema, definition));
  return std::move(parsed.value);
}

// Of machine files that are older than a kind of work: what it takes, measured in units of a kind they have.
double older_cost(WorkKind kind, const Machine& machine) {
  const Seconds scan = machine.compute[WorkKind::scan];
  if (kind == WorkKind::encode || kind == WorkKind::select) return 7 * scan;
  if (kind == WorkKind::decode) return 5 * scan;
  return 0;
}

Machine machine_of(const json& value) {
  Machine machine;
  machine.name = value.at("name");
  machine.source = value.value("source", "");
  machine.network.L = value.at("L_s");
  machine.network.o = value.at("o_s");
  machine.network.g = value.at("g_s");
  machine.network.G = value.at("G_s_per_byte");
  machine.network.S = value.value("rendezvous_threshold_bytes", machine.network.S);
  machine.network.serial_receiver = value.value("serial_receiver", machine.network.serial_receiver);
  for (std::size_t kind = 0; kind < kWorkKinds; ++kind)
    machine.compute.seconds_per_element[kind] =
        value.at("compute").value(std::string(kWorkKindNames[kind]) + "_s_per_element",
                                  older_cost(static_cast<WorkKind>(kind), machine));
  return machine;
}

Machine load_machine(const fs::path& file, const json& schema) {
  Problems problems(file);
  const json value = checked(contents_of(file, problems), schema, "machine", problems);
  problems.throw_if_any();
  return machine_of(value);
}

// Turns a document that the schema allows into an Experiment, and checks what a schema cannot say.
class Builder {
 public:
  Builder(const fs::path& file, const json& schema, Problems& problems)
      : folder_(file.parent_path()), schema_(schema), problems_(problems) {
    experiment_.file = file;
  }

  Experiment build(const json& document) {
    if (!document.is_object()) return experiment_;
    read_plain(document);
    read_machine(document);
    read_topology(document);
    read_algorithms(document);
    read_workloads(document);
    experiment_.ranks = axis<std::int64_t>(document, "ranks");
    experiment_.dimensions = axis<std::uint64_t>(document, "dimension");
    experiment_.densities = axis<double>(document, "density");
    require_axes(document);
    return std::move(experiment_);
  }

 private:
  // Whether the key is there and has no problem so far.
  bool usable(const json& document, const std::string& key) const {
    return document.contains(key) && problems_.none_at(pointer_to("", key));
  }

  template <class T>
  void read(const json& document, const std::string& key, T& target) const {
    if (usable(document, key))
      target = document[key].get<T>();
    else if (schema_.at("properties").at(key).contains("default"))
      target = default_of(schema_, key).get<T>();
  }

  void read_plain(const json& document) {
    read(document, "schema_version", experiment_.schema_version);
    read(document, "name", experiment_.name);
    read(document, "description", experiment_.description);
    read(document, "backends", experiment_.backends);
    read(document, "precision", experiment_.precisions);
    read(document, "codec", experiment_.codecs);
    read(document, "repetitions", experiment_.repetitions);
    read(document, "warm_ups", experiment_.warm_ups);
    read(document, "seed", experiment_.seed);
  }

  void read_machine(const json& document) {
    if (!usable(document, "machine")) return;
    const json& machine = document["machine"];
    if (!machine.contains("file")) {
      experiment_.machine = machine_of(machine);
      return;
    }
    if (!exists(machine["file"], "/machine/file")) return;
    try {
      experiment_.machine = load_machine(folder_ / machine["file"].get<std::string>(), schema_);
    } catch (const ExperimentError& error) {
      problems_.add_foreign("/machine", error.what());
    }
  }

  bool exists(const std::string& name, const std::string& pointer) {
    const fs::path path = folder_ / name;
    std::error_code error;
    if (fs::is_regular_file(path, error)) return true;
    problems_.add(pointer,
                  fmt::format("found \"{}\", expected a file, but there is none at {}", name, path.string()));
    return false;
  }

  void read_topology(const json& document) {
    if (document.contains("topology") && !usable(document, "topology")) return;
    try {
      experiment_.topology =
          topology_from_json(document.value("topology", default_of(schema_, "topology")), folder_);
    } catch (const std::invalid_argument& error) {
      const std::string message = error.what();
      const std::size_t colon = message.find(": ");
      const std::string place = message.substr(0, colon);  // a pointer, or the file that the topology names
      if (colon != message.npos && place.starts_with('/') && !fs::exists(place))
        problems_.add(fmt::format("/topology{}", place), message.substr(colon + 2));
      else
        problems_.add_foreign("/topology", message);
    }
  }

  void read_algorithms(const json& document) {
    if (!usable(document, "algorithms")) return;
    const json& value = document["algorithms"];
    if (value.is_string()) return add_algorithms(value, "/algorithms");
    for (std::size_t i = 0; i < value.size(); ++i) add_algorithms(value[i], pointer_to("/algorithms", i));
  }

  // One algorithm, or "all" exact or all "lossy" ones that are not there yet.
  void add_algorithms(const std::string& text, const std::string& pointer) {
    if (text != "all" && text != "lossy") {
      check_algorithm(text, pointer);
      experiment_.algorithms.push_back(text);
      return;
    }
    for (const std::string& name : text == "all" ? algorithm_names() : lossy_names())
      if (std::ranges::count(experiment_.algorithms, name) == 0) experiment_.algorithms.push_back(name);
  }

  void check_algorithm(const std::string& text, const std::string& pointer) {
    try {
      require_algorithm(text);
    } catch (const std::invalid_argument& error) {
      problems_.add(pointer, error.what());
    }
  }

  void read_workloads(const json& document) {
    if (document.contains("workloads") && !usable(document, "workloads")) return;
    const json workloads = document.value("workloads", default_of(schema_, "workloads"));
    std::set<std::string> labels;
    for (std::size_t i = 0; i < workloads.size(); ++i)
      add_workloads(workloads_of(workloads[i], pointer_to("/workloads", i)), pointer_to("/workloads", i),
                    labels);
  }

  // Adds what one entry stands for, under a label that no other entry has.
  void add_workloads(std::vector<Workload> workloads, const std::string& pointer,
                     std::set<std::string>& labels) {
    if (workloads.empty()) return;
    if (!labels.insert(workloads.front().label).second)
      problems_.add(
          pointer,
          fmt::format("found the label \"{}\" again, expected each once; a \"label\" tells them apart",
                      workloads.front().label));
    for (Workload& workload : workloads) experiment_.workloads.push_back(std::move(workload));
  }

  std::vector<Workload> workloads_of(const json& value, const std::string& pointer) {
    const std::string kind = value.at("kind");
    if (kind == "uniform") return {{value.value("label", kind), Uniform{}}};
    const auto labelled = [&](const json& parameter, auto parameters) {
      return std::vector<Workload>{
          {value.value("label", fmt::format("{}-{}", kind, parameter.dump())), parameters}};
    };
    if (kind == "overlap") return labelled(value["fraction"], Overlap{value["fraction"]});
    if (kind == "power-law") return labelled(value["exponent"], PowerLaw{value["exponent"]});
    if (kind == "clustered") return labelled(value["run_length"], Clustered{value["run_length"]});
    return files_of(value, pointer);
  }

  // One workload for each batch size, all of one label: they are densities of the same data.
  std::vector<Workload> files_of(const json& value, const std::string& pointer) {
    const std::string name = value.at("file");
    if (!exists(name, pointer + "/file")) return {};
    const fs::path path = folder_ / name;
    const std::string label = value.value("label", path.stem().string());
    const json batch = value.value("batch", json(1));
    if (batch.is_number()) return {{label, SvmlightFile{path, batch}}};
    std::vector<Workload> workloads;
    for (const auto& rows : batch) workloads.push_back({label, SvmlightFile{path, rows}});
    return workloads;
  }

  void require_axes(const json& document) {
    const bool only_files = std::ranges::all_of(experiment_.workloads, [](const Workload& workload) {
      return std::holds_alternative<SvmlightFile>(workload.kind);
    });
    if (only_files) return;
    for (const std::string key : {"dimension", "density"})
      if (!document.contains(key))
        problems_.add(
            "", fmt::format("missing key \"{}\", expected a list or a range, as not every workload is a file",
                            key));
  }

  template <class T>
  std::vector<T> axis(const json& document, const std::string& key) {
    if (!usable(document, key)) return {};
    const json& value = document[key];
    if (value.is_array()) return value.get<std::vector<T>>();
    return range<T>(value, pointer_to("", key));
  }

  template <class T>
  std::vector<T> range(const json& value, const std::string& pointer) {
    const T from = value.at("from"), to = value.at("to");
    const unsigned points = value.at("points");
    const bool log_scale = value.at("scale") == "log";
    if (from > to)
      problems_.add(pointer + "/from", fmt::format("found {}, expected at most \"to\", {}", from, to));
    if (log_scale && !(from > 0))
      problems_.add(pointer + "/from", fmt::format("found {}, expected above 0 for a log scale", from));
    if (points == 1 && from < to)
      problems_.add(pointer + "/points", fmt::format("found 1, expected at least 2 from {} to {}", from, to));
    if (!problems_.none_at(pointer)) return {};
    std::vector<T> values;
    for (unsigned i = 0; i < points; ++i) {
      const T next = i == 0            ? from
                     : i + 1 == points ? to
                                       : between<T>(from, to, double(i) / (points - 1), log_scale);
      if (values.empty() || next != values.back()) values.push_back(next);
    }
    return values;
  }

  // The value a share of the way from one to the other; rounded if it counts something.
  template <class T>
  static T between(T from, T to, double share, bool log_scale) {
    const double a = static_cast<double>(from), b = static_cast<double>(to);
    const double value = log_scale ? a * std::pow(b / a, share) : a + (b - a) * share;
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(std::llround(value));
    else
      return value;
  }

  fs::path folder_;
  const json& schema_;
  Problems& problems_;
  Experiment experiment_;
};

}  // namespace

Experiment read_experiment(const fs::path& file) {
  const json schema = json::parse(experiment_schema());
  Problems problems(file);
  const json document = checked(contents_of(file, problems), schema, "", problems);
  Experiment experiment = Builder(file, schema, problems).build(document);
  problems.throw_if_any();
  return experiment;
}

Machine machine_from_text(std::string_view text, const std::string& name) {
  Problems problems{fs::path(name)};
  const json value = checked(text, json::parse(experiment_schema()), "machine", problems);
  problems.throw_if_any();
  return machine_of(value);
}

Machine read_machine(const fs::path& file) {
  return load_machine(file, json::parse(experiment_schema()));
}

}  // namespace sparsewire
