// One cell's inputs, and one allreduce on them in any world.
#pragma once

#include <optional>

#include "algorithms/catalogue.hpp"
#include "algorithms/payload/coded.hpp"
#include "algorithms/transport/world.hpp"
#include "experiments/sweep.hpp"
#include "reports/measurement.hpp"

namespace sparsewire {

// The sum that every algorithm has to return, computed in double precision; `tolerance` is what rounding may
// change at each index: that of each addition, and that of a quantised result. Empty for vectors above
// kMostVerified elements, which are not verified.
struct ExpectedSum {
  std::vector<double> values, tolerance;
};
inline constexpr std::uint64_t kMostVerified = std::uint64_t{1} << 27;

// Every rank's vector, and what is known of them together.
template <class T>
struct Inputs {
  std::vector<SparseVector<T>> vectors;  // by rank
  std::vector<double> union_sizes;       // of the first 1, 2, ..., P ranks
  ExpectedSum expected;
  Quantisation quantisation = {};  // of dense parts of results; its seed is not set yet

  std::uint64_t dimension() const { return vectors.front().dimension; }
  double density() const;         // mean over ranks
  double result_density() const;  // of the union
};

// Throws std::invalid_argument or NotEnoughData if the cell's inputs cannot exist.
template <class T>
Inputs<T> make_inputs(const Cell& cell, std::uint64_t seed);
template <class T>
Inputs<T> inputs_from(std::vector<SparseVector<T>> vectors, const Quantisation& quantisation = {});

// One run: what each rank did, and whether the result is right.
struct Trial {
  Seconds time_s = 0;              // until the slowest rank had its result
  std::vector<Seconds> finish_s;   // by rank
  std::vector<Counters> counters;  // by rank
  bool ranks_agree = false;        // bit for bit
  double worst_excess = 0;         // rank 0's largest error over its tolerance; above 1 the result is wrong
  std::optional<double> relative_error = {};  // of a lossy algorithm or a quantised result
};

// What a rank starts from, made before its clock starts: sparse or dense by break-even, and dense for the
// dense family.
template <class Op = Plus, class T>
Stream<T, Op> starting_stream(const SparseVector<T>& vector, Family family) {
  Stream<T, Op> stream = stream_of<Op>(vector);
  return family == Family::dense ? densified(std::move(stream)).value : stream;
}

// Tells streams apart.
template <class T>
std::uint64_t hash_of(const Stream<T>& stream);

// How an algorithm of a family sends the inputs on a rank: the dense ones take no codec.
template <class T>
Coding coding_of(const Inputs<T>& inputs, Family family, std::string_view codec, std::uint64_t seed,
                 Rank rank);

// Runs `algorithm` in `world` on `inputs`, where `start(rank)` gives a rank's starting stream.
template <class T>
Trial run_trial(World& world, const Allreduce<Coded<T>>& algorithm, const Inputs<T>& inputs,
                const std::function<Coded<T>(Rank)>& start);

// What the closed form and the lower bound say of the same inputs.
template <class T>
std::optional<ModelPrediction> predict_for(const AlgorithmSpec& algorithm, const Machine& machine,
                                           const Inputs<T>& inputs, const Coding& coding = {});

// What all measurements of a cell share. Status and times are still those of no run.
Measurement blank_measurement(const Experiment& experiment, const Cell& cell, const Point& point);

// Fills in what trials of one point found; `trials` has at least one.
template <class T>
void fill_in(Measurement& measurement, const std::vector<Trial>& trials, const Inputs<T>& inputs,
             const std::optional<ModelPrediction>& prediction);

}  // namespace sparsewire
