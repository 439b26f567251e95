// Every lossy allreduce of the project, in one explicit table. Unlike those of algorithms/catalogue.hpp they
// have a memory, and are called once an iteration. They sum float and double.
#pragma once

#include <cmath>

#include "algorithms/catalogue.hpp"
#include "algorithms/lossy/residual.hpp"

namespace sparsewire {

// One rank's side of a lossy allreduce, between iterations.
template <class T>
struct LossyState {
  // Called on every rank with that rank's gradient, of the setup's dimension: a sum over all ranks of what
  // the method chose to send, the same bits on each. Throws std::invalid_argument for a gradient of another
  // length.
  std::function<Stream<T>(Transport&, std::span<const T>)> step;
  // What this rank has not sent yet. Where a method conserves, the sums of all iterations and the unsent of
  // all ranks add up to the gradients.
  std::function<Residual<T>()> unsent;
};

template <class T>
struct LossyEntry {
  std::string_view name;
  std::string_view summary;
  bool conserves = false;
  // Throws std::invalid_argument if a parameter does not fit.
  std::function<LossyState<T>(const LossySetup&, const AlgorithmSpec&)> start;
  Settings settings{};
};

// A lossy allreduce with its parameters.
template <class T>
struct LossyAllreduce {
  std::string name;  // as the user wrote it
  std::string_view summary;
  bool conserves = false;
  std::function<LossyState<T>(const LossySetup&)> start;
  AlgorithmSpec spec;  // complete
};

// The elements that a rank is to send of a gradient with so many non-zeros.
inline std::uint64_t kept_count(const AlgorithmSpec& spec, double nonzeros) {
  const double kept = spec.real("keep") * nonzeros;
  return kept > 0 ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(kept))) : 0;
}

template <class T>
std::vector<LossyEntry<T>> lossy_table();

// The method that `text` names, with its parameters. Throws std::invalid_argument if there is none or a
// parameter does not fit.
template <class T>
LossyAllreduce<T> lossy_named(const std::string& text) {
  const std::string name = parse_algorithm(text).name;
  for (const LossyEntry<T>& entry : lossy_table<T>()) {
    if (entry.name != name) continue;
    const AlgorithmSpec spec = completed(parse_algorithm(text), entry.settings.parameters);
    entry.start({}, spec);
    return {text, entry.summary, entry.conserves,
            [start = entry.start, spec](const LossySetup& setup) { return start(setup, spec); }, spec};
  }
  throw std::invalid_argument("no lossy allreduce is called \"" + name + "\"");
}

// Every method with the fallbacks of its parameters, then the variants that are worth a test.
template <class T>
std::vector<LossyAllreduce<T>> lossy_variants() {
  std::vector<LossyAllreduce<T>> methods;
  for (const LossyEntry<T>& entry : lossy_table<T>()) {
    methods.push_back(lossy_named<T>(std::string(entry.name)));
    for (const std::string_view variant : entry.settings.variants)
      methods.push_back(lossy_named<T>(std::string(entry.name) + "(" + std::string(variant) + ")"));
  }
  return methods;
}

}  // namespace sparsewire
