#include "experiments/run_command.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "experiments/job.hpp"
#include "experiments/names.hpp"
#include "experiments/program_version.hpp"
#include "experiments/progress.hpp"
#include "experiments/reader.hpp"
#include "experiments/simulated_run.hpp"
#include "reports/results_io.hpp"

namespace sparsewire {
namespace {

namespace fs = std::filesystem;

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

struct Sweep {
  Experiment experiment;
  std::vector<Cell> cells;
  ResultsPaths paths;
};

// Throws std::invalid_argument if no point fits the processes of an MPI job.
void require_fitting_points(const Job& job, const Sweep& sweep, const std::string& file) {
  if (job.session == nullptr) return;
  const auto least = std::ranges::min(sweep.cells, {}, &Cell::ranks).ranks;
  if (least > job.session->size())
    throw std::invalid_argument(
        fmt::format("{}: asks for {} ranks or more, the job has {}: start it with mpirun -np {}", file, least,
                    job.session->size(), least));
}

// What a user might miss, said once at the start.
void say_notes(const RunOptions& options, const Job& job, const Sweep& sweep) {
  const auto has = [&](std::string_view backend) {
    return std::ranges::find(sweep.experiment.backends, backend) != sweep.experiment.backends.end();
  };
  if (job.session == nullptr && options.backends.empty() && has(kMpiBackend))
    fmt::print(stderr, "{}: the points of the backend mpi are measured under mpirun, not here\n",
               sweep.experiment.name);
  const char* local = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const unsigned cores = std::thread::hardware_concurrency();
  if (local != nullptr && cores > 0 && std::atoi(local) > static_cast<int>(cores))
    fmt::print(stderr, "{}: {} ranks share the {} cores of this host: times are not those of a cluster\n",
               sweep.experiment.name, local, cores);
}

Sweep read_sweep(const RunOptions& options, const Job& job, const std::string& file) {
  Sweep sweep;
  sweep.experiment = read_experiment(file);
  sweep.cells = cells_of(sweep.experiment, chosen_backends(options.backends, sweep.experiment.backends),
                         program_version());
  if (std::ranges::all_of(sweep.cells, [](const Cell& cell) { return cell.points.empty(); }))
    throw std::invalid_argument(
        file + ": no points for these backends (mpi-allreduce and the backend \"mpi\" need mpirun)");
  require_fitting_points(job, sweep, file);
  const fs::path base = options.out.empty() ? fs::path("results") : fs::path(options.out);
  const bool own_folder = options.out.empty() || options.files.size() > 1;
  sweep.paths = results_paths(own_folder ? base / sweep.experiment.name : base);
  return sweep;
}

// All of them before the first is run, so that a mistake in the last is found at once.
std::vector<Sweep> read_sweeps(const RunOptions& options, const Job& job) {
  std::vector<Sweep> sweeps;
  std::map<std::string, std::string> file_of;  // by the experiment's name
  for (const std::string& file : options.files) {
    sweeps.push_back(read_sweep(options, job, file));
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
    for (const Cell& cell : sweep.cells)
      for (const Point& point : cell.points) ++context.points[point.backend];
    write_context(job.world != nullptr ? sweep.paths.mpi_context : sweep.paths.context, context);
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
             const std::set<std::string>& finished, const std::atomic<bool>& interrupted) {
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

int run_sweep(const RunOptions& options, const Job& job, const Sweep& sweep,
              const std::atomic<bool>& interrupted) {
  const std::set<std::string> finished = finished_points(job, sweep);
  if (options.dry_run) {
    if (job.speaks()) list_points(sweep, finished);
    return kDone;
  }
  if (job.speaks()) say_notes(options, job, sweep);
  const std::size_t missing = count_points(sweep, finished), all = count_points(sweep, {});
  if (job.speaks() && missing < all)
    fmt::print(stderr, "{}: {} of {} points are there already\n", sweep.experiment.name, all - missing, all);
  const bool all_ok = missing == 0 || compute(options, job, sweep, finished, interrupted);
  // a launcher that was interrupted leaves its processes little time
  if (job.world != nullptr && !job.first_said(interrupted ? "interrupted" : "").empty()) return kInterrupted;
  const int code = job.together([&]() -> int {
    if (!job.speaks() || current_measurements(sweep.paths).empty()) return kDone;
    return show_results(sweep.paths, interrupted);
  });
  return std::max<int>(code, all_ok ? kDone : kSomeFailed);
}

}  // namespace

int show_results(const ResultsPaths& paths, const std::atomic<bool>& interrupted) {
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

int run(const RunOptions& options, const std::atomic<bool>& interrupted) {
  const bool mpi_alone = options.backends == std::vector<std::string>{std::string(kMpiBackend)};
  const bool with_mpi = launched_processes() > 0 || mpi_alone;
  if (!with_mpi && std::ranges::find(options.backends, kMpiBackend) != options.backends.end())
    throw std::invalid_argument(
        "--backend: mpi cannot be combined with simulators, run it by itself under mpirun");
  const Job job = Job::start(with_mpi);
  return exit_code_of(job, [&] {
    int code = kDone;
    for (const Sweep& sweep : job.together([&] { return read_sweeps(options, job); })) {
      code = std::max(code, run_sweep(options, job, sweep, interrupted));
      if (job.first_said(interrupted ? "interrupted" : "").empty()) continue;
      if (job.speaks())
        fmt::print(stderr, "interrupted; what is finished is kept, the same command computes the rest\n");
      return static_cast<int>(kInterrupted);
    }
    return code;
  });
}

}  // namespace sparsewire
