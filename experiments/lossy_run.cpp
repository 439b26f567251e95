#include "experiments/lossy_run.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "algorithms/pattern/hash.hpp"
#include "reports/statistics.hpp"

namespace sparsewire {
namespace {

// What a rank reports. Losses are found by a random projection, as a sum over ranks of whole vectors would be
// large: of the gradients less the residual, and on rank 0 less the sums, it is to be zero.
struct Digest {
  Seconds elapsed_s = 0;
  std::uint64_t hash = 0;
  double balance = 0;
  double squares = 0;  // of the projection's terms: how large rounding may be
  double relative_error = 0;
};

double weight(std::uint64_t index) {
  return static_cast<double>(hash_of(7, 0, index) % 255) - 127;
}

template <class T>
void project_gradient(Digest& digest, std::span<const T> gradient, double iterations) {
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double term = iterations * weight(i) * static_cast<double>(gradient[i]);
    digest.balance += term;
    digest.squares += term * term;
  }
}

template <class T>
void project_unsent(Digest& digest, std::span<const T> unsent) {
  for (std::size_t i = 0; i < unsent.size(); ++i)
    digest.balance -= weight(i) * static_cast<double>(unsent[i]);
}

template <class T>
std::vector<double> totals_of(const std::vector<Stream<T>>& sums, std::uint64_t dimension) {
  std::vector<double> totals(dimension);
  for (const Stream<T>& sum : sums) {
    const SparseVector<T> elements = sparse_vector_of(sum);
    for (std::size_t i = 0; i < elements.indices.size(); ++i)
      totals[elements.indices[i]] += static_cast<double>(elements.values[i]);
  }
  return totals;
}

template <class T>
Digest iterate(Transport& transport, const LossyAllreduce<T>& method, const LossySetup& setup,
               const Inputs<T>& inputs) {
  const std::uint64_t iterations = method.spec.number("iterations");
  const Stream<T> dense =
      densified(stream_of(inputs.vectors[static_cast<std::size_t>(transport.rank())])).value;
  LossyState<T> state = method.start(setup);
  std::vector<Stream<T>> sums;
  const Seconds begin = transport.now();
  for (std::uint64_t i = 0; i < iterations; ++i) sums.push_back(state.step(transport, dense.values()));
  Digest digest{(transport.now() - begin) / static_cast<double>(iterations)};
  for (const Stream<T>& sum : sums) digest.hash = mixed_bits(digest.hash ^ hash_of(sum));
  project_gradient<T>(digest, dense.values(), static_cast<double>(iterations));
  project_unsent<T>(digest, state.unsent());
  if (transport.rank() != 0) return digest;
  const std::vector<double> totals = totals_of(sums, setup.dimension);
  for (std::size_t i = 0; i < totals.size(); ++i) digest.balance -= weight(i) * totals[i];
  std::vector<double> wanted = inputs.expected.values;
  for (double& value : wanted) value *= static_cast<double>(iterations);
  digest.relative_error = relative_error(totals, wanted);
  return digest;
}

// The mean of one iteration.
Counters per_iteration(Counters counters, std::uint64_t iterations) {
  const auto mean = [&](std::uint64_t total) { return (total + iterations / 2) / iterations; };
  counters.messages = mean(counters.messages);
  counters.wire_bytes = mean(counters.wire_bytes);
  for (std::uint64_t& elements : counters.work.elements) elements = mean(elements);
  return counters;
}

// What was lost over what rounding explains: errors of either sign, of each element's additions.
double loss(double balance, double squares, double additions, double epsilon) {
  constexpr double kDeviations = 8;
  if (balance == 0) return 0;
  const double excess = std::abs(balance) / (kDeviations * epsilon * additions * std::sqrt(squares));
  return std::isnan(excess) ? std::numeric_limits<double>::infinity() : excess;
}

}  // namespace

template <class T>
Trial run_lossy_trial(World& world, const LossyAllreduce<T>& method, const Inputs<T>& inputs,
                      std::uint64_t seed) {
  const std::uint64_t iterations = method.spec.number("iterations");
  const double nonzeros = inputs.density() * static_cast<double>(inputs.dimension());
  const LossySetup setup{inputs.dimension(), std::min(inputs.dimension(), kept_count(method.spec, nonzeros)),
                         seed};
  const auto ranks = static_cast<Rank>(inputs.vectors.size());
  const RunResult result = world.run(ranks, [&](Transport& transport) {
    const Digest digest = iterate(transport, method, setup, inputs);
    Output output(sizeof digest);
    std::memcpy(output.data(), &digest, sizeof digest);
    return output;
  });
  Trial trial;
  trial.ranks_agree = true;
  Digest first, total;
  std::memcpy(&first, result.front().output.data(), sizeof first);
  for (const RankResult& rank : result) {
    Digest digest;
    std::memcpy(&digest, rank.output.data(), sizeof digest);
    trial.finish_s.push_back(digest.elapsed_s);
    trial.time_s = std::max(trial.time_s, digest.elapsed_s);
    trial.counters.push_back(per_iteration(rank.counters, iterations));
    trial.ranks_agree = trial.ranks_agree && digest.hash == first.hash;
    total.balance += digest.balance;
    total.squares += digest.squares;
  }
  if (method.conserves)
    trial.worst_excess = loss(total.balance, total.squares, static_cast<double>(iterations) * ranks,
                              std::numeric_limits<T>::epsilon());
  if (!inputs.expected.values.empty()) trial.relative_error = first.relative_error;
  return trial;
}

template Trial run_lossy_trial(World&, const LossyAllreduce<float>&, const Inputs<float>&, std::uint64_t);
template Trial run_lossy_trial(World&, const LossyAllreduce<double>&, const Inputs<double>&, std::uint64_t);

}  // namespace sparsewire
