#include "experiments/measure.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "algorithms/pattern/hash.hpp"
#include "experiments/names.hpp"
#include "experiments/precision.hpp"
#include "experiments/program_version.hpp"
#include "experiments/workload.hpp"
#include "model/closed_forms.hpp"
#include "reports/statistics.hpp"

namespace sparsewire {
namespace {

// What a rank reports of its result; the result itself stays where it is.
struct Digest {
  Seconds elapsed_s = 0;
  std::uint64_t hash = 0;
  double worst_excess = 0;
  double relative_error = 0;
};

double excess(double found, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(found) ? 0 : std::numeric_limits<double>::infinity();
  if (found == expected) return 0;
  const double error = std::abs(found - expected);
  if (std::isnan(error)) return std::numeric_limits<double>::infinity();
  return tolerance > 0 ? error / tolerance : std::numeric_limits<double>::infinity();
}

template <class T>
double worst_excess(const Stream<T>& stream, const ExpectedSum& expected) {
  if (expected.values.empty()) return 0;
  double worst = 0;
  std::uint64_t next = 0;  // the first index that has not been compared
  const auto compare = [&](std::uint64_t index, double found) {
    for (; next < index && next < expected.values.size(); ++next)
      worst = std::max(worst, excess(0, expected.values[next], expected.tolerance[next]));
    if (next >= expected.values.size()) {
      worst = std::max(worst, excess(found, 0, 0));
      return;
    }
    worst = std::max(worst, excess(found, expected.values[next], expected.tolerance[next]));
    ++next;
  };
  for (std::size_t i = 0; i < stream.values().size(); ++i)
    compare(stream.is_dense() ? i : stream.indices()[i], static_cast<double>(stream.values()[i]));
  compare(expected.values.size(), 0);  // what is missing at the end
  return worst;
}

template <class T>
ExpectedSum expected_sum(const std::vector<SparseVector<T>>& vectors) {
  ExpectedSum expected;
  const std::uint64_t dimension = vectors.front().dimension;
  if (dimension > kMostVerified) return expected;
  expected.values.assign(dimension, 0);
  expected.tolerance.assign(dimension, 0);
  for (const SparseVector<T>& vector : vectors)
    for (std::size_t i = 0; i < vector.indices.size(); ++i) {
      expected.values[vector.indices[i]] += static_cast<double>(vector.values[i]);
      expected.tolerance[vector.indices[i]] += std::abs(static_cast<double>(vector.values[i]));
    }
  // each of P - 1 additions may be off by half a unit in the last place of a partial sum
  const double unit =
      static_cast<double>(vectors.size()) * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (double& tolerance : expected.tolerance) tolerance *= unit;
  return expected;
}

std::string problem_of(const Measurement& measurement, double worst) {
  if (!measurement.ranks_agree) return "ranks ended with different results";
  if (measurement.family == "lossy")
    return fmt::format("sums and residuals miss the gradients by {:.3g} times what rounding explains", worst);
  return fmt::format("the result is {:.3g} times further from the serial sum than rounding explains", worst);
}

template <class T>
std::vector<double> dense_values(const Stream<T>& stream) {
  const Stream<T> dense = densified(stream).value;
  std::vector<double> values;
  values.reserve(dense.count());
  for (const T value : dense.values()) values.push_back(static_cast<double>(value));
  return values;
}

// A quantised value may be off by a level of its bucket. The bucket lies anywhere within its span around the
// value: in three blocks of that span. Where owners' indices are hashed it takes one of `ranks` indices.
void allow_quantisation(ExpectedSum& expected, const Quantisation& quantisation, std::size_t ranks) {
  const std::size_t length = expected.values.size(), span = quantisation.bucket * ranks;
  std::vector<double> largest(length / span + 3);  // of each block, one empty block before and behind
  for (std::size_t i = 0; i < length; ++i) {
    double& of_block = largest[i / span + 1];
    of_block = std::max(of_block, std::abs(expected.values[i]) + expected.tolerance[i]);
  }
  const double levels = static_cast<double>((1u << (quantisation.bits - 1)) - 1);
  for (std::size_t i = 0; i < length; ++i) {
    const double* const around = &largest[i / span];
    expected.tolerance[i] += std::max({around[0], around[1], around[2]}) / levels * (1 + 1e-6);
  }
}

}  // namespace

template <class T>
std::uint64_t hash_of(const Stream<T>& stream) {
  const std::span<const std::byte> bytes = stream.packed().chunk(0);
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

template <class T>
double Inputs<T>::density() const {
  if (dimension() == 0) return 0;
  double count = 0;
  for (const SparseVector<T>& vector : vectors) count += static_cast<double>(vector.count());
  return count / static_cast<double>(vectors.size()) / static_cast<double>(dimension());
}

template <class T>
double Inputs<T>::result_density() const {
  return dimension() == 0 ? 0 : union_sizes.back() / static_cast<double>(dimension());
}

template <class T>
Inputs<T> inputs_from(std::vector<SparseVector<T>> vectors, const Quantisation& quantisation) {
  Inputs<T> inputs;
  inputs.union_sizes = union_table(vectors);
  inputs.expected = expected_sum(vectors);
  inputs.quantisation = quantisation;
  if (quantisation.bits > 0) allow_quantisation(inputs.expected, quantisation, vectors.size());
  inputs.vectors = std::move(vectors);
  return inputs;
}

template <class T>
Inputs<T> make_inputs(const Cell& cell, std::uint64_t seed) {
  Quantisation quantisation;
  quantisation.bits = quantised_bits(cell.precision);
  return inputs_from(generate<T>(cell.workload, cell.ranks, cell.dimension, cell.density, seed),
                     quantisation);
}

template <class T>
Coding coding_of(const Inputs<T>& inputs, Family family, std::string_view codec, std::uint64_t seed,
                 Rank rank) {
  Coding coding{family == Family::dense ? Codec::pairs : codec_named(codec).value(), inputs.quantisation};
  coding.quantisation.seed = hash_of(seed, 0, static_cast<std::uint64_t>(rank));
  return coding;
}

template <class T>
Trial run_trial(World& world, const Allreduce<Coded<T>>& algorithm, const Inputs<T>& inputs,
                const std::function<Coded<T>(Rank)>& start) {
  const bool is_rounded = inputs.quantisation.bits > 0 && !inputs.expected.values.empty();
  const RunResult result = world.run(static_cast<Rank>(inputs.vectors.size()), [&](Transport& transport) {
    Coded<T> mine = start(transport.rank());
    const Seconds begin = transport.now();
    const Stream<T> total = algorithm.run(transport, std::move(mine)).stream();
    Digest digest{transport.now() - begin, hash_of(total)};
    if (transport.rank() == 0) {
      digest.worst_excess = worst_excess(total, inputs.expected);
      if (is_rounded) digest.relative_error = relative_error(dense_values(total), inputs.expected.values);
    }
    Output output(sizeof digest);
    std::memcpy(output.data(), &digest, sizeof digest);
    return output;
  });
  Trial trial;
  trial.ranks_agree = true;
  std::optional<std::uint64_t> hash;
  for (const RankResult& rank : result) {
    Digest digest;
    std::memcpy(&digest, rank.output.data(), sizeof digest);
    trial.time_s = std::max(trial.time_s, digest.elapsed_s);
    trial.finish_s.push_back(digest.elapsed_s);
    trial.counters.push_back(rank.counters);
    trial.ranks_agree = trial.ranks_agree && digest.hash == hash.value_or(digest.hash);
    hash = digest.hash;
    trial.worst_excess = std::max(trial.worst_excess, digest.worst_excess);
    if (is_rounded) trial.relative_error = std::max(trial.relative_error.value_or(0), digest.relative_error);
  }
  return trial;
}

template <class T>
std::optional<ModelPrediction> predict_for(const AlgorithmSpec& algorithm, const Machine& machine,
                                           const Inputs<T>& inputs, const Coding& coding) {
  CostInput input{static_cast<Rank>(inputs.vectors.size()), inputs.dimension(), sizeof(T), inputs.union_sizes,
                  coding};
  // the form's first entry is a rank's own count: the mean, where ranks differ, if the unions allow it
  const double mean = inputs.density() * static_cast<double>(inputs.dimension());
  if (input.ranks > 1) input.union_sizes[0] = std::min(mean, input.union_sizes[1]);
  const std::optional<Terms> terms = predict(algorithm, machine, input);
  if (!terms) return std::nullopt;
  return ModelPrediction{terms->total,     terms->latency, terms->overhead,
                         terms->bandwidth, terms->compute, lower_bound(machine, input).total};
}

Measurement blank_measurement(const Experiment& experiment, const Cell& cell, const Point& point) {
  Measurement measurement;
  measurement.key = point.key;
  measurement.experiment = experiment.name;
  measurement.backend = point.backend;
  measurement.algorithm = point.algorithm;
  measurement.family = family_of(point.algorithm);
  measurement.workload = cell.workload.label;
  measurement.machine = point.backend == kMpiBackend ? host_name() : experiment.machine.name;
  measurement.topology = point.backend == kSimGridBackend ? experiment.topology.name : "";
  measurement.precision = cell.precision;
  measurement.codec = point.codec;
  measurement.ranks = cell.ranks;
  measurement.dimension = cell.dimension;
  measurement.density = cell.density;
  measurement.seed = experiment.seed;
  return measurement;
}

template <class T>
void fill_in(Measurement& measurement, const std::vector<Trial>& trials, const Inputs<T>& inputs,
             const std::optional<ModelPrediction>& prediction) {
  if (measurement.dimension == 0) {  // a file's, known only now
    measurement.dimension = inputs.dimension();
    measurement.density = inputs.density();
  }
  measurement.result_density = inputs.result_density();
  measurement.ranks_agree = true;
  double worst = 0;
  for (const Trial& trial : trials) {
    measurement.samples_s.push_back(trial.time_s);
    measurement.ranks_agree = measurement.ranks_agree && trial.ranks_agree;
    worst = std::max(worst, trial.worst_excess);
    if (trial.relative_error)
      measurement.relative_error = std::max(*trial.relative_error, measurement.relative_error.value_or(0));
  }
  measurement.time_s = median(measurement.samples_s);
  if (measurement.backend == kMpiBackend) measurement.confidence_s = median_confidence(measurement.samples_s);
  for (const Counters& counters : trials.front().counters) {
    measurement.messages += counters.messages;
    measurement.messages_max = std::max(measurement.messages_max, counters.messages);
    measurement.wire_bytes += counters.wire_bytes;
    measurement.wire_bytes_max = std::max(measurement.wire_bytes_max, counters.wire_bytes);
    measurement.work += counters.work;
  }
  measurement.model = prediction;
  if (measurement.ranks_agree && worst <= 1) return;
  measurement.status = "failed";
  measurement.reason = problem_of(measurement, worst);
}

#define INSTANTIATE(T)                                                                        \
  template std::uint64_t hash_of(const Stream<T>&);                                           \
  template struct Inputs<T>;                                                                  \
  template Inputs<T> inputs_from(std::vector<SparseVector<T>>, const Quantisation&);          \
  template Inputs<T> make_inputs(const Cell&, std::uint64_t);                                 \
  template Coding coding_of(const Inputs<T>&, Family, std::string_view, std::uint64_t, Rank); \
  template Trial run_trial(World&, const Allreduce<Coded<T>>&, const Inputs<T>&,              \
                           const std::function<Coded<T>(Rank)>&);                             \
  template std::optional<ModelPrediction> predict_for(const AlgorithmSpec&, const Machine&,   \
                                                      const Inputs<T>&, const Coding&);       \
  template void fill_in(Measurement&, const std::vector<Trial>&, const Inputs<T>&,            \
                        const std::optional<ModelPrediction>&)
INSTANTIATE(float);
INSTANTIATE(double);
INSTANTIATE(Half);
INSTANTIATE(Bfloat16);
#undef INSTANTIATE

}  // namespace sparsewire
