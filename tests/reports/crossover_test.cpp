#include "reports/crossover.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace sparsewire {
namespace {

Curve sparse(const std::string& name, std::vector<CurvePoint> points) {
  return {name, "sparse", std::move(points)};
}
Curve dense(const std::string& name, std::vector<CurvePoint> points) {
  return {name, "dense", std::move(points)};
}

TEST(EnvelopeChanges, FindsTheCrossingOfTwoPowers) {
  // t = d against t = 0.01 cross at 0.01, half way between 1e-3 and 1e-1 in logarithms.
  const auto changes =
      envelope_changes({sparse("s", {{0.1, 0.1}, {0.001, 0.001}}), dense("d", {{0.001, 0.01}, {0.1, 0.01}})});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NEAR(changes[0].density, 0.01, 1e-15);
  EXPECT_EQ(changes[0].from, "s");
  EXPECT_EQ(changes[0].to, "d");
}

TEST(EnvelopeChanges, GoesFromGridBestToGridBest) {
  // "between" is below both at their crossing at 0.01, yet the fastest at no density of the grid.
  const auto changes =
      envelope_changes({sparse("s", {{0.001, 1}, {0.1, 100}}), sparse("between", {{0.001, 2}, {0.1, 11}}),
                        dense("d", {{0.001, 10}, {0.1, 10}})});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].from, "s");
  EXPECT_EQ(changes[0].to, "d");
  EXPECT_NEAR(changes[0].density, 0.01, 1e-15);
}

TEST(EnvelopeChanges, StaysOnATie) {
  EXPECT_THAT(envelope_changes({sparse("a", {{0.1, 1}, {0.2, 2}}), dense("b", {{0.1, 2}, {0.2, 2}})}),
              testing::IsEmpty());
}

TEST(EnvelopeChanges, LeavesATieWhereItEnds) {
  const auto changes = envelope_changes(
      {sparse("a", {{0.1, 1}, {0.2, 2}, {0.4, 4}}), dense("b", {{0.1, 2}, {0.2, 2}, {0.4, 2}})});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_DOUBLE_EQ(changes[0].density, 0.2);
}

TEST(EnvelopeChanges, BridgesAMissingPoint) {
  // "d" lacks 0.01: it is compared with "s" over 0.001 and 0.1.
  const auto changes = envelope_changes(
      {sparse("s", {{0.001, 0.001}, {0.01, 0.01}, {0.1, 0.1}}), dense("d", {{0.001, 0.01}, {0.1, 0.01}})});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NEAR(changes[0].density, 0.01, 1e-15);
}

TEST(EnvelopeChanges, WaitsForTheCurrentAlgorithm) {
  // "s" is the fastest at 0.1 and 0.4; its missing point at 0.2 says nothing.
  EXPECT_THAT(
      envelope_changes({sparse("s", {{0.1, 1}, {0.4, 2}}), dense("d", {{0.1, 3}, {0.2, 3}, {0.4, 3}})}),
      testing::IsEmpty());
}

TEST(EnvelopeChanges, ReportsNoCrossingThatWasNotMeasured) {
  EXPECT_THAT(envelope_changes({sparse("s", {{0.1, 1}}), dense("d", {{0.2, 3}, {0.4, 3}})}),
              testing::IsEmpty());
  EXPECT_THAT(envelope_changes({sparse("s", {{0.1, 1}, {0.2, 2}}), dense("d", {{0.2, 1}})}),
              testing::IsEmpty());
}

TEST(EnvelopeChanges, GoesOnAfterAnAlgorithmThatEnds) {
  const auto changes = envelope_changes({sparse("a", {{0.001, 0.0001}}),
                                         sparse("s", {{0.001, 0.001}, {0.002, 0.002}, {0.2, 0.2}}),
                                         dense("d", {{0.001, 0.02}, {0.002, 0.02}, {0.2, 0.02}})});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].from, "s");
  EXPECT_NEAR(changes[0].density, 0.02, 1e-15);
}

TEST(EnvelopeChanges, RefusesWhatIsNoCurve) {
  const double nan = std::nan("");
  for (const CurvePoint bad :
       {CurvePoint{0, 1}, CurvePoint{0.1, 0}, CurvePoint{nan, 1}, CurvePoint{0.1, HUGE_VAL}}) {
    EXPECT_THROW(envelope_changes({sparse("s", {bad})}), std::invalid_argument);
  }
  EXPECT_THROW(envelope_changes({sparse("s", {{0.1, 1}, {0.1, 2}})}), std::invalid_argument);
  EXPECT_THROW(envelope_changes({sparse("s", {}), dense("s", {})}), std::invalid_argument);
  EXPECT_THAT(envelope_changes({}), testing::IsEmpty());
}

TEST(FastestAtLowestDensity, IsTheStartOfTheEnvelope) {
  EXPECT_EQ(fastest_at_lowest_density({sparse("s", {{0.2, 1}, {0.1, 5}}), dense("d", {{0.1, 3}})}), "d");
  EXPECT_EQ(fastest_at_lowest_density({sparse("s", {})}), std::nullopt);
}

TEST(FamilyCrossover, IgnoresChangesInsideAFamily) {
  const auto result = family_crossover({sparse("s1", {{0.001, 1}, {0.01, 10}, {0.1, 100}}),
                                        sparse("s2", {{0.001, 3}, {0.01, 3}, {0.1, 50}}),
                                        dense("d", {{0.001, 9}, {0.01, 9}, {0.1, 9}})});
  ASSERT_EQ(result.crossings.size(), 1u);
  EXPECT_EQ(result.crossings[0].from, "s2");
  EXPECT_EQ(result.crossings[0].to, "d");
  EXPECT_EQ(result.sparse_to_dense, result.crossings[0].density);
  EXPECT_EQ(result.statement, "sparse, dense from 0.025");
}

TEST(FamilyCrossover, SaysWhatAlwaysHolds) {
  EXPECT_EQ(family_crossover({sparse("s", {{0.1, 1}}), dense("d", {{0.1, 2}})}).statement, "sparse always");
  EXPECT_EQ(family_crossover({sparse("s", {{0.1, 3}}), dense("d", {{0.1, 2}})}).statement, "dense always");
  EXPECT_EQ(family_crossover({sparse("s", {{0.1, 3}}), dense("d", {{0.1, 2}})}).sparse_to_dense,
            std::nullopt);
}

TEST(FamilyCrossover, ListsSeveralCrossings) {
  const auto result = family_crossover(
      {sparse("s", {{0.001, 0.1}, {0.1, 10}, {0.2, 0.5}}), dense("d", {{0.001, 1}, {0.1, 1}, {0.2, 1}})});
  ASSERT_EQ(result.crossings.size(), 2u);
  EXPECT_NEAR(result.sparse_to_dense.value(), 0.01, 1e-15);
  EXPECT_EQ(result.crossings[1].to, "s");
  EXPECT_EQ(result.statement, "sparse, dense from 0.01, sparse from 0.17");
}

TEST(FamilyCrossover, ComparesOnlyWhereBothWereMeasured) {
  const auto result =
      family_crossover({sparse("s", {{0.1, 1}, {0.2, 2}}), dense("d", {{0.01, 0.1}, {0.1, 3}})});
  EXPECT_EQ(result.statement, "sparse always");
  EXPECT_EQ(family_crossover({sparse("s", {{0.1, 1}})}).statement, "no dense algorithm to compare");
  EXPECT_EQ(family_crossover({dense("d", {{0.1, 1}})}).statement, "no sparse algorithm to compare");
  EXPECT_EQ(family_crossover({sparse("s", {{0.1, 1}}), dense("d", {{0.2, 1}})}).statement,
            "no density at which both families were measured");
}

TEST(FamilyCrossover, SaysSoWhenTheCrossingWasNotMeasured) {
  const auto result =
      family_crossover({sparse("s", {{0.1, 1}, {0.2, 9}}), dense("d1", {{0.1, 2}}), dense("d2", {{0.2, 3}})});
  EXPECT_THAT(result.crossings, testing::IsEmpty());
  EXPECT_EQ(result.statement, "sparse, dense at the latest from 0.2");
}

TEST(FamilyCrossover, RefusesAnUnknownFamily) {
  EXPECT_THROW(family_crossover({{"x", "other", {{0.1, 1}}}}), std::invalid_argument);
}

// ---- properties

std::vector<Curve> any_curves() {
  const int densities = *rc::gen::inRange(1, 8);
  std::vector<Curve> curves;
  for (int c = 0; c < 4; ++c) {
    Curve& curve = curves.emplace_back(
        Curve{std::string(1, static_cast<char>('a' + c)), c < 2 ? "sparse" : "dense", {}});
    for (int i = 0; i < densities; ++i) {
      if (*rc::gen::inRange(0, 10) == 0) continue;  // missing here and there
      curve.points.push_back({std::pow(10.0, -4 + 0.5 * i), 1e-6 * *rc::gen::inRange(1, 1000)});
    }
  }
  return curves;
}

// Linear in log-log between the nearest points that `with` has as well.
double time_at(const Curve& curve, const Curve& with, double density) {
  std::map<double, double> times;
  for (const CurvePoint& p : curve.points) {
    const bool common =
        std::ranges::any_of(with.points, [&](const CurvePoint& q) { return q.density == p.density; });
    if (common) times[p.density] = p.time;
  }
  const auto high = times.lower_bound(density);
  if (high->first == density) return high->second;
  const auto low = std::prev(high);
  const double share = std::log(density / low->first) / std::log(high->first / low->first);
  return low->second * std::pow(high->second / low->second, share);
}

const Curve& named(const std::vector<Curve>& curves, const std::string& name) {
  return *std::ranges::find(curves, name, &Curve::algorithm);
}

RC_GTEST_PROP(EnvelopeChanges, TimesAreEqualAtACrossing, ()) {
  const auto curves = any_curves();
  for (const Changeover& change : envelope_changes(curves)) {
    const Curve &from = named(curves, change.from), &to = named(curves, change.to);
    const double a = time_at(from, to, change.density), b = time_at(to, from, change.density);
    RC_ASSERT(std::abs(a - b) <= 1e-9 * a);
  }
}

RC_GTEST_PROP(EnvelopeChanges, ScalingTimesLeavesDensities, ()) {
  const auto curves = any_curves();
  const double factor = std::pow(2.0, *rc::gen::inRange(-20, 20));
  auto scaled = curves;
  for (Curve& curve : scaled) {
    for (CurvePoint& p : curve.points) p.time *= factor;
  }
  RC_ASSERT(envelope_changes(scaled) == envelope_changes(curves));
  RC_ASSERT(family_crossover(scaled).statement == family_crossover(curves).statement);
}

RC_GTEST_PROP(EnvelopeChanges, OrderDoesNotMatter, ()) {
  const auto curves = any_curves();
  auto reversed = curves;
  std::ranges::reverse(reversed);
  for (Curve& curve : reversed) std::ranges::reverse(curve.points);
  RC_ASSERT(envelope_changes(reversed) == envelope_changes(curves));
  RC_ASSERT(fastest_at_lowest_density(reversed) == fastest_at_lowest_density(curves));
}

RC_GTEST_PROP(FamilyCrossover, AgreesWithTheEnvelopeOnFullCurves, ()) {
  std::vector<Curve> curves = any_curves();
  for (Curve& curve : curves) {
    for (int i = 0; i < 7; ++i) {
      const double density = std::pow(10.0, -4 + 0.5 * i);
      if (!std::ranges::count(curve.points, density, &CurvePoint::density))
        curve.points.push_back({density, 1e-3});
    }
  }
  std::vector<Changeover> expected = envelope_changes(curves);
  std::erase_if(expected, [](const Changeover& c) { return (c.from < "c") == (c.to < "c"); });
  RC_ASSERT(family_crossover(curves).crossings == expected);
}

}  // namespace
}  // namespace sparsewire
