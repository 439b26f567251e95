// Every allreduce of the project, in one explicit table.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/allreduce/balanced_split_allgather.hpp"
#include "algorithms/allreduce/dense_rabenseifner.hpp"
#include "algorithms/allreduce/dense_recursive_double.hpp"
#include "algorithms/allreduce/dense_ring.hpp"
#include "algorithms/allreduce/dsar_split_allgather.hpp"
#include "algorithms/allreduce/kylix.hpp"
#include "algorithms/allreduce/omnireduce.hpp"
#include "algorithms/allreduce/sparse_allgather.hpp"
#include "algorithms/allreduce/sparse_ring.hpp"
#include "algorithms/allreduce/ssar_recursive_double.hpp"
#include "algorithms/allreduce/ssar_split_allgather.hpp"
#include "algorithms/allreduce/two_level.hpp"
#include "algorithms/allreduce/zen.hpp"
#include "algorithms/payload/stream.hpp"
#include "model/algorithm_spec.hpp"

namespace sparsewire {

// Whether an algorithm sends what is there, or the whole vector.
enum class Family { sparse, dense };

// An allreduce: called on every rank with that rank's vector, all over one range [0, dimension), it returns
// the sum on each, with the same bits. Works for any number of ranks and any dimension.
template <Summable S>
struct Allreduce {
  std::string name;  // as the user wrote it, with the parameters given
  Family family;
  std::string_view summary;
  std::function<S(Transport&, S)> run;
  AlgorithmSpec spec{};  // complete, and so are those that stand in it
};

// What can be set of an algorithm; `variants` are parameters that are worth a test beside the fallbacks,
// "degrees=2x3".
struct Settings {
  std::vector<Parameter> parameters = {};
  std::vector<std::string_view> variants = {};
};

// A row of the table.
template <Summable S>
struct AllreduceEntry {
  std::string_view name;
  Family family;
  std::string_view summary;
  std::function<S(Transport&, S, const AlgorithmSpec&)> run;
  Settings settings{};
};

// An algorithm without parameters.
template <Summable S>
auto plain(S (*algorithm)(Transport&, S)) {
  return [algorithm](Transport& transport, S mine, const AlgorithmSpec&) {
    return algorithm(transport, std::move(mine));
  };
}

// An algorithm whose only parameters are those of split_settings().
template <Summable S>
auto scheduled(S (*algorithm)(Transport&, S, const SplitSchedule&)) {
  return [algorithm](Transport& transport, S mine, const AlgorithmSpec& spec) {
    const SplitOrder order = spec.text("order") == "by-rank" ? SplitOrder::by_rank : SplitOrder::rotated;
    return algorithm(transport, std::move(mine), {order, spec.number("throttle")});
  };
}

// How the direct sends of a split are ordered.
inline Settings split_settings() {
  return {{{"order",
            ParameterKind::choice,
            "rotated",
            "to r+1, r+2, ... or to 0, 1, ...",
            0,
            {"rotated", "by-rank"}},
           {"throttle", ParameterKind::number, "0", "sends ahead of the receives; 0: all at once", 0}},
          {"order=by-rank,throttle=2"}};
}

template <Summable S>
Allreduce<S> allreduce_named(const std::string& text);

// Two levels of algorithms of the table. Names are finite, and so is what they nest.
template <Summable S>
S two_level_of_catalogue(Transport& transport, S mine, const AlgorithmSpec& spec) {
  const auto size = std::min(spec.number("node"), static_cast<std::uint64_t>(transport.size()));
  return two_level(transport, std::move(mine), static_cast<Rank>(size),
                   allreduce_named<S>(spec.text("inner")).run, allreduce_named<S>(spec.text("outer")).run);
}

template <Summable S>
std::vector<AllreduceEntry<S>> allreduce_table() {
  return {
      {"ssar-recursive-double", Family::sparse, "whole sparse vectors by recursive doubling (SparCML)",
       plain<S>(ssar_recursive_double<S>)},
      {"ssar-split-allgather", Family::sparse, "direct split to owners, sparse allgather (SparCML)",
       scheduled<S>(ssar_split_allgather<S>), split_settings()},
      {"dsar-split-allgather", Family::sparse, "direct split to owners, dense allgather (SparCML)",
       scheduled<S>(dsar_split_allgather<S>), split_settings()},
      {"sparse-ring", Family::sparse, "ring of sparse segments", plain<S>(sparse_ring<S>)},
      {"sparse-allgather", Family::sparse, "gather all vectors, sum locally", plain<S>(sparse_allgather<S>)},
      {"dense-recursive-double", Family::dense, "whole dense vectors by recursive doubling",
       plain<S>(dense_recursive_double<S>)},
      {"dense-rabenseifner", Family::dense, "recursive halving, recursive doubling",
       plain<S>(dense_rabenseifner<S>)},
      {"dense-ring", Family::dense, "ring reduce-scatter, ring allgather", plain<S>(dense_ring<S>)},
      {"kylix",
       Family::sparse,
       "butterfly of mixed radix, down and up (Kylix)",
       kylix<S>,
       {{{"degrees", ParameterKind::numbers, "8x4x2",
          "subgroups that each layer cuts a group into; the last repeats", 2}},
        {"degrees=2", "degrees=3x2"}}},
      {"balanced-split-allgather", Family::sparse, "direct split at averaged quantiles (Ok-Topk), allgather",
       plain<S>(balanced_split_allgather<S>)},
      {"zen",
       Family::sparse,
       "push to owners by hash, pull of values and bitmaps (Zen)",
       zen<S>,
       {{{"seed", ParameterKind::number, "1", "of the hash, the same on all ranks", 0}}}},
      {"omnireduce",
       Family::sparse,
       "blocks that have elements, streamed to aggregators (OmniReduce)",
       omnireduce<S>,
       {{{"block", ParameterKind::number, "256", "elements of a block"},
         {"slots", ParameterKind::number, "4", "blocks under way at each aggregator"},
         {"aggregators", ParameterKind::number, "0", "ranks that aggregate; 0: all", 0}},
        {"block=4,slots=2,aggregators=3"}}},
      {"two-level",
       Family::sparse,
       "one allreduce within nodes, one among them",
       two_level_of_catalogue<S>,
       {{{"node", ParameterKind::number, "4", "ranks of a node"},
         {"inner", ParameterKind::algorithm, "ssar-recursive-double", "within a node"},
         {"outer", ParameterKind::algorithm, "ssar-split-allgather", "among the nodes' first ranks"}},
        {"node=3,inner=sparse-ring,outer=two-level(node=2,outer=kylix(degrees=2))"}}},
  };
}

extern template std::vector<AllreduceEntry<Stream<float>>> allreduce_table();
extern template std::vector<AllreduceEntry<Stream<double>>> allreduce_table();
extern template std::vector<AllreduceEntry<Stream<float, Minimum>>> allreduce_table();
extern template std::vector<AllreduceEntry<Stream<double, Minimum>>> allreduce_table();
extern template std::vector<AllreduceEntry<Stream<float, Maximum>>> allreduce_table();
extern template std::vector<AllreduceEntry<Stream<double, Maximum>>> allreduce_table();
extern template std::vector<AllreduceEntry<Stream<float, Product>>> allreduce_table();
extern template std::vector<AllreduceEntry<Stream<double, Product>>> allreduce_table();
extern template std::vector<AllreduceEntry<Stream<float, LogicalOr>>> allreduce_table();
extern template std::vector<AllreduceEntry<Stream<double, LogicalOr>>> allreduce_table();

// What a user wrote with the fallbacks of all other parameters. Throws std::invalid_argument if one is
// unknown or does not fit.
inline AlgorithmSpec completed(AlgorithmSpec given, const std::vector<Parameter>& parameters) {
  AlgorithmSpec complete{given.name, {}};
  for (const Parameter& parameter : parameters) {
    const auto found = given.parameters.extract(std::string(parameter.name));
    std::string value = found.empty() ? std::string(parameter.fallback) : found.mapped();
    require_fitting(parameter, value);
    complete.parameters.emplace(parameter.name, std::move(value));
  }
  if (!given.parameters.empty())
    throw std::invalid_argument(given.name + " has no parameter \"" + given.parameters.begin()->first + "\"");
  return complete;
}

// The algorithm of a row with the parameters that `text` gives it; the others have their fallbacks. Throws
// std::invalid_argument if one is unknown or does not fit.
template <Summable S>
Allreduce<S> with_parameters(const AllreduceEntry<S>& entry, const std::string& text) {
  AlgorithmSpec complete = completed(parse_algorithm(text), entry.settings.parameters);
  for (const Parameter& parameter : entry.settings.parameters)
    if (parameter.kind == ParameterKind::algorithm) {
      std::string& nested = complete.parameters.find(parameter.name)->second;
      nested = text_of(allreduce_named<S>(nested).spec);
    }
  return {text, entry.family, entry.summary,
          [run = entry.run, complete](Transport& transport, S mine) {
            return run(transport, std::move(mine), complete);
          },
          complete};
}

// The algorithm that `text` names, with its parameters: "dense-ring", "kylix(degrees=8x4)". Throws
// std::invalid_argument if there is none.
template <Summable S>
Allreduce<S> allreduce_named(const std::string& text) {
  const std::string name = parse_algorithm(text).name;
  for (const AllreduceEntry<S>& entry : allreduce_table<S>())
    if (entry.name == name) return with_parameters(entry, text);
  throw std::invalid_argument("no allreduce is called \"" + name + "\"");
}

// Every algorithm of the table, with the fallbacks of its parameters.
template <Summable S>
std::vector<Allreduce<S>> allreduce_catalogue() {
  std::vector<Allreduce<S>> algorithms;
  for (const AllreduceEntry<S>& entry : allreduce_table<S>())
    algorithms.push_back(with_parameters(entry, std::string(entry.name)));
  return algorithms;
}

// These, and every algorithm in the variants that are worth a test.
template <Summable S>
std::vector<Allreduce<S>> allreduce_variants() {
  std::vector<Allreduce<S>> algorithms = allreduce_catalogue<S>();
  for (const AllreduceEntry<S>& entry : allreduce_table<S>())
    for (const std::string_view variant : entry.settings.variants)
      algorithms.push_back(
          with_parameters(entry, std::string(entry.name) + "(" + std::string(variant) + ")"));
  return algorithms;
}

// The MPI library's own allreduce on dense vectors; runs in an MPI world only.
inline constexpr std::string_view kMpiAllreduce = "mpi-allreduce";

}  // namespace sparsewire
