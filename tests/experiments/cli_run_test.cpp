// `sparsewire run` from outside: results, resumption, interrupts and failures.
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "experiments/names.hpp"
#include "tests/experiments/command_line.hpp"

namespace sparsewire {
namespace {

using nlohmann::json;
using test::CommandLine;
using test::Ended;
using test::RunningProgram;
using test::small_experiment;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
namespace fs = std::filesystem;

class Run : public CommandLine {
 protected:
  Ended run(const json& experiment, const Words& options = {"--out", "out"},
            const Environment& environment = {}) {
    Words words = {"run", write("e.json", experiment.dump())};
    words.insert(words.end(), options.begin(), options.end());
    return call(words, environment);
  }

  std::set<std::string> keys(const std::string& directory) const {
    std::set<std::string> all;
    for (const json& point : points(directory)) EXPECT_TRUE(all.insert(point["key"]).second);
    return all;
  }
};

TEST_F(Run, LeavesPointsTableContextAndPlots) {
  const Ended ended = run(small_experiment());
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(points("out").size(), 8u);
  for (const json& point : points("out")) EXPECT_EQ(point["status"], "ok");
  EXPECT_TRUE(exists("out/results.csv"));
  EXPECT_TRUE(exists("out/plots/time_loggp_uniform_P2_N1000_fp32.svg"));
  const json context = json::parse(read("out/context.json"));
  EXPECT_EQ(context["experiment_file"], "e.json");
  EXPECT_EQ(context["machine"]["name"], "daint");
  EXPECT_THAT(ended.out, HasSubstr("dense-ring"));
  EXPECT_THAT(ended.out, HasSubstr("out/points.jsonl"));
  EXPECT_THAT(ended.err, testing::MatchesRegex("small: 8/8 points in [0-9.]+ s\n"));
}

TEST_F(Run, HasAPlaceForResultsOfItsOwn) {
  EXPECT_EQ(run(small_experiment("named"), {}).code, 0);
  EXPECT_EQ(points("results/named").size(), 8u);
}

TEST_F(Run, ComputesNothingTheSecondTime) {
  const Ended first = run(small_experiment());
  const std::string before = read("out/points.jsonl");
  const Ended again = run(small_experiment());
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(read("out/points.jsonl"), before);
  EXPECT_EQ(again.err, "small: 8 of 8 points are there already\n");
  EXPECT_EQ(again.out, first.out);
}

TEST_F(Run, ComputesOnlyWhatIsNew) {
  run(small_experiment());
  json more = small_experiment();
  more["density"].push_back(0.5);
  const Ended ended = run(more);
  EXPECT_EQ(points("out").size(), 12u);
  EXPECT_EQ(keys("out").size(), 12u);
  EXPECT_THAT(ended.err, HasSubstr("8 of 12 points are there already"));
  EXPECT_THAT(ended.err, HasSubstr("4/4 points"));
}

TEST_F(Run, DryRunListsAndWritesNothing) {
  const Ended dry = run(small_experiment(), {"--out", "out", "--dry-run"});
  EXPECT_EQ(dry.code, 0);
  EXPECT_FALSE(exists("out"));
  EXPECT_THAT(dry.out, HasSubstr("dense-ring on loggp: uniform, P=3, N=1000, density 0.3, fp32"));
  EXPECT_THAT(dry.out, HasSubstr("8 points of 8 to run\n"));
  run(small_experiment());
  const std::string before = read("out/points.jsonl");
  const Ended after = run(small_experiment(), {"--out", "out", "--dry-run"});
  EXPECT_THAT(after.out, HasSubstr("(done)"));
  EXPECT_THAT(after.out, HasSubstr("0 points of 8 to run\n"));
  EXPECT_EQ(read("out/points.jsonl"), before);
}

TEST_F(Run, TakesBackendsFromTheCommandLine) {
  EXPECT_EQ(run(small_experiment(), {"--out", "out", "--backend", "simgrid,loggp"}).code, 0);
  EXPECT_EQ(points("out").size(), 16u);
  EXPECT_EQ(run(small_experiment(), {"--backend", "logp"}).code, 2);
  const Ended mixed = run(small_experiment(), {"--backend", "mpi", "--backend", "loggp"});
  EXPECT_EQ(mixed.code, 2);
  EXPECT_THAT(mixed.err, HasSubstr("mpi cannot be combined with simulators"));
}

TEST_F(Run, TakesOptionsBeforeFiles) {
  write("e.json", small_experiment().dump());
  const Ended ended = call({"run", "--backend", "simgrid", "--out", "out", "e.json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  for (const json& point : points("out")) EXPECT_EQ(point["backend"], "simgrid");
}

TEST_F(Run, SaysWhenResultsArePartial) {
  EXPECT_THAT(run(small_experiment()).out, Not(HasSubstr("PARTIAL")));
  // as an interrupt leaves it
  const std::string all = read("out/points.jsonl");
  write("out/points.jsonl", all.substr(0, all.find('\n') + 1));
  const Ended ended = call({"report", "out"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("PARTIAL: loggp has 1 of "));
}

TEST_F(Run, RemovesChartsThatNoLongerHold) {
  EXPECT_EQ(run(small_experiment()).code, 0);
  write("out/plots/time_loggp_of_another_day.png", "");
  write("out/plots/mine.png", "");
  EXPECT_EQ(call({"report", "out"}).code, 0);
  EXPECT_FALSE(exists("out/plots/time_loggp_of_another_day.png"));
  EXPECT_TRUE(exists("out/plots/mine.png"));
  EXPECT_TRUE(exists("out/plots/time_loggp_uniform_P2_N1000_fp32.png"));
  EXPECT_TRUE(exists("out/plots/gnuplot/time_loggp_uniform_P2_N1000_fp32.gp"));
}

TEST_F(Run, NeedsPoints) {
  json e = small_experiment();
  e["backends"] = {"mpi"};
  const Ended none = run(e);
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("e.json: no points for these backends"));
  e = small_experiment();
  e["algorithms"] = {"mpi-allreduce"};
  EXPECT_EQ(run(e).code, 2);
  EXPECT_FALSE(exists("out"));
}

TEST_F(Run, SkipsWhatCannotBeAndSaysWhy) {
  json e = small_experiment();
  e["backends"] = {"loggp", "simgrid"};
  e["topology"] = {{"name", "torus"}, {"dimensions", {2}}};
  const Ended ended = run(e);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(points("out").size(), 16u);
  EXPECT_THAT(ended.out, HasSubstr("4 points skipped: topology 'torus' has 2 hosts for 3 ranks"));
  EXPECT_EQ(run(e).code, 0);
  EXPECT_EQ(points("out").size(), 16u) << "what is skipped again for the same reason is not written again";
}

TEST_F(Run, TakesSeveralFilesIntoFoldersOfTheirNames) {
  write("a.json", small_experiment("a").dump());
  write("b.json", small_experiment("b").dump());
  EXPECT_EQ(call({"run", "a.json", "b.json", "--out", "all"}).code, 0);
  EXPECT_EQ(points("all/a").size(), 8u);
  EXPECT_EQ(points("all/b").size(), 8u);
}

TEST_F(Run, RefusesTwoExperimentsOfOneName) {
  write("a.json", small_experiment("same").dump());
  write("b.json", small_experiment("same").dump());
  expect_refused({"run", "a.json", "b.json", "--out", "all"}, {"a.json and b.json", "\"same\""});
  EXPECT_FALSE(exists("all"));
}

TEST_F(Run, FindsAMistakeInTheLastFileBeforeItRunsTheFirst) {
  write("a.json", small_experiment("a").dump());
  expect_refused({"run", "a.json", "missing.json", "--out", "all"}, {"missing.json"});
  EXPECT_FALSE(exists("all"));
}

TEST_F(Run, NeedsAFolderThatItCanWrite) {
  write("file", "");
  const Ended ended = run(small_experiment(), {"--out", "file/out"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("file/out"));
  if (geteuid() == 0) return;  // who may write everywhere
  fs::create_directory(folder() / "locked");
  fs::permissions(folder() / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(run(small_experiment(), {"--out", "locked/out"}).code, 3);
}

TEST_F(Run, NamesADamagedLine) {
  run(small_experiment());
  write("out/points.jsonl", "damaged\n" + read("out/points.jsonl"));
  const Ended ended = run(small_experiment());
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("out/points.jsonl:1: "));
}

TEST_F(Run, KeepsItsResultsWithoutGnuplot) {
  const Ended ended = run(small_experiment(), {"--out", "out"}, {{"PATH", "/nowhere"}});
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(points("out").size(), 8u);
  EXPECT_TRUE(exists("out/results.csv"));
  EXPECT_THAT(ended.out, HasSubstr("dense-ring"));
  EXPECT_THAT(ended.err, HasSubstr("no plots: charts need gnuplot, which is not in PATH\n"));
  EXPECT_THAT(ended.err, HasSubstr("`sparsewire report out` draws them"));
  EXPECT_EQ(call({"report", "out"}).code, 0);
  EXPECT_TRUE(exists("out/plots/time_loggp_uniform_P2_N1000_fp32.svg"));
}

TEST_F(Run, FailsWithCode1WhereAPointFailed) {
  json e = small_experiment();
  e["algorithms"] = {"ssar-recursive-double"};
  e["dimension"] = {1000};
  e["workloads"] = {{{"kind", "libsvm"}, {"file", "d.svm"}}};
  // the sum of these is above the largest float: infinite, where the serial sum is not
  write("d.svm", "1:3e38\n1:3e38\n1:3e38\n");
  const Ended ended = run(e);
  EXPECT_EQ(ended.code, 1) << ended.err;
  for (const json& point : points("out")) EXPECT_EQ(point["status"], "failed");
  EXPECT_EQ(run(e).code, 1) << "tried again";
  EXPECT_EQ(points("out").size(), 2u) << "and not written twice";
}

// About 100 points of some 10 ms each.
json long_experiment() {
  json e = small_experiment("long");
  e["algorithms"] = "all";
  e["ranks"] = {16};
  e["dimension"] = {100'000};
  e["density"] = {{"from", 0.05}, {"to", 0.4}, {"points", 12}, {"scale", "linear"}};
  return e;
}
const std::size_t kLongPoints = 12 * (algorithm_names().size() - 1);  // simulators have no mpi-allreduce

class InterruptedRun : public Run {
 protected:
  std::size_t written() const {
    const std::string text = exists("out/points.jsonl") ? read("out/points.jsonl") : "";
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  // Sends a signal to a run once it has written three more points.
  Ended signalled(int signal) {
    write("e.json", long_experiment().dump());
    const std::size_t before = written();
    RunningProgram program(command({"run", "e.json", "--out", "out", "--jobs", "1"}), folder());
    while (!program.has_ended() && written() < before + 3)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    program.send(signal);
    return program.wait();
  }

  void expect_the_rest_is_computed() {
    const std::size_t before = written();
    const Ended rest = call({"run", "e.json", "--out", "out"});
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_THAT(rest.err, HasSubstr(std::to_string(before) + " of " + std::to_string(kLongPoints) +
                                    " points are there already"));
    EXPECT_EQ(points("out").size(), kLongPoints);
    EXPECT_EQ(keys("out").size(), kLongPoints);
    for (const json& point : points("out")) EXPECT_EQ(point["status"], "ok");
  }
};

TEST_F(InterruptedRun, KeepsWhatIsFinishedAndGoesOnLater) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Ended ended = signalled(signal);
    EXPECT_EQ(ended.code, 130) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("interrupted; what is finished is kept"));
    EXPECT_THAT(ended.out, HasSubstr("out/points.jsonl")) << "a report of what there is";
    EXPECT_LT(written(), kLongPoints);
    for (const json& point : points("out")) EXPECT_EQ(point["status"], "ok");
  }
  expect_the_rest_is_computed();
}

TEST_F(InterruptedRun, GoesOnAfterItWasKilled) {
  EXPECT_EQ(signalled(SIGKILL).code, 128 + SIGKILL);
  EXPECT_GE(written(), 3u);
  EXPECT_LT(written(), kLongPoints);
  // as if it had been killed in the middle of a line
  write("out/points.jsonl", read("out/points.jsonl") + "{\"key\": \"ab");
  expect_the_rest_is_computed();
}

TEST_F(InterruptedRun, FailsNoPointWhenTheInterruptComesFromATerminal) {
  json e = long_experiment();
  e["backends"] = {"simgrid"};
  write("e.json", e.dump());
  RunningProgram program(command({"run", "e.json", "--out", "out", "--jobs", "2"}), folder());
  while (!program.has_ended() && written() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  program.send_to_group(SIGINT);
  const Ended ended = program.wait();
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_LT(written(), kLongPoints);
  for (const json& point : points("out")) EXPECT_EQ(point["status"], "ok") << point;
}

TEST_F(InterruptedRun, LeavesNoProcessBehind) {
  write("e.json", long_experiment().dump());
  RunningProgram program(command({"run", "e.json", "--out", "out", "--jobs", "2"}), folder());
  while (!program.has_ended() && written() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  program.send(SIGKILL);
  program.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const std::size_t before = written();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(written(), before);
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::error_code none;
    EXPECT_NE(fs::read_symlink(entry.path() / "cwd", none), fs::canonical(folder()))
        << entry.path() << " is still there";
  }
}

}  // namespace
}  // namespace sparsewire
