#include "experiments/reduce.hpp"

#include <fmt/format.h>

#include <cstring>

#include "experiments/measure.hpp"

namespace sparsewire {
namespace {

template <class Op>
std::string elements_of() {
  return std::is_same_v<Op, Plus> ? "non-zeros" : fmt::format("elements of the {}", Op::kName);
}

}  // namespace

template <class T>
std::string svmlight_line(const SparseVector<T>& vector) {
  std::string line;
  for (std::size_t i = 0; i < vector.indices.size(); ++i)
    line += fmt::format("{}{}:{}", i == 0 ? "" : " ", vector.indices[i], vector.values[i]);
  return line + "\n";
}

template <class T, class Op>
std::vector<SparseVector<T>> rank_vectors(const SvmlightData& data) {
  std::vector<SparseVector<T>> vectors;
  for (std::size_t rank = 0; rank < data.rows.size(); ++rank) {
    std::vector<std::pair<std::int64_t, T>> pairs;
    for (const auto& [index, value] : data.rows[rank]) pairs.emplace_back(index, static_cast<T>(value));
    try {
      vectors.push_back(sparse_vector<T, Op>(data.dimension, std::move(pairs)));
    } catch (const InvalidVector& error) {
      throw InvalidVector(fmt::format("rank {}: {}", rank, error.what()));
    }
  }
  return vectors;
}

template <class T, class Op>
Reduction reduce(World& world, const Allreduce<Stream<T, Op>>& algorithm,
                 const std::vector<SparseVector<T>>& vectors) {
  const RunResult result = world.run(static_cast<Rank>(vectors.size()), [&](Transport& transport) {
    const SparseVector<T>& vector = vectors[static_cast<std::size_t>(transport.rank())];
    Stream<T, Op> mine = starting_stream<Op>(vector, algorithm.family);
    const Seconds start = transport.now();
    const Stream<T, Op> total = algorithm.run(transport, std::move(mine));
    const Seconds elapsed = transport.now() - start;
    Output output = total.packed().flatten();
    const auto* bytes = reinterpret_cast<const std::byte*>(&elapsed);
    output.insert(output.end(), bytes, bytes + sizeof elapsed);
    return output;
  });
  std::vector<Output> totals;
  std::string ranks;
  for (std::size_t rank = 0; rank < result.size(); ++rank) {
    const Output& output = result[rank].output;
    Seconds elapsed = 0;
    std::memcpy(&elapsed, output.data() + output.size() - sizeof elapsed, sizeof elapsed);
    totals.emplace_back(output.begin(), output.end() - sizeof elapsed);
    const Counters& counters = result[rank].counters;
    ranks += fmt::format("# {:>4} {:>12.6g} {:>8} {:>12}\n", rank, elapsed, counters.messages,
                         counters.wire_bytes);
  }
  const bool agree =
      std::all_of(totals.begin(), totals.end(), [&](const Output& total) { return total == totals[0]; });
  const SparseVector<T> combined = sparse_vector_of(Stream<T, Op>::unpack(Message(totals[0])));
  std::string text = fmt::format("# N={}\n{}", combined.dimension, svmlight_line(combined));
  text += fmt::format("# {} on {} ranks: {} {}\n# ranks agree bit for bit: {}\n", algorithm.name,
                      result.size(), combined.count(), elements_of<Op>(), agree ? "yes" : "NO");
  return {text + "# rank       time_s messages        bytes\n" + ranks, agree};
}

template std::string svmlight_line(const SparseVector<float>&);
template std::string svmlight_line(const SparseVector<double>&);
template std::vector<SparseVector<float>> rank_vectors<float, Plus>(const SvmlightData&);
template std::vector<SparseVector<double>> rank_vectors<double, Plus>(const SvmlightData&);
template std::vector<SparseVector<float>> rank_vectors<float, Minimum>(const SvmlightData&);
template std::vector<SparseVector<double>> rank_vectors<double, Minimum>(const SvmlightData&);
template std::vector<SparseVector<float>> rank_vectors<float, Maximum>(const SvmlightData&);
template std::vector<SparseVector<double>> rank_vectors<double, Maximum>(const SvmlightData&);
template std::vector<SparseVector<float>> rank_vectors<float, Product>(const SvmlightData&);
template std::vector<SparseVector<double>> rank_vectors<double, Product>(const SvmlightData&);
template std::vector<SparseVector<float>> rank_vectors<float, LogicalOr>(const SvmlightData&);
template std::vector<SparseVector<double>> rank_vectors<double, LogicalOr>(const SvmlightData&);
template Reduction reduce(World&, const Allreduce<Stream<float, Plus>>&,
                          const std::vector<SparseVector<float>>&);
template Reduction reduce(World&, const Allreduce<Stream<double, Plus>>&,
                          const std::vector<SparseVector<double>>&);
template Reduction reduce(World&, const Allreduce<Stream<float, Minimum>>&,
                          const std::vector<SparseVector<float>>&);
template Reduction reduce(World&, const Allreduce<Stream<double, Minimum>>&,
                          const std::vector<SparseVector<double>>&);
template Reduction reduce(World&, const Allreduce<Stream<float, Maximum>>&,
                          const std::vector<SparseVector<float>>&);
template Reduction reduce(World&, const Allreduce<Stream<double, Maximum>>&,
                          const std::vector<SparseVector<double>>&);
template Reduction reduce(World&, const Allreduce<Stream<float, Product>>&,
                          const std::vector<SparseVector<float>>&);
template Reduction reduce(World&, const Allreduce<Stream<double, Product>>&,
                          const std::vector<SparseVector<double>>&);
template Reduction reduce(World&, const Allreduce<Stream<float, LogicalOr>>&,
                          const std::vector<SparseVector<float>>&);
template Reduction reduce(World&, const Allreduce<Stream<double, LogicalOr>>&,
                          const std::vector<SparseVector<double>>&);

}  // namespace sparsewire
