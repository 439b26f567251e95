#include "algorithms/lossy/table.hpp"

#include "algorithms/lossy/deft.hpp"
#include "algorithms/lossy/gtopk.hpp"
#include "algorithms/lossy/micro.hpp"
#include "algorithms/lossy/oktopk.hpp"
#include "algorithms/lossy/s2_reducer.hpp"
#include "algorithms/lossy/scalecom.hpp"
#include "algorithms/lossy/sketch_peeling.hpp"
#include "algorithms/lossy/spardl.hpp"
#include "algorithms/lossy/topk_allgather.hpp"

namespace sparsewire {
namespace {

// The state behind the two functions of a method: a struct with step() and unsent().
template <class T, class Method>
LossyState<T> running(Method method) {
  const auto shared = std::make_shared<Method>(std::move(method));
  return {[shared](Transport& transport, std::span<const T> gradient) {
            return shared->step(transport, gradient);
          },
          [shared] { return shared->unsent(); }};
}

// Parameters of every method. A rank sends about keep * k elements, for k non-zeros of its gradient; an
// experiment runs `iterations` on the same gradient.
std::vector<Parameter> with_common(std::vector<Parameter> own) {
  own.push_back({.name = "keep",
                 .kind = ParameterKind::real,
                 .fallback = "1",
                 .summary = "elements to send, over the non-zeros of a gradient",
                 .least = 0});
  own.push_back({.name = "iterations", .fallback = "8", .summary = "iterations that an experiment runs"});
  return own;
}

template <class T>
LossyEntry<T> topk_allgather() {
  return {"topk-allgather",
          "gather what each rank selects, sum locally (TopkA, Gaussiank, SIDCo)",
          true,
          [](const LossySetup& setup, const AlgorithmSpec& spec) {
            return running<T>(TopkAllgather<T>{setup, spec.text("selector")});
          },
          {with_common({selector_parameter()}),
           {"selector=gaussian", "selector=exponential", "selector=pareto", "selector=chunks"}}};
}

template <class T>
LossyEntry<T> gtopk() {
  return {"gtopk",
          "a binomial tree that keeps k elements (gTop-k)",
          false,
          [](const LossySetup& setup, const AlgorithmSpec& spec) {
            return running<T>(Gtopk<T>{setup, spec.text("selector")});
          },
          {with_common({selector_parameter()}), {}}};
}

template <class T>
LossyEntry<T> oktopk() {
  const Parameter tau{.name = "tau", .fallback = "8", .summary = "iterations between two partitions"};
  const Parameter tau_prime{
      .name = "tau_prime", .fallback = "4", .summary = "iterations between two exact evaluations"};
  const Parameter balance{.name = "balance",
                          .kind = ParameterKind::real,
                          .fallback = "4",
                          .summary = "blocks are balanced if the largest is this times the mean",
                          .least = 0};
  return {"oktopk",
          "reused thresholds, balanced split, allgather (Ok-Topk)",
          true,
          [](const LossySetup& setup, const AlgorithmSpec& spec) {
            return running<T>(
                Oktopk<T>{setup, spec.number("tau"), spec.number("tau_prime"), spec.real("balance")});
          },
          {with_common({tau, tau_prime, balance}), {"balance=0", "tau=2,tau_prime=2,balance=0"}}};
}

template <class T>
LossyEntry<T> spardl() {
  const Parameter teams{.name = "teams", .fallback = "1", .summary = "teams that reduce by themselves"};
  const Parameter gather{.name = "gather",
                         .kind = ParameterKind::choice,
                         .fallback = "doubling",
                         .summary = "how teams add up: R-SAG or B-SAG",
                         .choices = {"doubling", "bruck"}};
  return {"spardl",
          "blocks in bags, each cut to its share of k (SparDL)",
          true,
          [](const LossySetup& setup, const AlgorithmSpec& spec) {
            return running<T>(
                Spardl<T>{setup, static_cast<Rank>(spec.number("teams")), spec.text("gather") == "bruck"});
          },
          {with_common({teams, gather}), {"teams=2", "teams=3", "teams=4,gather=bruck"}}};
}

template <class T>
LossyEntry<T> scalecom() {
  const Parameter beta{.name = "beta",
                       .kind = ParameterKind::real,
                       .fallback = "1",
                       .summary = "share of the new residual in the memory, in (0, 1]",
                       .least = 0};
  return {"scalecom",
          "indices of a leader in turn, dense values (CLT-k of ScaleCom)",
          true,
          [](const LossySetup& setup, const AlgorithmSpec& spec) {
            const double share = spec.real("beta");
            if (!(share > 0 && share <= 1))
              throw std::invalid_argument("scalecom: beta is " + spec.text("beta") + ", expected in (0, 1]");
            return running<T>(Scalecom<T>{setup, share, spec.text("selector")});
          },
          {with_common({selector_parameter(), beta}), {"beta=0.5", "selector=chunks"}}};
}

template <class T>
LossyEntry<T> micro() {
  const Parameter threshold{.name = "threshold",
                            .kind = ParameterKind::real,
                            .fallback = "0",
                            .summary = "the first one; 0 for 1 / (2 sqrt k)",
                            .least = 0};
  return {"micro",
          "a part of the vector for each rank, scaled threshold (MiCRO)",
          true,
          [](const LossySetup& setup, const AlgorithmSpec& spec) {
            return running<T>(Micro<T>{setup, spec.real("threshold")});
          },
          {with_common({threshold}), {"threshold=8"}}};
}

template <class T>
LossyEntry<T> deft() {
  const Parameter layers{
      .name = "layers", .fallback = "4", .summary = "layers, of equal length; at most 65536"};
  return {
      "deft",
      "units of the vector for each rank, k by their norms (DEFT)",
      true,
      [](const LossySetup& setup, const AlgorithmSpec& spec) {
        constexpr std::uint64_t kMostLayers = 1 << 16;
        return running<T>(Deft<T>{setup, static_cast<Rank>(std::min(kMostLayers, spec.number("layers")))});
      },
      {with_common({layers}), {"layers=1"}}};
}

template <class T>
LossyEntry<T> s2_reducer() {
  const Parameter rows{.name = "rows", .fallback = "3", .summary = "rows of the count sketch"};
  const Parameter width{.name = "width",
                        .kind = ParameterKind::real,
                        .fallback = "4",
                        .summary = "cells of a row over k",
                        .least = 0};
  return {"s2-reducer",
          "dense allreduces of a count sketch and a bitmap (S2 Reducer)",
          false,
          [](const LossySetup& setup, const AlgorithmSpec& spec) {
            return running<T>(
                S2Reducer<T>{setup, spec.number("rows"), spec.real("width"), spec.text("selector")});
          },
          {with_common({selector_parameter(), rows, width}), {"rows=1,width=0"}}};
}

template <class T>
LossyEntry<T> sketch_peeling() {
  const Parameter cells{.name = "cells",
                        .kind = ParameterKind::real,
                        .fallback = "1.5",
                        .summary = "cells of the sketch over min(N, P k)",
                        .least = 0};
  return {"sketch-peeling",
          "dense allreduces of a sketch that is read by peeling, and a Bloom filter",
          true,
          [](const LossySetup& setup, const AlgorithmSpec& spec) {
            return running<T>(SketchPeeling<T>{setup, spec.real("cells"), spec.text("selector")});
          },
          {with_common({selector_parameter(), cells}), {"cells=0.5"}}};
}

}  // namespace

template <class T>
std::vector<LossyEntry<T>> lossy_table() {
  return {topk_allgather<T>(), gtopk<T>(), oktopk<T>(),     spardl<T>(),        scalecom<T>(),
          micro<T>(),          deft<T>(),  s2_reducer<T>(), sketch_peeling<T>()};
}

template std::vector<LossyEntry<float>> lossy_table();
template std::vector<LossyEntry<double>> lossy_table();

}  // namespace sparsewire
