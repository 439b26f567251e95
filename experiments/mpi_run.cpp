#include "experiments/mpi_run.hpp"

#include <fmt/format.h>

#include "experiments/measure.hpp"
#include "experiments/workload.hpp"

namespace sparsewire {
namespace {

struct Trials {
  Point point;
  std::vector<Trial> kept;
};

template <class T>
void measure_cell(const Experiment& experiment, const Cell& cell, const std::vector<Point>& points,
                  MpiWorld& world, Rank self, const OnMeasurement& on_measurement) {
  const Inputs<T> inputs = make_inputs<T>(cell, experiment.seed);
  std::vector<Trials> trials;
  for (const Point& point : points) trials.push_back({point, {}});
  const auto catalogue = mpi_catalogue<T>(world);
  const auto own = static_cast<std::size_t>(std::min(self, cell.ranks - 1));
  const Stream<T> sparse = starting_stream(inputs.vectors[own], Family::sparse);
  const Stream<T> dense = starting_stream(inputs.vectors[own], Family::dense);
  for (unsigned round = 0; round < experiment.warm_ups + experiment.repetitions; ++round)
    for (Trials& of_point : trials)
      for (const auto& algorithm : catalogue) {
        if (algorithm.name != of_point.point.algorithm) continue;
        Trial trial = run_trial<T>(world, algorithm, inputs,
                                   [&](Rank) { return algorithm.family == Family::dense ? dense : sparse; });
        if (round >= experiment.warm_ups) of_point.kept.push_back(std::move(trial));
      }
  for (const Trials& of_point : trials) {
    Measurement measurement = blank_measurement(experiment, cell, of_point.point);
    fill_in(measurement, of_point.kept, inputs,
            predict_for(of_point.point.algorithm, experiment.machine, inputs));
    on_measurement(measurement);
  }
}

void skip_all(const Experiment& experiment, const Cell& cell, const std::vector<Point>& points,
              const std::string& reason, const OnMeasurement& on_measurement) {
  for (const Point& point : points) {
    Measurement measurement = blank_measurement(experiment, cell, point);
    measurement.status = "skipped";
    measurement.reason = reason;
    on_measurement(measurement);
  }
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
std::vector<Allreduce<Stream<T>>> mpi_catalogue(MpiWorld& world) {
  auto catalogue = allreduce_catalogue<Stream<T>>();
  catalogue.push_back(
      {kMpiAllreduce, Family::dense, "the MPI library's own, on dense vectors",
       [&world](Transport&, Stream<T> mine) { return library_allreduce(world, std::move(mine)); }});
  return catalogue;
}

template std::vector<Allreduce<Stream<float>>> mpi_catalogue(MpiWorld&);
template std::vector<Allreduce<Stream<double>>> mpi_catalogue(MpiWorld&);

std::string broadcast(MpiWorld& world, const MpiSession& session, const std::string& text) {
  const RunResult result = world.run(session.size(), [&](Transport& transport) -> Output {
    if (transport.rank() != 0) return {};
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
  });
  return {reinterpret_cast<const char*>(result[0].output.data()), result[0].output.size()};
}

void run_mpi(const Experiment& experiment, const std::vector<Cell>& cells,
             const std::set<std::string>& finished, MpiWorld& world, const MpiSession& session,
             const std::atomic<bool>& stop, const OnMeasurement& on_measurement) {
  const OnMeasurement on_process_0 = [&](const Measurement& measurement) {
    if (session.rank() == 0) on_measurement(measurement);
  };
  for (const Cell& cell : cells) {
    std::vector<Point> points;
    for (const Point& point : cell.points)
      if (point.backend == kMpiBackend && !finished.contains(point.key)) points.push_back(point);
    if (points.empty()) continue;
    if (broadcast(world, session, stop ? "stop" : "go on") == "stop") return;
    if (cell.ranks > session.size()) {
      skip_all(experiment, cell, points,
               fmt::format("asks for {} ranks, the job has {} (mpirun -np)", cell.ranks, session.size()),
               on_process_0);
      continue;
    }
    try {
      if (cell.precision == "fp64")
        measure_cell<double>(experiment, cell, points, world, session.rank(), on_process_0);
      else
        measure_cell<float>(experiment, cell, points, world, session.rank(), on_process_0);
    } catch (const std::invalid_argument& error) {  // inputs that cannot exist, on all processes alike
      skip_all(experiment, cell, points, error.what(), on_process_0);
    } catch (const NotEnoughData& error) {
      skip_all(experiment, cell, points, error.what(), on_process_0);
    }
  }
}

}  // namespace sparsewire
