#include "experiments/collective_command.hpp"

#include <fmt/format.h>

#include <cstring>

#include "algorithms/collectives.hpp"
#include "experiments/names.hpp"
#include "experiments/vectors_file.hpp"

namespace sparsewire {
namespace {

// One of the tables' rows, as a function from a rank's vector to those that the rank ends with.
template <Summable S>
struct Candidate {
  std::string_view name, summary;
  bool ends_alike;  // all ranks with the same
  std::function<std::vector<S>(Transport&, S)> run;
};

template <Summable S>
std::vector<Candidate<S>> candidates(Rank root) {
  std::vector<Candidate<S>> all;
  for (const auto& row : reduce_scatter_table<S>())
    all.push_back({row.name, row.summary, false, [run = row.run](Transport& transport, S mine) {
                     return std::vector<S>{run(transport, std::move(mine))};
                   }});
  for (const auto& row : allgather_table<S>()) all.push_back({row.name, row.summary, true, row.run});
  for (const auto& row : reduce_table<S>())
    all.push_back({row.name, row.summary, false, [run = row.run, root](Transport& transport, S mine) {
                     const std::optional<S> sum = run(transport, std::move(mine), root);
                     return sum ? std::vector<S>{*sum} : std::vector<S>();
                   }});
  for (const auto& row : broadcast_table<S>())
    all.push_back({row.name, row.summary, true, [run = row.run, root](Transport& transport, S mine) {
                     return std::vector<S>{run(transport, std::move(mine), root)};
                   }});
  return all;
}

// What a rank reports: how long it took, and packed vectors.
struct Ending {
  Seconds elapsed = 0;
  Message vectors;

  Output packed() const {
    Output output(sizeof elapsed);
    std::memcpy(output.data(), &elapsed, sizeof elapsed);
    const std::vector<std::byte> bytes = vectors.flatten();
    output.insert(output.end(), bytes.begin(), bytes.end());
    return output;
  }
  static Ending unpack(const Output& output) {
    Ending ending;
    std::memcpy(&ending.elapsed, output.data(), sizeof elapsed);
    ending.vectors = Message(Output(output.begin() + sizeof elapsed, output.end()));
    return ending;
  }
};

template <Summable S>
RunResult run_in(World& world, const Candidate<S>& candidate, const std::vector<S>& starts) {
  return world.run(static_cast<Rank>(starts.size()), [&](Transport& transport) {
    S mine = starts[static_cast<std::size_t>(transport.rank())];
    const Seconds start = transport.now();
    const std::vector<S> ends = candidate.run(transport, std::move(mine));
    Ending ending{transport.now() - start, {}};
    for (const S& end : ends) ending.vectors.append(pack(end));
    return ending.packed();
  });
}

template <class T>
int collective_in(const Job& job, World& world, const CollectiveOptions& options) {
  using S = Stream<T>;
  const auto vectors = job.together([&] { return vectors_for<T>(job, options.vectors); });
  const auto ranks = static_cast<Rank>(vectors.size());
  job.together([&] { return BinomialTree(ranks, options.root).ranks(); });
  std::vector<S> starts;
  for (const SparseVector<T>& vector : vectors) starts.push_back(stream_of(vector));
  const std::vector<Candidate<S>> all = candidates<S>(options.root);
  const Candidate<S>& candidate =
      *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == options.algorithm; });

  std::string text = fmt::format("# N={}\n", vectors.front().dimension), table;
  bool alike = true;
  const RunResult result = run_in(world, candidate, starts);
  const std::vector<std::byte> first = Ending::unpack(result.front().output).vectors.flatten();
  for (std::size_t rank = 0; rank < result.size(); ++rank) {
    const Ending ending = Ending::unpack(result[rank].output);
    alike = alike && ending.vectors.flatten() == first;
    if (rank == 0 || !candidate.ends_alike)
      for (const Message& message : split_packed<S>(ending.vectors))
        text += svmlight_line(sparse_vector_of(S::unpack(message)));
    const Counters& counters = result[rank].counters;
    table += fmt::format("# {:>4} {:>12.6g} {:>8} {:>12}\n", rank, ending.elapsed, counters.messages,
                         counters.wire_bytes);
  }
  text += fmt::format("# {} on {} ranks\n", candidate.name, ranks);
  if (candidate.ends_alike) text += fmt::format("# ranks agree bit for bit: {}\n", alike ? "yes" : "NO");
  if (job.speaks()) fmt::print("{}# rank       time_s messages        bytes\n{}", text, table);
  return alike || !candidate.ends_alike ? kDone : kSomeFailed;
}

// The simulator to run in; none if that is MPI's job.
std::unique_ptr<World> world_for(const CollectiveOptions& options) {
  std::vector<std::string> names;
  for (const auto& [name, summary] : collective_kinds()) names.push_back(name);
  require_name("--algorithm", options.algorithm, names);
  require_name("--precision", options.precision, {"fp32", "fp64"});
  return simulated_world(options.world);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> collective_kinds() {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const auto& candidate : candidates<Stream<float>>(0))
    kinds.emplace_back(candidate.name, candidate.summary);
  return kinds;
}

int collective_command(const CollectiveOptions& options) {
  const Job job = Job::start(needs_mpi(options.world));
  return exit_code_of(job, [&] {
    const auto simulated = job.together([&] { return world_for(options); });
    World& world = simulated != nullptr ? *simulated : *job.world;
    return options.precision == "fp64" ? collective_in<double>(job, world, options)
                                       : collective_in<float>(job, world, options);
  });
}

}  // namespace sparsewire
