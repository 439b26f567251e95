// The command line: run, list, validate, report, reduce.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "algorithms/transport/mpi_world.hpp"
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

void handle_interrupts() {
  std::signal(SIGINT, [](int) { interrupted = true; });
  std::signal(SIGTERM, [](int) { interrupted = true; });
}

// Number of processes that an MPI launcher has started this one with; 0 without a launcher.
int launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 0;
}

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

  // Throws what() of the first process on all of them, if any has an error: none goes on alone.
  void agree(const std::string& error) const {
    std::string first = error;
    if (world != nullptr)
      for (const RankResult& rank : world->run(session->size(), [&](Transport&) -> Output {
             const auto* bytes = reinterpret_cast<const std::byte*>(error.data());
             return {bytes, bytes + error.size()};
           }))
        if (first.empty() && !rank.output.empty())
          first.assign(reinterpret_cast<const char*>(rank.output.data()), rank.output.size());
    if (!first.empty()) throw std::invalid_argument(first);
  }
};

// Runs `read` on every process; an error on any of them becomes one of all.
template <class Read>
auto read_together(const Job& job, const Read& read) {
  decltype(read()) value{};
  std::string error;
  try {
    value = read();
  } catch (const std::exception& problem) {
    error = problem.what();
  }
  job.agree(error);
  return value;
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
  const fs::path base = options.out.empty() ? fs::path("results") : fs::path(options.out);
  const bool own_folder = options.out.empty() || options.files.size() > 1;
  sweep.paths = results_paths(own_folder ? base / sweep.experiment.name : base);
  return sweep;
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
  std::string text = read_together(job, [&] {
    std::string keys;
    if (job.speaks())
      for (const std::string& key : finished_keys(current_measurements(sweep.paths))) keys += key + "\n";
    return keys;
  });
  if (job.world != nullptr) text = broadcast(*job.world, *job.session, text);
  std::set<std::string> keys;
  std::istringstream lines(text);
  for (std::string key; std::getline(lines, key);) keys.insert(key);
  return keys;
}

// Computes what is missing; false if a point failed.
bool compute(const RunOptions& options, const Job& job, const Sweep& sweep,
             const std::set<std::string>& finished) {
  std::unique_ptr<ResultsWriter> writer;
  if (job.speaks()) {
    fs::create_directories(sweep.paths.directory);
    RunContext context = context_of(sweep.experiment);
    if (job.world != nullptr) context.mpi_version = MpiSession::library_version();
    write_context(sweep.paths.context, context);
    writer = std::make_unique<ResultsWriter>(sweep.paths.points);
  }
  Progress progress(sweep.experiment.name, count_points(sweep, finished), stderr);
  std::set<std::pair<std::string, std::string>> known;  // what is not "ok", by key and reason: said once
  for (const Measurement& measurement :
       job.speaks() ? current_measurements(sweep.paths) : std::vector<Measurement>{})
    known.emplace(measurement.key, measurement.reason);
  bool all_ok = true;
  const OnMeasurement on_measurement = [&](const Measurement& measurement) {
    if (measurement.status == "ok" || !known.contains({measurement.key, measurement.reason}))
      writer->append(measurement);
    all_ok = all_ok && measurement.status != "failed";
    progress.step();
  };
  if (job.world != nullptr)
    run_mpi(sweep.experiment, sweep.cells, finished, *job.world, *job.session, interrupted, on_measurement);
  else
    run_simulated(sweep.experiment, sweep.cells, finished, options.jobs, interrupted, on_measurement,
                  [&] { progress.refresh(); });
  if (job.speaks()) progress.finish();
  return all_ok;
}

int run_sweep(const RunOptions& options, const Job& job, const std::string& file) {
  const Sweep sweep = read_together(job, [&] { return read_sweep(options, file); });
  if (count_points(sweep, {}) == 0)
    throw std::invalid_argument(
        file + ": no points for these backends (mpi-allreduce and the backend \"mpi\" need mpirun)");
  const std::set<std::string> finished = finished_points(job, sweep);
  if (options.dry_run) {
    if (job.speaks()) list_points(sweep, finished);
    return kDone;
  }
  const std::size_t missing = count_points(sweep, finished), all = count_points(sweep, {});
  if (job.speaks() && missing < all)
    fmt::print(stderr, "{}: {} of {} points are there already\n", sweep.experiment.name, all - missing, all);
  const bool all_ok = missing == 0 || compute(options, job, sweep, finished);
  if (job.speaks() && fs::exists(sweep.paths.points) && fs::file_size(sweep.paths.points) > 0)
    fmt::print("{}", write_report(sweep.paths));
  if (interrupted) {
    if (job.speaks())
      fmt::print(stderr, "interrupted; what is finished is kept, the same command computes the rest\n");
    return kInterrupted;
  }
  return all_ok ? kDone : kSomeFailed;
}

int run(const RunOptions& options) {
  const bool with_mpi =
      launched_processes() > 0 || options.backends == std::vector<std::string>{std::string(kMpiBackend)};
  const Job job = Job::start(with_mpi);
  if (!with_mpi && std::ranges::find(options.backends, kMpiBackend) != options.backends.end())
    throw std::invalid_argument(
        "--backend: mpi cannot be combined with simulators, run it by itself under mpirun");
  int code = kDone;
  try {
    for (const std::string& file : options.files) {
      const int of_file = run_sweep(options, job, file);
      code = std::max(code, of_file);
      if (of_file == kInterrupted) break;
    }
  } catch (const std::invalid_argument& error) {
    if (job.speaks()) fmt::print(stderr, "sparsewire: {}\n", error.what());
    return kBadInput;
  }
  return code;
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
  for (const std::string& file : files) {
    const Experiment experiment = read_experiment(file, algorithm_names());
    std::size_t points = 0;
    for (const Cell& cell : cells_of(experiment, experiment.backends, program_version()))
      points += cell.points.size();
    fmt::print("{}: valid, {} points\n", file, points);
  }
  return kDone;
}

struct ReduceOptions {
  std::string vectors, algorithm, backend, machine = "deep-est", topology = "star", precision = "fp32";
};

Topology topology_of(const std::string& text) {
  nlohmann::json json = {{"name", text}};
  fs::path folder;
  if (text.starts_with('{')) {
    json = nlohmann::json::parse(text);
  } else if (fs::exists(text)) {
    std::ifstream input(text);
    json = nlohmann::json::parse(input);
    folder = fs::path(text).parent_path();
  }
  try {
    return topology_from_json(json, folder);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("--topology: {}", error.what()));
  }
}

template <class T>
int reduce_in(const Job& job, World& world, const ReduceOptions& options) {
  const std::vector<SparseVector<T>> vectors = read_together(job, [&] {
    std::vector<SparseVector<T>> read = rank_vectors<T>(read_svmlight(options.vectors, {}));
    if (read.empty()) throw std::invalid_argument(options.vectors + ": no vectors, expected a rank per line");
    if (job.session != nullptr && static_cast<std::size_t>(job.session->size()) != read.size())
      throw std::invalid_argument(
          fmt::format("{}: found {} vectors, expected one for each of the job's {} ranks", options.vectors,
                      read.size(), job.session->size()));
    return read;
  });
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

int reduce_command(const ReduceOptions& options) {
  const std::string backend = !options.backend.empty()
                                  ? options.backend
                                  : std::string(launched_processes() > 0 ? kMpiBackend : kLogGPBackend);
  const Job job = Job::start(backend == kMpiBackend || launched_processes() > 0);
  try {
    require_name("--algorithm", options.algorithm, algorithm_names());
    require_name("--backend", backend, backend_names());
    require_name("--precision", options.precision, {"fp32", "fp64"});
    if (job.world != nullptr && backend != kMpiBackend)
      throw std::invalid_argument(
          "--backend: simulators run in one process, start them without an MPI launcher");
    std::unique_ptr<World> simulated;
    if (job.world == nullptr)
      simulated = simulated_world(backend, find_machine(options.machine), topology_of(options.topology));
    World& world = job.world != nullptr ? static_cast<World&>(*job.world) : *simulated;
    return options.precision == "fp64" ? reduce_in<double>(job, world, options)
                                       : reduce_in<float>(job, world, options);
  } catch (const std::invalid_argument& error) {
    if (job.speaks()) fmt::print(stderr, "sparsewire: {}\n", error.what());
    return kBadInput;
  }
}

int report(const std::string& directory) {
  fmt::print("{}", write_report(results_paths(directory)));
  return kDone;
}

int command_line(int argc, char** argv) {
  CLI::App app{
      "Which allreduce sums this sparse vector fastest on my network?\n"
      "Exit codes: 0 done, 1 some points failed or ranks disagree, 2 bad input, 3 any other error, 130 "
      "interrupted."};
  app.set_version_flag("--version", program_version());
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
    fmt::print(stderr, "sparsewire: {}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "sparsewire: {}\n", error.what());
    return kNoSuccess;
  }
}
