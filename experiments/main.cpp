// The command line: run, list, validate, report, reduce.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "algorithms/transport/mpi_world.hpp"
#include "experiments/json_parse.hpp"
#include "experiments/machine_library.hpp"
#include "experiments/mpi_run.hpp"
#include "experiments/names.hpp"
#include "experiments/program_version.hpp"
#include "experiments/progress.hpp"
#include "experiments/reader.hpp"
#include "experiments/reduce.hpp"
#include "experiments/results_directory.hpp"
#include "experiments/simulated_run.hpp"
#include "reports/results_io.hpp"
#include "topologies/read_topology.hpp"

namespace sparsewire {
namespace {

namespace fs = std::filesystem;

enum ExitCode { kDone = 0, kSomeFailed = 1, kBadInput = 2, kNoSuccess = 3, kInterrupted = 130 };

// Set by SIGINT and SIGTERM; a signal handler can reach nothing else.
std::atomic<bool> interrupted{false};

// The first interrupt ends the run in good order, a second one ends it at once.
void handle_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void say_error(const std::string& message) {
  fmt::print(stderr, "sparsewire: {}\n", message);
}

// Number of processes that an MPI launcher has started this one with; 0 without a launcher.
int launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 0;
}

// Bad input that every process of the job has found alike.
struct SharedBadInput : SharedError {
  using SharedError::SharedError;
};

// MPI for the whole command, if it is wanted; without it this process is the only one.
struct Job {
  std::unique_ptr<MpiSession> session;
  std::unique_ptr<MpiWorld> world;

  static Job start(bool with_mpi) {
    if (!with_mpi) return {};
    auto session = std::make_unique<MpiSession>(nullptr, nullptr);
    auto world = std::make_unique<MpiWorld>(*session);
    return {std::move(session), std::move(world)};
  }

  bool speaks() const { return session == nullptr || session->rank() == 0; }

  // A text of any process, the first that has one.
  std::string first_said(const std::string& text) const {
    return world == nullptr ? text : sparsewire::first_said(*world, *session, text);
  }

  // Returns what `act` returns on each process. If it throws on any of them, none goes on alone: all throw
  // SharedError, or SharedBadInput for std::invalid_argument.
  template <class Act>
  auto together(const Act& act) const {
    decltype(act()) value{};
    std::string bad_input, error;
    try {
      value = act();
    } catch (const std::invalid_argument& problem) {
      bad_input = problem.what();
    } catch (const std::exception& problem) {
      error = problem.what();
    }
    bad_input = first_said(bad_input);
    error = first_said(error);
    if (!bad_input.empty()) throw SharedBadInput(bad_input);
    if (!error.empty()) throw SharedError(error);
    return value;
  }
};

// The exit code of `act`, whose shared errors are said once. Any other error on one of several processes ends
// the whole job: the others cannot know of it.
template <class Act>
int exit_code_of(const Job& job, const Act& act) {
  try {
    return act();
  } catch (const SharedBadInput& error) {
    if (job.speaks()) say_error(error.what());
    return kBadInput;
  } catch (const SharedError& error) {
    if (job.speaks()) say_error(error.what());
    return kNoSuccess;
  } catch (const std::exception& error) {
    if (job.session == nullptr || job.session->size() == 1) throw;
    say_error(fmt::format("process {}: {}", job.session->rank(), error.what()));
    std::_Exit(kNoSuccess);
  }
}

std::vector<std::string> chosen_backends(const std::vector<std::string>& wanted,
                                         const std::vector<std::string>& offered) {
  for (const std::string& backend : wanted) require_name("--backend", backend, backend_names());
  const bool launched = launched_processes() > 0;
  if (wanted.empty() && launched) return {std::string(kMpiBackend)};
  std::vector<std::string> chosen = wanted.empty() ? offered : wanted;
  if (launched && chosen != std::vector<std::string>{std::string(kMpiBackend)})
    throw std::invalid_argument(
        "--backend: simulators run in one process, start them without an MPI launcher");
  if (wanted.empty()) std::erase(chosen, kMpiBackend);
  return chosen;
}

struct RunOptions {
  std::vector<std::string> files, backends;
  std::string out;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool dry_run = false;
};

struct Sweep {
  Experiment experiment;
  std::vector<Cell> cells;
  ResultsPaths paths;
};

Sweep read_sweep(const RunOptions& options, const std::string& file) {
  Sweep sweep;
  sweep.experiment = read_experiment(file, algorithm_names());
  sweep.cells = cells_of(sweep.experiment, chosen_backends(options.backends, sweep.experiment.backends),
                         program_version());
  if (std::ranges::all_of(sweep.cells, [](const Cell& cell) { return cell.points.empty(); }))
    throw std::invalid_argument(
        file + ": no points for these backends (mpi-allreduce and the backend \"mpi\" need mpirun)");
  const fs::path base = options.out.empty() ? fs::path("results") : fs::path(options.out);
  const bool own_folder = options.out.empty() || options.files.size() > 1;
  sweep.paths = results_paths(own_folder ? base / sweep.experiment.name : base);
  return sweep;
}

// All of them before the first is run, so that a mistake in the last is found at once.
std::vector<Sweep> read_sweeps(const RunOptions& options) {
  std::vector<Sweep> sweeps;
  std::map<std::string, std::string> file_of;  // by the experiment's name
  for (const std::string& file : options.files) {
    sweeps.push_back(read_sweep(options, file));
    const std::string& name = sweeps.back().experiment.name;
    const auto [other, is_new] = file_of.emplace(name, file);
    if (!is_new)
      throw std::invalid_argument(
          fmt::format("{} and {}: found the name \"{}\" in both, expected different ones, as each "
                      "experiment has a results directory of its name",
                      other->second, file, name));
  }
  return sweeps;
}

std::size_t count_points(const Sweep& sweep, const std::set<std::string>& finished) {
  std::size_t count = 0;
  for (const Cell& cell : sweep.cells)
    for (const Point& point : cell.points) count += finished.contains(point.key) ? 0 : 1;
  return count;
}

void list_points(const Sweep& sweep, const std::set<std::string>& finished) {
  for (const Cell& cell : sweep.cells)
    for (const Point& point : cell.points)
      fmt::print("{} {}{}\n", point.key, describe(cell, point),
                 finished.contains(point.key) ? " (done)" : "");
  fmt::print("{} points of {} to run\n", count_points(sweep, finished), count_points(sweep, {}));
}

// Keys of what is done already, as process 0 finds it.
std::set<std::string> finished_points(const Job& job, const Sweep& sweep) {
  std::string text = job.together([&] {
    std::string keys;
    if (job.speaks())
      for (const std::string& key : finished_keys(current_measurements(sweep.paths))) keys += key + "\n";
    return keys;
  });
  std::istringstream lines(job.first_said(text));
  std::set<std::string> keys;
  for (std::string key; std::getline(lines, key);) keys.insert(key);
  return keys;
}

// Opens the results directory of a sweep and takes its measurements.
class Recorder {
 public:
  Recorder(const Job& job, const Sweep& sweep, std::size_t missing)
      : progress_(sweep.experiment.name, missing, stderr) {
    fs::create_directories(sweep.paths.directory);
    RunContext context = context_of(sweep.experiment);
    if (job.world != nullptr) context.mpi_version = MpiSession::library_version();
    write_context(sweep.paths.context, context);
    writer_.emplace(sweep.paths.points);
    for (const Measurement& measurement : current_measurements(sweep.paths))
      known_.emplace(measurement.key, measurement.reason);
  }

  void add(const Measurement& measurement) {
    if (measurement.status == "ok" || !known_.contains({measurement.key, measurement.reason}))
      writer_->append(measurement);
    all_ok_ = all_ok_ && measurement.status != "failed";
    progress_.step();
  }

  Progress& progress() { return progress_; }
  bool all_ok() const { return all_ok_; }

 private:
  std::optional<ResultsWriter> writer_;
  std::set<std::pair<std::string, std::string>> known_;  // what is not "ok", by key and reason: said once
  Progress progress_;
  bool all_ok_ = true;
};

// Computes what is missing; false if a point failed.
bool compute(const RunOptions& options, const Job& job, const Sweep& sweep,
             const std::set<std::string>& finished) {
  const auto recorder = job.together([&]() -> std::unique_ptr<Recorder> {
    if (!job.speaks()) return nullptr;
    return std::make_unique<Recorder>(job, sweep, count_points(sweep, finished));
  });
  const OnMeasurement on_measurement = [&](const Measurement& measurement) { recorder->add(measurement); };
  if (job.world != nullptr)
    run_mpi(sweep.experiment, sweep.cells, finished, *job.world, *job.session, interrupted, on_measurement);
  else
    run_simulated(sweep.experiment, sweep.cells, finished, options.jobs, interrupted, on_measurement,
                  [&] { recorder->progress().refresh(); });
  if (recorder == nullptr) return true;
  recorder->progress().finish();
  return recorder->all_ok();
}

// Prints the table, draws the plots and says where they are. Without plots the results are there all the
// same.
int show_results(const ResultsPaths& paths) {
  fmt::print("{}", write_table(paths));
  std::fflush(stdout);
  try {
    fmt::print("{}", write_plots(paths));
    return kDone;
  } catch (const std::exception& error) {
    if (interrupted) return kDone;  // and gnuplot with it
    say_error(fmt::format("no plots: {}\nthe results are kept: `sparsewire report {}` draws them",
                          error.what(), paths.directory.string()));
    return kNoSuccess;
  }
}

int run_sweep(const RunOptions& options, const Job& job, const Sweep& sweep) {
  const std::set<std::string> finished = finished_points(job, sweep);
  if (options.dry_run) {
    if (job.speaks()) list_points(sweep, finished);
    return kDone;
  }
  const std::size_t missing = count_points(sweep, finished), all = count_points(sweep, {});
  if (job.speaks() && missing < all)
    fmt::print(stderr, "{}: {} of {} points are there already\n", sweep.experiment.name, all - missing, all);
  const bool all_ok = missing == 0 || compute(options, job, sweep, finished);
  const int code = job.together([&]() -> int {
    if (!job.speaks() || current_measurements(sweep.paths).empty()) return kDone;
    return show_results(sweep.paths);
  });
  return std::max<int>(code, all_ok ? kDone : kSomeFailed);
}

int run(const RunOptions& options) {
  const bool mpi_alone = options.backends == std::vector<std::string>{std::string(kMpiBackend)};
  const bool with_mpi = launched_processes() > 0 || mpi_alone;
  if (!with_mpi && std::ranges::find(options.backends, kMpiBackend) != options.backends.end())
    throw std::invalid_argument(
        "--backend: mpi cannot be combined with simulators, run it by itself under mpirun");
  const Job job = Job::start(with_mpi);
  return exit_code_of(job, [&] {
    int code = kDone;
    for (const Sweep& sweep : job.together([&] { return read_sweeps(options); })) {
      code = std::max(code, run_sweep(options, job, sweep));
      if (job.first_said(interrupted ? "interrupted" : "").empty()) continue;
      if (job.speaks())
        fmt::print(stderr, "interrupted; what is finished is kept, the same command computes the rest\n");
      return static_cast<int>(kInterrupted);
    }
    return code;
  });
}

int list(const std::string& what) {
  if (what == "algorithms") {
    for (const auto& algorithm : allreduce_catalogue<Stream<float>>())
      fmt::print("{:<24}{}\n", algorithm.name, algorithm.summary);
    fmt::print("{:<24}the MPI library's own, on dense vectors; over MPI only\n", kMpiAllreduce);
  } else if (what == "topologies") {
    for (const TopologyKind& kind : topology_kinds()) fmt::print("{:<24}{}\n", kind.name, kind.summary);
  } else if (what == "workloads") {
    for (const auto& [name, summary] : workload_kinds()) fmt::print("{:<24}{}\n", name, summary);
  } else {
    for (const Machine& machine : shipped_machines())
      fmt::print("{:<24}L={:.4g} s, o={:.4g} s, g={:.4g} s, G={:.4g} s/byte, S={} bytes\n{:<24}{}\n",
                 machine.name, machine.network.L, machine.network.o, machine.network.g, machine.network.G,
                 machine.network.S, "", machine.source);
  }
  return kDone;
}

int validate(const std::vector<std::string>& files) {
  int code = kDone;
  for (const std::string& file : files) try {
      const Experiment experiment = read_experiment(file, algorithm_names());
      std::size_t points = 0;
      for (const Cell& cell : cells_of(experiment, experiment.backends, program_version()))
        points += cell.points.size();
      fmt::print("{}: valid, {} points\n", file, points);
    } catch (const std::invalid_argument& error) {
      say_error(error.what());
      code = kBadInput;
    }
  return code;
}

struct ReduceOptions {
  std::string vectors, algorithm, backend, machine = "deep-est", topology = "star", precision = "fp32";
};

nlohmann::json parsed(const std::string& text, const std::string& source) {
  ParsedJson parsed = parse_json(text);
  if (parsed.problems.empty()) return std::move(parsed.value);
  const Problem& first = parsed.problems.front();
  throw std::invalid_argument(
      fmt::format("{}{}{}: {}", source, first.pointer.empty() ? "" : ": ", first.pointer, first.message));
}

Topology topology_of(const std::string& text) {
  nlohmann::json json = {{"name", text}};
  fs::path folder;
  if (text.starts_with('{')) {
    json = parsed(text, "--topology");
  } else if (fs::is_regular_file(text)) {
    std::ifstream input(text);
    json = parsed({std::istreambuf_iterator<char>(input), {}}, "--topology: " + text);
    folder = fs::path(text).parent_path();
  }
  try {
    return topology_from_json(json, folder);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("--topology: {}", error.what()));
  }
}

template <class T>
std::vector<SparseVector<T>> vectors_for(const Job& job, const std::string& file) {
  if (!fs::is_regular_file(file) && !fs::is_fifo(file) && !fs::is_character_file(file))
    throw std::invalid_argument(fmt::format("{}: cannot open the file", file));
  std::vector<SparseVector<T>> vectors = rank_vectors<T>(read_svmlight(file, {}));
  if (vectors.empty()) throw std::invalid_argument(file + ": no vectors, expected a rank per line");
  if (job.session != nullptr && static_cast<std::size_t>(job.session->size()) != vectors.size())
    throw std::invalid_argument(
        fmt::format("{}: found {} vectors, expected one for each of the job's {} ranks", file, vectors.size(),
                    job.session->size()));
  return vectors;
}

template <class T>
int reduce_in(const Job& job, World& world, const ReduceOptions& options) {
  const auto vectors = job.together([&] { return vectors_for<T>(job, options.vectors); });
  const auto catalogue =
      job.world != nullptr ? mpi_catalogue<T>(*job.world) : allreduce_catalogue<Stream<T>>();
  for (const auto& algorithm : catalogue) {
    if (algorithm.name != options.algorithm) continue;
    const Reduction reduction = reduce(world, algorithm, vectors);
    if (job.speaks()) fmt::print("{}", reduction.text);
    return reduction.ranks_agree ? kDone : kSomeFailed;
  }
  throw std::invalid_argument(options.algorithm + " runs over MPI only: start it with mpirun");
}

// The simulator to reduce in; none if that is MPI's job.
std::unique_ptr<World> world_for(const ReduceOptions& options, const std::string& backend) {
  require_name("--algorithm", options.algorithm, algorithm_names());
  require_name("--backend", backend, backend_names());
  require_name("--precision", options.precision, {"fp32", "fp64"});
  if (backend == kMpiBackend) return nullptr;
  if (launched_processes() > 0)
    throw std::invalid_argument(
        "--backend: simulators run in one process, start them without an MPI launcher");
  return simulated_world(backend, find_machine(options.machine), topology_of(options.topology));
}

int reduce_command(const ReduceOptions& options) {
  const std::string backend = !options.backend.empty()
                                  ? options.backend
                                  : std::string(launched_processes() > 0 ? kMpiBackend : kLogGPBackend);
  const Job job = Job::start(backend == kMpiBackend || launched_processes() > 0);
  return exit_code_of(job, [&] {
    const auto simulated = job.together([&] { return world_for(options, backend); });
    World& world = simulated != nullptr ? *simulated : *job.world;
    return options.precision == "fp64" ? reduce_in<double>(job, world, options)
                                       : reduce_in<float>(job, world, options);
  });
}

int report(const std::string& directory) {
  return show_results(results_paths(directory));
}

// CLI11 does not say which command it has not understood.
void require_known_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  require_name("command", argv[1], names);
}

int command_line(int argc, char** argv) {
  CLI::App app{
      "Which allreduce sums this sparse vector fastest on my network?\n"
      "Exit codes: 0 done, 1 some points failed or ranks disagree, 2 bad input, 3 any other error, 130 "
      "interrupted."};
  app.set_version_flag("--version", [] { return program_version(); });
  app.require_subcommand(1);
  int code = kDone;

  RunOptions run_options;
  CLI::App* run_app = app.add_subcommand("run", "Run experiments: simulate, or under mpirun measure");
  run_app->add_option("files", run_options.files, "Experiment files (JSON)")->required();
  run_app
      ->add_option("--backend", run_options.backends,
                   "loggp, simgrid or mpi, instead of the experiment's; may be repeated")
      ->delimiter(',');
  run_app->add_option("--out", run_options.out,
                      "Results directory (default: results/NAME OF THE EXPERIMENT)");
  run_app->add_option("--jobs", run_options.jobs, "Processes that simulate at once")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  run_app->add_flag("--dry-run", run_options.dry_run, "Only list the points");
  run_app->callback([&] { code = run(run_options); });

  std::string what;
  CLI::App* list_app = app.add_subcommand("list", "List what can be named in an experiment");
  list_app->add_option("what", what, "algorithms, topologies, workloads or machines")
      ->required()
      ->check(CLI::IsMember({"algorithms", "topologies", "workloads", "machines"}));
  list_app->callback([&] { code = list(what); });

  std::vector<std::string> validated;
  CLI::App* validate_app = app.add_subcommand("validate", "Check experiment files without running them");
  validate_app->add_option("files", validated, "Experiment files (JSON)")->required();
  validate_app->callback([&] { code = validate(validated); });

  std::string directory;
  CLI::App* report_app = app.add_subcommand("report", "Draw table and plots of a results directory again");
  report_app->add_option("directory", directory, "Results directory")->required();
  report_app->callback([&] { code = report(directory); });

  ReduceOptions reduce_options;
  CLI::App* reduce_app = app.add_subcommand("reduce", "Sum given vectors by one allreduce");
  reduce_app
      ->add_option(
          "vectors", reduce_options.vectors,
          "SVMlight file: a rank per line, an empty line is an empty vector, '# N=' gives the length")
      ->required();
  reduce_app->add_option("--algorithm", reduce_options.algorithm, "See: sparsewire list algorithms")
      ->required();
  reduce_app->add_option("--backend", reduce_options.backend,
                         "loggp, simgrid or mpi (default: loggp, under mpirun mpi)");
  reduce_app
      ->add_option("--machine", reduce_options.machine, "Name or JSON file; see: sparsewire list machines")
      ->capture_default_str();
  reduce_app->add_option("--topology", reduce_options.topology, "Kind, JSON or JSON file; for simgrid")
      ->capture_default_str();
  reduce_app->add_option("--precision", reduce_options.precision, "fp32 or fp64")->capture_default_str();
  reduce_app->callback([&] { code = reduce_command(reduce_options); });

  require_known_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  return code;
}

}  // namespace
}  // namespace sparsewire

int main(int argc, char** argv) {
  using namespace sparsewire;
  handle_interrupts();
  try {
    return command_line(argc, argv);
  } catch (const std::invalid_argument& error) {
    say_error(error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    say_error(error.what());
    return kNoSuccess;
  }
}
