#include "experiments/mpi_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "algorithms/coded_catalogue.hpp"
#include "algorithms/half_catalogue.hpp"
#include "experiments/failure.hpp"
#include "experiments/lossy_run.hpp"
#include "experiments/measure.hpp"
#include "experiments/names.hpp"
#include "experiments/precision.hpp"

namespace sparsewire {
namespace {

struct Trials {
  Point point;
  AlgorithmSpec spec;
  Coding coding;
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
Trial timed_trial(MpiWorld& world, Rank self, const Allreduce<Coded<T>>& algorithm, const Coding& coding,
                  const Inputs<T>& inputs) {
  const std::size_t own = std::min(static_cast<std::size_t>(self), inputs.vectors.size() - 1);
  Coded<T> mine(starting_stream(inputs.vectors[own], algorithm.family), coding);
  return run_trial<T>(world, algorithm, inputs, [&mine](Rank) { return std::move(mine); });
}

template <class T>
Trials trials_of(const Experiment& experiment, const Point& point, const Inputs<T>& inputs, MpiWorld& world,
                 Rank self) {
  if (is_lossy(point.algorithm)) {
    require_plain(point.algorithm, point.codec, inputs);
    if constexpr (std::floating_point<T>) {
      const auto method = lossy_named<T>(point.algorithm);
      return {point, method.spec, {}, [=, &world, &inputs, &experiment] {
                return run_lossy_trial(world, method, inputs, experiment.seed);
              }};
    }
  }
  const auto algorithm = mpi_allreduce_named<T>(world, point.algorithm);
  const Coding coding = coding_of(inputs, algorithm.family, point.codec, experiment.seed, self);
  return {point, algorithm.spec, coding,
          [=, &world, &inputs] { return timed_trial(world, self, algorithm, coding, inputs); }};
}

template <class T>
void measure_points(const Experiment& experiment, const Cell& cell, const std::vector<Point>& points,
                    const Inputs<T>& inputs, MpiWorld& world, Rank self,
                    const OnMeasurement& on_measurement) {
  std::vector<Trials> trials;
  for (const Point& point : points) try {
      trials.push_back(trials_of(experiment, point, inputs, world, self));
    } catch (const std::invalid_argument& error) {
      end_all(experiment, cell, {point}, failure_of(error), on_measurement);
    }
  for (unsigned round = 0; round < experiment.warm_ups + experiment.repetitions; ++round)
    for (Trials& of_point : trials) {
      Trial trial = of_point.run();
      if (round >= experiment.warm_ups) of_point.kept.push_back(std::move(trial));
    }
  for (const Trials& of_point : trials) {
    Measurement measurement = blank_measurement(experiment, cell, of_point.point);
    fill_in(measurement, of_point.kept, inputs,
            predict_for(of_point.spec, experiment.machine, inputs, of_point.coding));
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
Coded<T> library_allreduce(MpiWorld& world, Coded<T> mine) {
  const Coding coding = mine.coding();
  Stream<T> total = densified(std::move(mine).stream()).value;
  if (total.exclusive_values() == nullptr)
    total = Stream<T>::dense(total.begin(), total.end(), total.values());
  world.allreduce_sum(std::span<T>(total.exclusive_values(), total.count()));
  return {std::move(total), coding};
}

}  // namespace

template <class T>
Allreduce<Coded<T>> mpi_allreduce_named(MpiWorld& world, const std::string& text) {
  if (text != kMpiAllreduce) return allreduce_named<Coded<T>>(text);
  if constexpr (std::floating_point<T>)
    return {text, Family::dense, "the MPI library's own, on dense vectors",
            [&world](Transport&, Coded<T> mine) { return library_allreduce(world, std::move(mine)); },
            parse_algorithm(text)};
  throw std::invalid_argument(text + ": MPI has no type for values of 16 bits");
}

template Allreduce<Coded<float>> mpi_allreduce_named(MpiWorld&, const std::string&);
template Allreduce<Coded<double>> mpi_allreduce_named(MpiWorld&, const std::string&);
template Allreduce<Coded<Half>> mpi_allreduce_named(MpiWorld&, const std::string&);
template Allreduce<Coded<Bfloat16>> mpi_allreduce_named(MpiWorld&, const std::string&);

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
    else
      with_value_of(cell.precision, [&](auto value) {
        measure_cell<decltype(value)>(experiment, cell, points, world, session, on_process_0);
      });
  }
  error = broadcast(world, session, error);
  if (!error.empty()) throw SharedError(error);
}

}  // namespace sparsewire
