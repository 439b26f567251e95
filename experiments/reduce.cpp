#include "experiments/reduce.hpp"

#include <fmt/format.h>

#include <cstring>

#include "experiments/measure.hpp"

namespace sparsewire {
namespace {

template <class T>
std::string svmlight_line(const SparseVector<T>& vector) {
  std::string line;
  for (std::size_t i = 0; i < vector.indices.size(); ++i)
    line += fmt::format("{}{}:{}", i == 0 ? "" : " ", vector.indices[i], vector.values[i]);
  return line + "\n";
}

}  // namespace

template <class T>
std::vector<SparseVector<T>> rank_vectors(const SvmlightData& data) {
  std::vector<SparseVector<T>> vectors;
  for (std::size_t rank = 0; rank < data.rows.size(); ++rank) {
    std::vector<std::pair<std::int64_t, T>> pairs;
    for (const auto& [index, value] : data.rows[rank]) pairs.emplace_back(index, static_cast<T>(value));
    try {
      vectors.push_back(sparse_vector<T>(data.dimension, std::move(pairs)));
    } catch (const InvalidVector& error) {
      throw InvalidVector(fmt::format("rank {}: {}", rank, error.what()));
    }
  }
  return vectors;
}

template <class T>
Reduction reduce(World& world, const Allreduce<Stream<T>>& algorithm,
                 const std::vector<SparseVector<T>>& vectors) {
  const RunResult result = world.run(static_cast<Rank>(vectors.size()), [&](Transport& transport) {
    Stream<T> mine = starting_stream(vectors[static_cast<std::size_t>(transport.rank())], algorithm.family);
    const Seconds start = transport.now();
    const Stream<T> total = algorithm.run(transport, std::move(mine));
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
  const SparseVector<T> sum = sparse_vector_of(Stream<T>::unpack(Message(totals[0])));
  std::string text = fmt::format("# N={}\n{}", sum.dimension, svmlight_line(sum));
  text += fmt::format("# {} on {} ranks: {} non-zeros\n# ranks agree bit for bit: {}\n", algorithm.name,
                      result.size(), sum.count(), agree ? "yes" : "NO");
  return {text + "# rank       time_s messages        bytes\n" + ranks, agree};
}

template std::vector<SparseVector<float>> rank_vectors(const SvmlightData&);
template std::vector<SparseVector<double>> rank_vectors(const SvmlightData&);
template Reduction reduce(World&, const Allreduce<Stream<float>>&, const std::vector<SparseVector<float>>&);
template Reduction reduce(World&, const Allreduce<Stream<double>>&, const std::vector<SparseVector<double>>&);

}  // namespace sparsewire
