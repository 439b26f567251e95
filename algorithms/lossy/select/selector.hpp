// The ways of choosing about k elements, by name.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "algorithms/lossy/select/chunks.hpp"
#include "algorithms/lossy/select/gaussian.hpp"
#include "algorithms/lossy/select/sidco.hpp"
#include "model/algorithm_spec.hpp"

namespace sparsewire {

// Charged: exact top-k as WorkKind::select of all elements; each pass of an estimator, the pass that selects
// by a threshold and the search through chunks as a scan of all elements.
inline Parameter selector_parameter() {
  return {.name = "selector",
          .kind = ParameterKind::choice,
          .fallback = "exact",
          .summary = "how a rank selects about k elements",
          .choices = {"exact", "gaussian", "exponential", "pareto", "chunks"}};
}

template <class T>
Selection select_exactly(Transport& transport, std::span<const T> values, std::uint64_t count) {
  transport.compute(Work::of(WorkKind::select, values.size()));
  return top_k(values, count);
}

template <class T>
Selection select_by_threshold(Transport& transport, std::span<const T> values, T threshold) {
  transport.compute(Work::of(WorkKind::scan, values.size()));
  return at_least(values, threshold);
}

// The elements that an estimated threshold selects, if they are between half and twice `count` or all that
// are not zero; otherwise (the values are not distributed as the estimator takes them to be) the exact top-k.
template <class T>
Selection select_estimated(Transport& transport, std::span<const T> values, std::uint64_t count,
                           const Threshold& threshold) {
  transport.compute(Work::of(WorkKind::scan, threshold.passes * values.size()));
  Selection selection = select_by_threshold(transport, values, static_cast<T>(threshold.value));
  const bool enough = 2 * selection.size() >= count || threshold.value == 0;
  if (enough && selection.size() <= 2 * count) return selection;
  return select_exactly(transport, values, count);
}

// Throws std::invalid_argument for a name that selector_parameter() does not have.
template <class T>
Selection select(Transport& transport, std::span<const T> values, std::uint64_t count,
                 std::string_view selector) {
  constexpr unsigned kStages = 3;
  if (selector == "exact") return select_exactly(transport, values, count);
  if (selector == "gaussian")
    return select_estimated(transport, values, count, gaussian_threshold(values, count));
  if (selector == "exponential")
    return select_estimated(transport, values, count, exponential_threshold(values, count, kStages));
  if (selector == "pareto")
    return select_estimated(transport, values, count, pareto_threshold(values, count));
  if (selector != "chunks")
    throw std::invalid_argument("no selector is called \"" + std::string(selector) + "\"");
  transport.compute(Work::of(WorkKind::scan, values.size()));
  return largest_of_chunks(values, count);
}

// The first half of an iteration: adds the gradient to the residual and moves about `setup.count` elements
// out of it. Throws like accumulate() and select().
template <class T>
SparseVector<T> take_selected(Transport& transport, Residual<T>& residual, std::span<const T> gradient,
                              const LossySetup& setup, std::string_view selector) {
  accumulate(transport, residual, gradient);
  return take(transport, residual, select<T>(transport, residual, setup.count, selector));
}

}  // namespace sparsewire
