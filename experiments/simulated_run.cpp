#include "experiments/simulated_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "algorithms/coded_catalogue.hpp"
#include "algorithms/half_catalogue.hpp"
#include "experiments/failure.hpp"
#include "experiments/lossy_run.hpp"
#include "experiments/measure.hpp"
#include "experiments/names.hpp"
#include "experiments/precision.hpp"
#include "experiments/worker_pool.hpp"
#include "reports/results_io.hpp"
#include "sim/loggp_world.hpp"
#include "sim/simgrid_world.hpp"

namespace sparsewire {
namespace {

// The points of one cell that are still to be measured, in order.
struct Task {
  const Cell* cell = nullptr;
  std::vector<Point> points;
};

template <class T>
void measure(const Experiment& experiment, const Inputs<T>& inputs, Measurement& measurement) {
  const auto world = simulated_world(measurement.backend, experiment.machine, experiment.topology);
  if (is_lossy(measurement.algorithm)) {
    require_plain(measurement.algorithm, measurement.codec, inputs);
    if constexpr (std::floating_point<T>) {
      const auto method = lossy_named<T>(measurement.algorithm);
      const Trial trial = run_lossy_trial(*world, method, inputs, experiment.seed);
      return fill_in(measurement, {trial}, inputs, predict_for(method.spec, experiment.machine, inputs));
    }
  }
  const auto algorithm = allreduce_named<Coded<T>>(measurement.algorithm);
  const auto coding = [&](Rank rank) {
    return coding_of(inputs, algorithm.family, measurement.codec, experiment.seed, rank);
  };
  const Trial trial = run_trial<T>(*world, algorithm, inputs, [&](Rank rank) {
    const SparseVector<T>& vector = inputs.vectors[static_cast<std::size_t>(rank)];
    return Coded<T>(starting_stream(vector, algorithm.family), coding(rank));
  });
  fill_in(measurement, {trial}, inputs, predict_for(algorithm.spec, experiment.machine, inputs, coding(0)));
}

template <class T>
void run_task(const Experiment& experiment, const Task& task, const OnMeasurement& emit) {
  std::optional<Inputs<T>> inputs;
  Failure no_inputs;
  try {
    inputs = make_inputs<T>(*task.cell, experiment.seed);
  } catch (const std::exception& error) {
    no_inputs = failure_of(error);
  }
  for (const Point& point : task.points) {
    Measurement measurement = blank_measurement(experiment, *task.cell, point);
    try {
      if (!inputs)
        set_failure(measurement, no_inputs);
      else
        measure(experiment, *inputs, measurement);
    } catch (const std::exception& error) {
      set_failure(measurement, failure_of(error));
    }
    emit(measurement);
  }
}

Job job_of(const Experiment& experiment, const Task& task) {
  return [&experiment, task](const auto& emit) {
    const OnMeasurement on_measurement = [&](const Measurement& measurement) {
      using Json = nlohmann::ordered_json;
      emit(measurement_to_json(measurement).dump(-1, ' ', false, Json::error_handler_t::replace));
    };
    with_value_of(task.cell->precision,
                  [&](auto value) { run_task<decltype(value)>(experiment, task, on_measurement); });
  };
}

// What is to be run, and again: after a crash the points behind the one that crashed.
class Sweep {
 public:
  Sweep(const Experiment& experiment, std::vector<Task> tasks, const OnMeasurement& on_measurement)
      : experiment_(experiment), tasks_(std::move(tasks)), on_measurement_(on_measurement) {}

  void run(unsigned processes, const std::atomic<bool>& stop, const std::function<void()>& idle) {
    while (!tasks_.empty() && !stop) {
      std::vector<Job> jobs;
      for (const Task& task : tasks_) jobs.push_back(job_of(experiment_, task));
      done_.assign(tasks_.size(), 0);
      leftover_.clear();
      run_jobs(jobs, processes, stop,
               {[this](std::size_t job, const std::string& line) { heard(job, line); },
                [this](std::size_t job, const std::string& crash) { ended(job, crash); }, idle});
      tasks_ = std::move(leftover_);
    }
  }

 private:
  void heard(std::size_t job, const std::string& line) {
    ++done_[job];
    on_measurement_(measurement_from_json(nlohmann::ordered_json::parse(line)));
  }

  void ended(std::size_t job, const std::string& crash) {
    const Task& task = tasks_[job];
    if (crash.empty() || done_[job] == task.points.size()) return;
    const auto crashed = task.points.begin() + static_cast<std::ptrdiff_t>(done_[job]);
    Measurement measurement = blank_measurement(experiment_, *task.cell, *crashed);
    set_failure(measurement, {"failed", "its process ended early: " + crash});
    on_measurement_(measurement);
    if (crashed + 1 != task.points.end()) leftover_.push_back({task.cell, {crashed + 1, task.points.end()}});
  }

  const Experiment& experiment_;
  std::vector<Task> tasks_, leftover_;
  const OnMeasurement& on_measurement_;
  std::vector<std::size_t> done_;  // measurements heard of each task
};

}  // namespace

std::unique_ptr<World> simulated_world(std::string_view backend, const Machine& machine,
                                       const Topology& topology) {
  if (backend == kLogGPBackend) return std::make_unique<LogGPWorld>(machine);
  if (backend == kSimGridBackend) return std::make_unique<SimGridWorld>(machine, topology);
  throw std::invalid_argument(fmt::format("no simulator is named \"{}\"", backend));
}

void run_simulated(const Experiment& experiment, const std::vector<Cell>& cells,
                   const std::set<std::string>& finished, unsigned processes, const std::atomic<bool>& stop,
                   const OnMeasurement& on_measurement, const std::function<void()>& idle) {
  std::vector<Task> tasks;
  for (const Cell& cell : cells) {
    Task task{&cell, {}};
    for (const Point& point : cell.points)
      if (point.backend != kMpiBackend && !finished.contains(point.key)) task.points.push_back(point);
    // SimGrid first: it forks, and memory that the engine has left behind would be copied
    std::stable_partition(task.points.begin(), task.points.end(),
                          [](const Point& point) { return point.backend == kSimGridBackend; });
    if (!task.points.empty()) tasks.push_back(std::move(task));
  }
  // the largest first, so that none is left to run alone at the end
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const Task& a, const Task& b) { return a.cell->ranks > b.cell->ranks; });
  Sweep(experiment, std::move(tasks), on_measurement).run(processes, stop, idle);
}

}  // namespace sparsewire
