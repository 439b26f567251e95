// Where one algorithm overtakes another as the density grows: pure functions over curves of time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/units.hpp"

namespace sparsewire {

struct CurvePoint {
  double density = 0;
  Seconds time = 0;
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

// The times of one algorithm, in any order of density. Between two densities a curve is a straight line in
// log-log coordinates.
struct Curve {
  std::string algorithm;
  std::string family;  // "sparse", "dense" or "lossy"
  std::vector<CurvePoint> points;
};

// The place of a family in tables and keys: sparse, dense, lossy.
int family_order(std::string_view family);

// The curves of the exact algorithms. Crossovers are about these: a lossy one does not do the same.
std::vector<Curve> exact_curves(const std::vector<Curve>& curves);

// From `density` on, algorithm `to` is faster than `from`, which was the fastest before.
struct Changeover {
  double density = 0;
  std::string from, to;
  friend bool operator==(const Changeover&, const Changeover&) = default;
};

// The change-overs of the lower envelope of the curves, in the order of the grid of measured densities. At
// each density the curves with a point there are compared; on a tie the current algorithm stays. A change
// lies where the two algorithms' lines cross, between the nearest densities that both have around the change.
// An algorithm that would be the fastest only between two densities cannot be seen. Where the current
// algorithm has no point the comparison waits for its next one; if it has none, or the two algorithms share
// no density before the change, the fastest of the rest takes over and nothing is reported, as no crossing
// was measured. Throws std::invalid_argument on a density or time that is not positive and finite, a density
// twice in a curve, or two curves of one algorithm.
std::vector<Changeover> envelope_changes(const std::vector<Curve>& curves);

// The algorithm of the envelope at its lowest density; nullopt without points.
std::optional<std::string> fastest_at_lowest_density(const std::vector<Curve>& curves);

struct FamilyCrossover {
  // The lowest density at which the best dense algorithm becomes faster than the best sparse one.
  std::optional<double> sparse_to_dense;
  // Every change of family along the envelope, with the algorithms on both sides; more than one on a wavy
  // curve.
  std::vector<Changeover> crossings;
  // The same in words: "sparse always", "dense always", "sparse, dense from 0.031",
  // "sparse, dense from 0.01, sparse from 0.2", or why the families cannot be compared.
  std::string statement;
};

// Compares the families at the densities where both have a point; otherwise as envelope_changes().
// Throws std::invalid_argument as well when a family is neither "sparse" nor "dense".
FamilyCrossover family_crossover(const std::vector<Curve>& curves);

}  // namespace sparsewire
