#include "experiments/reduce.hpp"

#include <fmt/format.h>

#include <cstring>

#include "algorithms/pattern/hash.hpp"
#include "algorithms/payload/half.hpp"
#include "experiments/measure.hpp"

namespace sparsewire {
namespace {

template <class T>
auto printable(T value) {
  if constexpr (std::floating_point<T>)
    return value;
  else
    return static_cast<float>(value);
}

template <class Op>
std::string elements_of() {
  return std::is_same_v<Op, Plus> ? "non-zeros" : fmt::format("elements of the {}", Op::kName);
}

template <class T, class Op>
const Stream<T, Op>& stream_of_result(const Stream<T, Op>& total) {
  return total;
}
template <class T, class Op>
const Stream<T, Op>& stream_of_result(const Coded<T, Op>& total) {
  return total.stream();
}

// `start(rank)` gives what a rank starts from.
template <class T, class Op, class S, class Start>
Reduction reduction_of(World& world, const Allreduce<S>& algorithm, std::size_t ranks_there,
                       const Start& start_from) {
  const RunResult result = world.run(static_cast<Rank>(ranks_there), [&](Transport& transport) {
    S mine = start_from(transport.rank());
    const Seconds start = transport.now();
    const S total = algorithm.run(transport, std::move(mine));
    const Seconds elapsed = transport.now() - start;
    Output output = stream_of_result(total).packed().flatten();
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

}  // namespace

template <class T>
std::string svmlight_line(const SparseVector<T>& vector) {
  std::string line;
  for (std::size_t i = 0; i < vector.indices.size(); ++i)
    line += fmt::format("{}{}:{}", i == 0 ? "" : " ", vector.indices[i], printable(vector.values[i]));
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
  return reduction_of<T, Op>(world, algorithm, vectors.size(), [&](Rank rank) {
    return starting_stream<Op>(vectors[static_cast<std::size_t>(rank)], algorithm.family);
  });
}

template <class T>
Reduction reduce(World& world, const Allreduce<Coded<T>>& algorithm,
                 const std::vector<SparseVector<T>>& vectors, const Coding& coding) {
  return reduction_of<T, Plus>(world, algorithm, vectors.size(), [&](Rank rank) {
    Coding own = coding;
    own.quantisation.seed = hash_of(coding.quantisation.seed, 0, static_cast<std::uint64_t>(rank));
    if (algorithm.family == Family::dense) own.codec = Codec::pairs;
    return Coded<T>(starting_stream(vectors[static_cast<std::size_t>(rank)], algorithm.family), own);
  });
}

#define INSTANTIATE_SUM(T)                                                                           \
  template std::string svmlight_line(const SparseVector<T>&);                                        \
  template std::vector<SparseVector<T>> rank_vectors<T, Plus>(const SvmlightData&);                  \
  template Reduction reduce(World&, const Allreduce<Coded<T>>&, const std::vector<SparseVector<T>>&, \
                            const Coding&)
INSTANTIATE_SUM(float);
INSTANTIATE_SUM(double);
INSTANTIATE_SUM(Half);
INSTANTIATE_SUM(Bfloat16);
#undef INSTANTIATE_SUM

#define INSTANTIATE(T, Op)                                                        \
  template std::vector<SparseVector<T>> rank_vectors<T, Op>(const SvmlightData&); \
  template Reduction reduce(World&, const Allreduce<Stream<T, Op>>&, const std::vector<SparseVector<T>>&)
INSTANTIATE(float, Minimum);
INSTANTIATE(double, Minimum);
INSTANTIATE(float, Maximum);
INSTANTIATE(double, Maximum);
INSTANTIATE(float, Product);
INSTANTIATE(double, Product);
INSTANTIATE(float, LogicalOr);
INSTANTIATE(double, LogicalOr);
#undef INSTANTIATE

}  // namespace sparsewire
