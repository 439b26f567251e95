#include "experiments/simulated_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>

#include "experiments/precision.hpp"
#include "tests/experiments/example_experiment.hpp"
#include "tests/reports/example_measurements.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SPARSEWIRE_TEST_SANITIZED 1
#else
#define SPARSEWIRE_TEST_SANITIZED 0
#endif

namespace sparsewire {
namespace {

using test::example_experiment;
using testing::HasSubstr;
using testing::StartsWith;

using ByKey = std::map<std::string, Measurement>;

std::vector<Cell> cells(const Experiment& experiment) {
  return cells_of(experiment, experiment.backends, "v");
}

ByKey run(const Experiment& experiment, const std::set<std::string>& finished = {}, unsigned processes = 2) {
  ByKey all;
  const std::atomic<bool> stop{false};
  run_simulated(
      experiment, cells(experiment), finished, processes, stop,
      [&](const Measurement& measurement) {
        EXPECT_TRUE(all.emplace(measurement.key, measurement).second) << "heard of twice";
      },
      [] {});
  return all;
}

TEST(SimulatedRun, MeasuresEveryPointOnce) {
  const Experiment e = example_experiment();
  const ByKey all = run(e);
  ASSERT_EQ(all.size(), 16u);
  for (const Cell& cell : cells(e))
    for (const Point& point : cell.points) {
      const Measurement& m = all.at(point.key);
      EXPECT_EQ(m.status, "ok") << m.reason;
      EXPECT_EQ(m.backend, point.backend);
      EXPECT_EQ(m.algorithm, point.algorithm);
      EXPECT_EQ(m.ranks, cell.ranks);
      EXPECT_EQ(m.density, cell.density);
      EXPECT_EQ(m.samples_s.size(), 1u);
      EXPECT_GT(m.time_s, 0);
      EXPECT_GT(m.messages, 0u);
      EXPECT_TRUE(m.ranks_agree);
      EXPECT_TRUE(m.model.has_value());
      EXPECT_FALSE(m.confidence_s.has_value());
    }
}

TEST(SimulatedRun, GivesTheSameAgainWithAnyNumberOfProcesses) {
  const ByKey one = run(example_experiment(), {}, 1), three = run(example_experiment(), {}, 3);
  for (const auto& [key, m] : one) {
    EXPECT_EQ(m.time_s, three.at(key).time_s);
    EXPECT_EQ(m.wire_bytes, three.at(key).wire_bytes);
  }
}

TEST(SimulatedRun, LeavesOutWhatIsFinished) {
  const Experiment e = example_experiment();
  std::set<std::string> finished;
  for (const auto& [key, m] : run(e)) finished.insert(key);
  EXPECT_TRUE(run(e, finished).empty());
  const std::string one = *finished.begin();
  finished.erase(one);
  const ByKey rest = run(e, finished);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_TRUE(rest.contains(one));
}

TEST(SimulatedRun, RunsEveryPrecisionAndCodec) {
  Experiment e = example_experiment();
  e.backends = {"loggp"};
  e.algorithms.push_back("dsar-split-allgather");
  e.precisions = kPrecisions;
  e.codecs = {"pairs", "bitmap", "auto"};
  const ByKey all = run(e);
  ASSERT_EQ(all.size(), 4u * 3 * 7 * 3);
  for (const auto& [key, m] : all)
    EXPECT_EQ(m.status, "ok") << m.algorithm << " " << m.precision << " " << m.codec << ": " << m.reason;
}

std::uint64_t bytes_of(const ByKey& all, const std::string& precision, const std::string& codec) {
  for (const auto& [key, m] : all)
    if (m.precision == precision && m.codec == codec && m.ranks == 4 && m.density == 0.5) return m.wire_bytes;
  return 0;
}

TEST(SimulatedRun, SendsFewerBytesWithFewerBitsAndABetterCodec) {
  Experiment e = example_experiment();
  e.backends = {"loggp"};
  e.algorithms = {"dsar-split-allgather"};
  e.precisions = kPrecisions;
  e.codecs = {"pairs", "bitmap"};
  const ByKey all = run(e);
  EXPECT_LT(bytes_of(all, "fp32", "pairs"), bytes_of(all, "fp64", "pairs"));
  EXPECT_LT(bytes_of(all, "fp16", "pairs"), bytes_of(all, "fp32", "pairs"));
  EXPECT_EQ(bytes_of(all, "bf16", "pairs"), bytes_of(all, "fp16", "pairs"));
  EXPECT_LT(bytes_of(all, "qsgd8", "pairs"), bytes_of(all, "fp32", "pairs"));
  EXPECT_LT(bytes_of(all, "qsgd4", "pairs"), bytes_of(all, "qsgd8", "pairs"));
  EXPECT_LT(bytes_of(all, "qsgd2", "pairs"), bytes_of(all, "qsgd4", "pairs"));
  EXPECT_LT(bytes_of(all, "fp32", "bitmap"), bytes_of(all, "fp32", "pairs"));
}

TEST(SimulatedRun, HasNothingToDoForMpi) {
  Experiment e = example_experiment();
  e.backends = {"mpi"};
  EXPECT_TRUE(run(e).empty());
}

TEST(SimulatedRun, SkipsImpossibleOverlap) {
  Experiment e = example_experiment();
  e.workloads = {{"disjoint", Overlap{0}}};  // 4 ranks cannot have half of the indices each
  const ByKey all = run(e);
  ASSERT_EQ(all.size(), 16u);
  for (const auto& [key, m] : all) {
    const bool possible = m.ranks == 2 || m.density == 0.05;
    EXPECT_EQ(m.status, possible ? "ok" : "skipped");
    if (!possible) {
      EXPECT_THAT(m.reason, testing::ContainsRegex("[0-9]+"));
    }
  }
}

TEST(SimulatedRun, SkipsWhatNeedsMoreRowsThanTheFileHas) {
  const TemporaryDirectory folder;
  write_text(folder.path() / "data.svm", "1:1 7:2\n3:1\n5:1\n");
  Experiment e = example_experiment();
  e.workloads = {{"data", SvmlightFile{folder.path() / "data.svm", 1}}};
  const ByKey all = run(e);
  ASSERT_EQ(all.size(), 8u);
  for (const auto& [key, m] : all) {
    EXPECT_EQ(m.status, m.ranks == 2 ? "ok" : "skipped") << m.reason;
    EXPECT_EQ(m.dimension, m.ranks == 2 ? 8u : 0u);
    if (m.ranks == 4) {
      EXPECT_THAT(m.reason, testing::AllOf(HasSubstr("4"), HasSubstr("3")));
    }
  }
}

TEST(SimulatedRun, SkipsMoreRanksThanTheTopologyHasHosts) {
  Experiment e = example_experiment();
  e.topology = {"small torus", TorusSpec{{3}, {}, Sharing::shared}};
  for (const auto& [key, m] : run(e)) {
    const bool fits = m.backend == "loggp" || m.ranks == 2;
    EXPECT_EQ(m.status, fits ? "ok" : "skipped") << m.reason;
    if (!fits) {
      EXPECT_THAT(m.reason, testing::AllOf(HasSubstr("small torus"), HasSubstr("3 hosts")));
    }
  }
}

TEST(SimulatedRun, FailsWithoutItsFile) {
  const TemporaryDirectory folder;
  write_text(folder.path() / "data.svm", "1:1\n3:1\n");
  Experiment e = example_experiment();
  e.workloads = {{"data", SvmlightFile{folder.path() / "data.svm", 1}}};
  e.ranks = {2};
  const std::vector<Cell> before = cells(e);
  std::filesystem::remove(folder.path() / "data.svm");
  std::size_t failed = 0;
  run_simulated(
      e, before, {}, 1, std::atomic<bool>{false},
      [&](const Measurement& m) {
        EXPECT_EQ(m.status, "failed");
        EXPECT_THAT(m.reason, HasSubstr("data.svm"));
        ++failed;
      },
      [] {});
  EXPECT_EQ(failed, 4u);
}

// A point of some 10 ms or more, many times over.
Experiment slow_experiment() {
  Experiment e = example_experiment();
  e.algorithms = {"dense-ring",       "dense-rabenseifner",    "dense-recursive-double", "sparse-ring",
                  "sparse-allgather", "ssar-recursive-double", "ssar-split-allgather"};
  e.backends = {"loggp"};
  e.ranks = {16};
  e.dimensions = {300'000};
  e.densities = {0.1};
  return e;
}

// Processes that this one has started.
std::vector<pid_t> children() {
  std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
  std::vector<pid_t> all;
  for (pid_t child; list >> child;) all.push_back(child);
  return all;
}

TEST(SimulatedRun, LosesOnePointWhenAProcessDiesAndRunsTheRestOfItsCell) {
  const Experiment e = slow_experiment();
  std::vector<Measurement> all;
  const std::atomic<bool> stop{false};
  run_simulated(
      e, cells(e), {}, 1, stop,
      [&](const Measurement& m) {
        all.push_back(m);
        if (all.size() == 2)
          for (const pid_t child : children()) kill(child, SIGKILL);
      },
      [] {});
  ASSERT_EQ(all.size(), 7u);
  std::size_t failed = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].key, cells(e)[0].points[i].key) << "in order, each once";
    if (all[i].status == "ok") continue;
    ++failed;
    EXPECT_EQ(all[i].status, "failed");
    EXPECT_EQ(all[i].reason, "its process ended early: killed by signal 9 (Killed)");
  }
  EXPECT_EQ(failed, 1u);
}

TEST(SimulatedRun, OutlivesEveryProcessDying) {
  Experiment e = slow_experiment();
  std::size_t measurements = 0;
  const std::atomic<bool> stop{false};
  run_simulated(
      e, cells(e), {}, 1, stop, [&](const Measurement&) { ++measurements; },
      [&] {
        for (const pid_t child : children()) kill(child, SIGKILL);
      });
  EXPECT_EQ(measurements, 7u);
}

TEST(SimulatedRun, StopsInTheMiddle) {
  const Experiment e = slow_experiment();
  std::atomic<bool> stop{false};
  std::vector<Measurement> all;
  run_simulated(
      e, cells(e), {}, 1, stop,
      [&](const Measurement& m) {
        all.push_back(m);
        stop = true;
      },
      [] {});
  EXPECT_GE(all.size(), 1u);
  EXPECT_LT(all.size(), 7u);
  for (const Measurement& m : all) EXPECT_EQ(m.status, "ok") << "what was cut off is no failure";
}

// Lets this process have `bytes` more memory than it has, as long as the object lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(SimulatedRun, FailsWithReasonWithoutMemoryForTheInputs) {
  if (SPARSEWIRE_TEST_SANITIZED) GTEST_SKIP() << "sanitizers need more memory than this test allows";
  Experiment e = example_experiment();
  e.backends = {"loggp"};
  e.dimensions = {std::uint64_t{1} << 32};  // the union of the supports is a bit an index: 512 MiB
  e.densities = {1e-9};
  const MemoryLimit limit(std::size_t{200} << 20);
  const ByKey all = run(e);
  ASSERT_EQ(all.size(), 4u);
  for (const auto& [key, m] : all) {
    EXPECT_EQ(m.status, "failed");
    EXPECT_EQ(m.reason, "out of memory");
  }
}

TEST(SimulatedRun, LosesOnlyTheDensePointsWithoutMemoryForThem) {
  if (SPARSEWIRE_TEST_SANITIZED) GTEST_SKIP() << "sanitizers need more memory than this test allows";
  Experiment e = example_experiment();
  e.backends = {"loggp"};
  e.ranks = {2};
  e.dimensions = {std::uint64_t{1} << 30};  // 128 MiB of bits, but 4 GiB of numbers
  e.densities = {1e-8};
  const MemoryLimit limit(std::size_t{1} << 30);
  for (const auto& [key, m] : run(e)) {
    EXPECT_EQ(m.status, m.family == "dense" ? "failed" : "ok") << m.algorithm << ": " << m.reason;
    if (m.family == "dense") {
      EXPECT_THAT(m.reason, HasSubstr("out of memory"));
    }
  }
}

TEST(SimulatedWorld, MustBeOneOfTheSimulators) {
  EXPECT_NE(simulated_world("loggp", test::cluster_machine(), {}), nullptr);
  EXPECT_NE(simulated_world("simgrid", test::cluster_machine(), {}), nullptr);
  EXPECT_THROW(simulated_world("mpi", test::cluster_machine(), {}), std::invalid_argument);
  Machine broken = test::cluster_machine();
  broken.network.L = -1;
  EXPECT_THROW(simulated_world("loggp", broken, {}), std::invalid_argument);
}

}  // namespace
}  // namespace sparsewire
