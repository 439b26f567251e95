#include "experiments/mpi_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "experiments/failure.hpp"
#include "experiments/lossy_run.hpp"
#include "experiments/measure.hpp"
#include "experiments/names.hpp"

namespace sparsewire {
namespace {

struct Trials {
  Point point;
  AlgorithmSpec spec;
  std::function<Trial()> run;
  std::vector<Trial> kept = {};
};

void end_all(const Experiment& experiment, const Cell& cell, const std::vector<Point>& points,
             const Failure& failure, const OnMeasurement& on_measurement) {
  for (const Point& point : points) {
    Measurement measurement = blank_measurement(experiment, cell, point);
    set_failure(measurement, failure);
    on_measurement(measurement);
  }
}

// A measured run of one algorithm. The starting vector is made anew and before the clocks start: algorithms
// may add in place.
template <class T>
Trial timed_trial(MpiWorld& world, Rank self, const Allreduce<Stream<T>>& algorithm,
                  const Inputs<T>& inputs) {
  const std::size_t own = std::min(static_cast<std::size_t>(self), inputs.vectors.size() - 1);
  Stream<T> mine = starting_stream(inputs.vectors[own], algorithm.family);
  return run_trial<T>(world, algorithm, inputs, [&mine](Rank) { return std::move(mine); });
}

template <class T>
Trials trials_of(const Experiment& experiment, const Point& point, const Inputs<T>& inputs, MpiWorld& world,
                 Rank self) {
  if (is_lossy(point.algorithm)) {
    const auto method = lossy_named<T>(point.algorithm);
    return {point, method.spec, [=, &world, &inputs, &experiment] {
              return run_lossy_trial(world, method, inputs, experiment.seed);
            }};
  }
  const auto algorithm = mpi_allreduce_named<T>(world, point.algorithm);
  return {point, algorithm.spec,
          [=, &world, &inputs] { return timed_trial(world, self, algorithm, inputs); }};
}

template <class T>
void measure_points(const Experiment& experiment, const Cell& cell, const std::vector<Point>& points,
                    const Inputs<T>& inputs, MpiWorld& world, Rank self,
                    const OnMeasurement& on_measurement) {
  std::vector<Trials> trials;
  for (const Point& point : points) trials.push_back(trials_of(experiment, point, inputs, world, self));
  for (unsigned round = 0; round < experiment.warm_ups + experiment.repetitions; ++round)
    for (Trials& of_point : trials) {
      Trial trial = of_point.run();
      if (round >= experiment.warm_ups) of_point.kept.push_back(std::move(trial));
    }
  for (const Trials& of_point : trials) {
    Measurement measurement = blank_measurement(experiment, cell, of_point.point);
    fill_in(measurement, of_point.kept, inputs, predict_for(of_point.spec, experiment.machine, inputs));
    on_measurement(measurement);
  }
}

template <class T>
void measure_cell(const Experiment& experiment, const Cell& cell, const std::vector<Point>& points,
                  MpiWorld& world, const MpiSession& session, const OnMeasurement& on_measurement) {
  std::optional<Inputs<T>> inputs;
  Failure failure;
  try {
    inputs = make_inputs<T>(cell, experiment.seed);
  } catch (const std::exception& error) {
    failure = failure_of(error);
  }
  // one process without memory or the file is enough to stop all
  failure = {first_said(world, session, failure.status), first_said(world, session, failure.reason)};
  if (failure.status.empty())
    measure_points(experiment, cell, points, *inputs, world, session.rank(), on_measurement);
  else
    end_all(experiment, cell, points, failure, on_measurement);
}

template <class T>
Stream<T> library_allreduce(MpiWorld& world, Stream<T> mine) {
  Stream<T> total = densified(std::move(mine)).value;
  if (total.exclusive_values() == nullptr)
    total = Stream<T>::dense(total.begin(), total.end(), total.values());
  world.allreduce_sum(std::span<T>(total.exclusive_values(), total.count()));
  return total;
}

}  // namespace

template <class T>
Allreduce<Stream<T>> mpi_allreduce_named(MpiWorld& world, const std::string& text) {
  if (text != kMpiAllreduce) return allreduce_named<Stream<T>>(text);
  return {text, Family::dense, "the MPI library's own, on dense vectors",
          [&world](Transport&, Stream<T> mine) { return library_allreduce(world, std::move(mine)); },
          parse_algorithm(text)};
}

template Allreduce<Stream<float>> mpi_allreduce_named(MpiWorld&, const std::string&);
template Allreduce<Stream<double>> mpi_allreduce_named(MpiWorld&, const std::string&);

std::string broadcast(MpiWorld& world, const MpiSession& session, const std::string& text) {
  return first_said(world, session, session.rank() == 0 ? text : "");
}

std::string first_said(MpiWorld& world, const MpiSession& session, const std::string& text) {
  const RunResult said = world.run(session.size(), [&](Transport&) -> Output {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
  });
  for (const RankResult& rank : said)
    if (!rank.output.empty()) return {reinterpret_cast<const char*>(rank.output.data()), rank.output.size()};
  return "";
}

void run_mpi(const Experiment& experiment, const std::vector<Cell>& cells,
             const std::set<std::string>& finished, MpiWorld& world, const MpiSession& session,
             const std::atomic<bool>& stop, const OnMeasurement& on_measurement) {
  std::string error;  // of on_measurement
  const OnMeasurement on_process_0 = [&](const Measurement& measurement) {
    if (session.rank() != 0 || !error.empty()) return;
    try {
      on_measurement(measurement);
    } catch (const std::exception& problem) {
      error = problem.what();
    }
  };
  for (const Cell& cell : cells) {
    std::vector<Point> points;
    for (const Point& point : cell.points)
      if (point.backend == kMpiBackend && !finished.contains(point.key)) points.push_back(point);
    if (points.empty()) continue;
    if (!broadcast(world, session, stop || !error.empty() ? "stop" : "").empty()) break;
    if (cell.ranks > session.size())
      end_all(experiment, cell, points,
              {"skipped",
               fmt::format("asks for {} ranks, the job has {} (mpirun -np)", cell.ranks, session.size())},
              on_process_0);
    else if (cell.precision == "fp64")
      measure_cell<double>(experiment, cell, points, world, session, on_process_0);
    else
      measure_cell<float>(experiment, cell, points, world, session, on_process_0);
  }
  error = broadcast(world, session, error);
  if (!error.empty()) throw SharedError(error);
}

}  // namespace sparsewire
