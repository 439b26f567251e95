#include "reports/charts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

#include "reports/chart.hpp"
#include "reports/chart_style.hpp"
#include "reports/gnuplot.hpp"
#include "tests/reports/example_measurements.hpp"

namespace sparsewire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool has_gnuplot() {
  const TemporaryDirectory directory;
  write_text(directory.path() / "empty.gp", "");
  return message_of([&] { run_gnuplot(directory.path(), "empty.gp"); }) == "nothing was thrown";
}

// Replaces PATH as long as it exists.
class ScopedPath {
 public:
  explicit ScopedPath(const std::string& value) : before_(std::getenv("PATH")) { set(value); }
  ~ScopedPath() { set(before_); }
  ScopedPath(const ScopedPath&) = delete;
  ScopedPath& operator=(const ScopedPath&) = delete;

 private:
  static void set(const std::string& value) { ::setenv("PATH", value.c_str(), 1); }
  std::string before_;
};

class Charts : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  }

  // Draws and returns the names of the SVG files, after checking that each file is there and none is alone.
  std::vector<std::string> draw_all(const std::vector<Measurement>& measurements) {
    std::vector<std::string> names;
    for (const std::filesystem::path& file : write_charts(measurements, directory_.path() / "charts")) {
      EXPECT_GT(std::filesystem::file_size(file), 1000u) << file;
      if (file.extension() == ".svg") names.push_back(file.stem());
    }
    for (const std::string& name : names) {
      EXPECT_THAT(text_of(chart_file(name, ".png")), testing::StartsWith("\x89PNG"));
      EXPECT_THAT(text_of(chart_file("gnuplot/" + name, ".gp")), HasSubstr(name + ".dat"));
    }
    return names;
  }

  std::filesystem::path chart_file(const std::string& name, const std::string& extension) const {
    return directory_.path() / "charts" / (name + extension);
  }
  std::string svg(const std::string& name) const { return text_of(chart_file(name, ".svg")); }
  std::string data(const std::string& name) const { return text_of(chart_file("gnuplot/" + name, ".dat")); }

  const TemporaryDirectory directory_;
};

constexpr const char* kTime = "time_simgrid_uniform_P64_N1048576_fp32";
constexpr const char* kBest = "best_simgrid_uniform_N1048576_fp32";

TEST_F(Charts, AreNamedByTheirParameters) {
  EXPECT_THAT(draw_all(crossing_pair()), ElementsAre(kTime, kBest));
}

TEST_F(Charts, ShowAlgorithmsAndWhereTheyCross) {
  draw_all(crossing_pair());
  EXPECT_THAT(svg(kTime), HasSubstr("ssar-ring"));
  EXPECT_THAT(svg(kTime), HasSubstr("A: dense-ring from 0.01"));
  EXPECT_THAT(svg(kTime), HasSubstr("machine daint, topology torus"));
  EXPECT_THAT(svg(kBest), HasSubstr("sparse | dense"));
}

TEST_F(Charts, AreTheSameEveryTime) {
  draw_all(crossing_pair());
  const std::string first = svg(kTime), first_data = data(kTime);
  auto reversed = crossing_pair();
  std::ranges::reverse(reversed);
  draw_all(reversed);
  EXPECT_EQ(svg(kTime), first);
  EXPECT_EQ(data(kTime), first_data);
}

TEST_F(Charts, CanBeDrawnAgainFromWhatIsKept) {
  draw_all(crossing_pair());
  const std::string before = svg(kTime);
  std::filesystem::remove(chart_file(kTime, ".svg"));
  run_gnuplot(directory_.path() / "charts" / "gnuplot", std::string(kTime) + ".gp");
  EXPECT_EQ(svg(kTime), before);
}

TEST_F(Charts, DrawOnlyPointsThatSucceeded) {
  auto measurements = crossing_pair();
  measurements.push_back(point("ssar-ring", "sparse", 0.25, 7));
  measurements.back().status = "failed";
  measurements.push_back(point("ssar-ring", "sparse", 0, 7));
  measurements.push_back(point("ssar-ring", "sparse", 0.125, std::nan("")));
  draw_all(measurements);
  EXPECT_THAT(data(kTime), HasSubstr("\n0.1 0.01"));
  for (const char* left_out : {"0.25 ", "0.125 ", " 7"}) EXPECT_THAT(data(kTime), Not(HasSubstr(left_out)));
}

TEST_F(Charts, AreNoneWithoutPoints) {
  Measurement failed = crossing_pair()[0];
  failed.status = "failed";
  EXPECT_THAT(draw_all({failed}), IsEmpty());
  EXPECT_THAT(draw_all({}), IsEmpty());
}

TEST_F(Charts, CanHoldOnePoint) {
  EXPECT_THAT(draw_all({crossing_pair()[0]}), ElementsAre(kTime, kBest));
}

TEST_F(Charts, ShowNamesThatLookLikeCommands) {
  const std::string name = "a_b^{c}'d\"e`touch stolen`\n$HOME/\\@&~%";
  Measurement m = crossing_pair()[0];
  m.algorithm = m.workload = m.machine = name;
  const auto names = draw_all({m});
  ASSERT_EQ(names.size(), 2u);
  EXPECT_THAT(names[0], testing::StartsWith("time_simgrid_a-b--c--d-e-touch-stolen---HOME-"));
  EXPECT_THAT(svg(names[0]), HasSubstr("a_b^{c}'d\"e`touch stolen` $HOME/\\@"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path())) {
    EXPECT_NE(entry.path().filename(), "stolen");
  }
}

TEST_F(Charts, TellPlacesApartWhereNeeded) {
  auto measurements = crossing_pair();
  for (Measurement m : crossing_pair()) {
    m.topology = "fat tree/2";
    measurements.push_back(m);
  }
  EXPECT_THAT(draw_all(measurements),
              ElementsAre(std::string(kTime) + "_daint_fat-tree-2", std::string(kTime) + "_daint_torus",
                          std::string(kBest) + "_daint_fat-tree-2", std::string(kBest) + "_daint_torus"));
}

TEST_F(Charts, MapATopologyThatGrowsWithTheRanks) {
  auto measurements = crossing_pair();
  for (Measurement m : crossing_pair()) {
    m.topology = "torus of 16", m.ranks = 16;
    measurements.push_back(m);
  }
  const auto names = draw_all(measurements);
  EXPECT_EQ(std::ranges::count(names, kBest), 1);
  EXPECT_EQ(names.size(), 3u);
  EXPECT_THAT(data(kBest), HasSubstr("0.1 16 "));
  EXPECT_THAT(data(kBest), HasSubstr("0.1 64 "));
}

TEST_F(Charts, MarkTheBoundaryBetweenFamilies) {
  draw_all(crossing_pair());
  const std::string text = data(kBest), heading = "# boundary between the families\n";
  // The last sparse cell is at 1e-3, the first dense one at 0.1.
  std::istringstream boundary(text.substr(text.find(heading) + heading.size()));
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  ASSERT_TRUE(boundary >> x0 >> y0 >> x1 >> y1);
  EXPECT_NEAR(x0, 0.01, 1e-9);
  EXPECT_EQ(x0, x1);
  EXPECT_LT(y0, 64);
  EXPECT_GT(y1, 64);
}

std::vector<Measurement> measured_pair() {
  auto measurements = crossing_pair();
  for (Measurement m : crossing_pair()) {
    m.backend = "mpi", m.machine = "cluster", m.topology = "", m.time_s *= 2;
    m.confidence_s = {{m.time_s * 0.5, m.time_s * 4}};
    if (m.density > 0.01) m.confidence_s.reset();
    measurements.push_back(m);
  }
  return measurements;
}

TEST_F(Charts, PutMeasuredBesidePredicted) {
  const std::string name = "prediction_simgrid_uniform_P64_N1048576_fp32";
  const auto names = draw_all(measured_pair());
  EXPECT_EQ(std::ranges::count(names, name), 1);
  EXPECT_EQ(names.size(), 5u);
  EXPECT_THAT(svg(name), HasSubstr("ratio 2 (2 to 2)"));
  EXPECT_THAT(svg(name), HasSubstr("95 % confidence intervals"));
  EXPECT_THAT(data(name), HasSubstr("0.001 0.002 0.001 0.008\n"));
  EXPECT_THAT(data(name), HasSubstr("0.1 0.002 ? ?\n"));
}

TEST_F(Charts, PredictNothingThatWasNotMeasured) {
  auto measurements = measured_pair();
  for (Measurement& m : measurements) {
    if (m.backend == "mpi") m.density *= 1.1;
  }
  for (const std::string& name : draw_all(measurements)) EXPECT_THAT(name, Not(HasSubstr("prediction")));
}

TEST_F(Charts, CompareWithTheClosedForm) {
  auto measurements = crossing_pair();
  for (Measurement& m : measurements) m.model = ModelPrediction{m.time_s / 2, 0, 0, 0, 0};
  measurements.back().model.reset();
  const auto names = draw_all(measurements);
  EXPECT_THAT(names, ElementsAre(kTime, "model_simgrid_uniform_P64_N1048576_fp32", kBest));
  EXPECT_THAT(data(names[1]), HasSubstr("0.001 2\n"));
}

TEST_F(Charts, SurviveManyAlgorithmsAndChanges) {
  std::vector<Measurement> measurements;
  for (int a = 0; a < 30; ++a) {
    for (int i = 0; i < 40; ++i) {
      const double time = 1e-3 * (1 + (a * 7 + i * 11) % 30);
      measurements.push_back(point("an-algorithm-of-a-long-name-" + std::to_string(a),
                                   a % 2 ? "sparse" : "dense", 1e-4 * std::pow(1.2, i), time));
    }
  }
  draw_all(measurements);
  EXPECT_THAT(svg(kTime), HasSubstr("more changes"));
}

TEST(Gnuplot, MustBeInPath) {
  const TemporaryDirectory directory;
  const ScopedPath nowhere(directory.path() / "bin");
  EXPECT_THAT(message_of([&] { write_charts(crossing_pair(), directory.path()); }),
              HasSubstr("gnuplot, which is not in PATH"));
}

TEST_F(Charts, PassOnWhatGnuplotSays) {
  write_text(directory_.path() / "broken.gp", "set nonsense\n");
  const std::string message = message_of([&] { run_gnuplot(directory_.path(), "broken.gp"); });
  EXPECT_THAT(message, HasSubstr("broken.gp"));
  EXPECT_THAT(message, HasSubstr("nrecognized option"));
}

TEST_F(Charts, NeedADirectoryThatCanBeMade) {
  write_text(directory_.path() / "charts", "a file");
  EXPECT_THROW(write_charts(crossing_pair(), directory_.path() / "charts"),
               std::filesystem::filesystem_error);
}

TEST(GnuplotText, IsQuotedAndEscaped) {
  EXPECT_EQ(gnuplot_text("it's"), "'it''s'");
  EXPECT_EQ(gnuplot_text("a_b^{c}\n"), R"('a\_b\^\{c\} ')");
  EXPECT_EQ(gnuplot_enhanced("10^{-3}"), "'10^{-3}'");
}

TEST(UniqueNames, FallBackToNumbers) {
  std::vector<Chart> charts(4);
  for (Chart& chart : charts) chart.name = "x";
  charts[3].place = "here";
  make_names_unique(charts);
  EXPECT_EQ(charts[0].name, "x");
  EXPECT_EQ(charts[1].name, "x_2");
  EXPECT_EQ(charts[2].name, "x_3");
  EXPECT_EQ(charts[3].name, "x_here");
}

// Algorithms must differ in print without colour.
TEST(Styles, DifferWithoutColor) {
  std::vector<Measurement> measurements;
  for (int i = 0; i < 7; ++i) {
    measurements.push_back(point("s" + std::to_string(i), "sparse", 0.1, 1));
    measurements.push_back(point("d" + std::to_string(i), "dense", 0.1, 1));
  }
  std::set<std::string> points;
  std::set<int> numbers;
  for (const auto& [algorithm, style] : styles_of(measurements)) {
    points.insert(style.point);
    numbers.insert(style.number);
    const bool solid = style.line.find("dt 1 ") != std::string::npos;
    EXPECT_EQ(solid, algorithm[0] == 's') << style.line;
    EXPECT_EQ(style.fill.find("pattern") == std::string::npos, algorithm[0] == 's');
  }
  EXPECT_EQ(points.size(), 14u);
  EXPECT_EQ(*numbers.rbegin(), 14);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Axes, LabelPowersOfTen) {
  EXPECT_THAT(density_axis("x", {1e-4, 0.5}), HasSubstr("'10^{-3}' 0.001"));
  EXPECT_THAT(density_axis("x", {0.01, 0.05}), HasSubstr("'0.02' 0.02"));
  EXPECT_THAT(time_axis("y", {1e-6, 1e-2}), HasSubstr("'10 µs' 1e-05"));
}

RC_GTEST_PROP(Axes, HaveAFewLabelledTicsWhateverTheRange, ()) {
  const double low = std::pow(10.0, *rc::gen::inRange(-900, 200) / 100.0);
  const double high = low * std::pow(10.0, *rc::gen::inRange(3, 1200) / 100.0);
  const std::string axis = time_axis("y", {low, high});
  const std::size_t labelled = count_of(axis, "s' ");
  RC_ASSERT(labelled >= 3u && labelled <= 12u);
}

}  // namespace
}  // namespace sparsewire
