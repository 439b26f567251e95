// The program under mpirun, from outside.
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
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
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class UnderMpirun : public CommandLine {
 protected:
  static Words mpirun(int processes, const Words& words) {
    Words all;
    std::istringstream launcher(SPARSEWIRE_MPIRUN);
    for (std::string word; launcher >> word;) all.push_back(word);
    all.insert(all.end(), {"-np", std::to_string(processes), SPARSEWIRE_PROGRAM});
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
  inline static const Environment kEnvironment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                                  {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                                  {"ASAN_OPTIONS", "detect_leaks=0"}};

  Ended call_on(int processes, const Words& words, const Environment& more = {}) const {
    Environment environment = kEnvironment;
    environment.insert(more.begin(), more.end());
    RunningProgram program(mpirun(processes, words), folder(), environment);
    return program.wait(std::chrono::seconds(30));
  }

  // Expects exit code 2, no hang, and one message of the program with all `parts`.
  void expect_refused_on(int processes, const Words& words, const Words& parts) const {
    const Ended ended = call_on(processes, words);
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_EQ(ended.out, "");
    std::size_t messages = 0;
    for (std::size_t at = 0; (at = ended.err.find("sparsewire: ", at)) != std::string::npos; ++at) ++messages;
    EXPECT_EQ(messages, 1u) << ended.err;
    for (const std::string& part : parts) EXPECT_THAT(ended.err, HasSubstr(part));
    EXPECT_THAT(ended.err, Not(HasSubstr("MPI_ABORT")));
  }
};

// N and the sum.
std::string first_two_lines(const std::string& text) {
  return text.substr(0, text.find('\n', text.find('\n') + 1) + 1);
}

class MpiReduce : public UnderMpirun {
 protected:
  const std::string vectors_ = write("v.svm", "# N=20\n3:1 7:2.5 19:1\n\n7:0.5 3:-1\n0:4 5:1e-3");
};

TEST_F(MpiReduce, GivesTheSimulatorsResultByEveryAlgorithm) {
  for (const std::string& algorithm : algorithm_names()) {
    const Ended measured = call_on(4, {"reduce", vectors_, "--algorithm", algorithm});
    EXPECT_EQ(measured.code, 0) << measured.err;
    EXPECT_THAT(measured.out, HasSubstr(algorithm + " on 4 ranks: 4 non-zeros\n"));
    EXPECT_THAT(measured.out, HasSubstr("ranks agree bit for bit: yes"));
    const std::string simulated = algorithm == "mpi-allreduce" ? "dense-ring" : algorithm;
    EXPECT_EQ(first_two_lines(measured.out),
              first_two_lines(call({"reduce", vectors_, "--algorithm", simulated}).out));
  }
}

TEST_F(MpiReduce, WorksInDoublePrecision) {
  const Ended measured =
      call_on(4, {"reduce", vectors_, "--algorithm", "sparse-ring", "--precision", "fp64"});
  EXPECT_EQ(first_two_lines(measured.out), "# N=20\n0:4 5:0.001 7:3 19:1\n");
}

TEST_F(MpiReduce, NeedsAVectorForEachRank) {
  expect_refused_on(3, {"reduce", vectors_, "--algorithm", "dense-ring"},
                    {"v.svm: found 4 vectors, expected one for each of the job's 3 ranks"});
}

TEST_F(MpiReduce, RefusesABadIndexOnce) {
  write("bad.svm", "# N=10\n1:1\n2:1\n10:1\n4:1\n");
  expect_refused_on(4, {"reduce", "bad.svm", "--algorithm", "dense-ring"},
                    {"bad.svm:4:1: vector 2 (line 4): index 10 is not in [0, 10)"});
}

TEST_F(MpiReduce, RefusesMistakesOnce) {
  expect_refused_on(4, {"reduce", "missing.svm", "--algorithm", "dense-ring"}, {"missing.svm: cannot open"});
  expect_refused_on(4, {"reduce", vectors_, "--algorithm", "dense-rong"}, {"did you mean \"dense-ring\"?"});
  expect_refused_on(4, {"reduce", vectors_, "--algorithm", "dense-ring", "--backend", "simgrid"},
                    {"--backend: simulators run in one process"});
}

class MpiOverlap : public UnderMpirun {};

TEST_F(MpiOverlap, MeasuresOnAllProcessesOrOnSome) {
  const Words words = {"overlap",     "--algorithm",   "ssar-split-allgather",
                       "--dimension", "20000",         "--chunks",
                       "1,16",        "--repetitions", "2"};
  for (const std::string ranks : {"", "2"}) {
    Words all = words;
    if (!ranks.empty()) all.insert(all.end(), {"--ranks", ranks});
    const Ended ended = call_on(3, all);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr(ranks.empty() ? "P=3," : "P=2,"));
    EXPECT_THAT(ended.out, testing::ContainsRegex(", mpi\n.*overlap\n +1 .*%\n +16 .*%\n$"));
  }
}

TEST_F(MpiOverlap, RefusesMistakesOnce) {
  expect_refused_on(3, {"overlap", "--algorithm", "dense-ring", "--ranks", "4"},
                    {"--ranks: found 4, expected at most the job's 3"});
  expect_refused_on(3, {"overlap", "--algorithm", "mpi-allreduce"}, {"cannot be started"});
  expect_refused_on(3, {"overlap", "--algorithm", "dense-ring", "--backend", "loggp"},
                    {"--backend: simulators run in one process"});
}

class MpiRun : public UnderMpirun {
 protected:
  Ended run_on(int processes, const json& experiment, const Environment& environment = {}) const {
    return call_on(processes, {"run", write("e.json", experiment.dump()), "--out", "out"}, environment);
  }
};

json experiment_on_4() {
  json e = small_experiment();
  e["algorithms"] = {"ssar-recursive-double", "mpi-allreduce"};
  e["backends"] = {"loggp", "mpi"};
  e["ranks"] = {2, 4, 8};
  return e;
}

TEST_F(MpiRun, MeasuresWhatThereAreProcessesFor) {
  const Ended ended = run_on(4, experiment_on_4());
  EXPECT_EQ(ended.code, 0) << ended.err;
  const std::vector<json> all = points("out");
  ASSERT_EQ(all.size(), 12u);
  for (const json& point : all) {
    EXPECT_EQ(point["backend"], "mpi");
    if (point["ranks"] == 8) {
      EXPECT_EQ(point["status"], "skipped");
      EXPECT_EQ(point["reason"], "asks for 8 ranks, the job has 4 (mpirun -np)");
      continue;
    }
    EXPECT_EQ(point["status"], "ok") << point;
    EXPECT_EQ(point["samples_s"].size(), 3u);
    EXPECT_FALSE(point.contains("confidence_s")) << "3 samples are too few for one";
    EXPECT_EQ(point["ranks_agree"], true);
    EXPECT_GT(point["time_s"], 0);
  }
  const json context = json::parse(read("out/context-mpi.json"));
  EXPECT_THAT(context["mpi_version"].get<std::string>(), HasSubstr("MPI"));
  EXPECT_THAT(ended.out, HasSubstr("out/points.jsonl"));
  EXPECT_THAT(ended.err, HasSubstr("small: 12/12 points in "));
}

TEST_F(MpiRun, MeasuresNothingTwice) {
  json e = experiment_on_4();
  e["ranks"] = {2, 4};
  ASSERT_EQ(run_on(4, e).code, 0);
  const std::string before = read("out/points.jsonl");
  const Ended again = run_on(4, e);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read("out/points.jsonl"), before);
  EXPECT_THAT(again.err, HasSubstr("8 of 8 points are there already"));
  EXPECT_THAT(call_on(4, {"run", "e.json", "--out", "out", "--dry-run"}).out,
              testing::EndsWith("\n0 points of 8 to run\n"));
}

TEST_F(MpiRun, StandsBesideWhatWasSimulated) {
  json e = experiment_on_4();
  e["ranks"] = {4};
  ASSERT_EQ(call({"run", write("e.json", e.dump()), "--out", "out"}).code, 0);
  ASSERT_EQ(points("out").size(), 2u);
  const Ended ended = run_on(4, e);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(points("out").size(), 6u);
  bool has_prediction = false;
  for (const auto& entry : std::filesystem::directory_iterator(folder() / "out/plots"))
    has_prediction = has_prediction || entry.path().filename().string().starts_with("prediction_");
  EXPECT_TRUE(has_prediction) << ended.out;
}

TEST_F(MpiRun, WorksOnOneProcessWithoutALauncher) {
  json e = experiment_on_4();
  e["ranks"] = {1, 2};
  write("e.json", e.dump());
  RunningProgram program(command({"run", "e.json", "--out", "out", "--backend", "mpi"}), folder(),
                         kEnvironment);
  EXPECT_EQ(program.wait().code, 0);
  for (const json& point : points("out"))
    EXPECT_EQ(point["status"], point["ranks"] == 1 ? "ok" : "skipped") << point;
}

TEST_F(MpiRun, RefusesAnExperimentThatIsTooLargeForTheJob) {
  json e = experiment_on_4();
  e["ranks"] = {8, 16};
  const Ended ended = run_on(2, e);
  EXPECT_NE(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("asks for 8 ranks or more, the job has 2: start it with mpirun -np 8"));
}

TEST_F(MpiRun, RefusesSimulators) {
  write("e.json", experiment_on_4().dump());
  expect_refused_on(2, {"run", "e.json", "--backend", "loggp"}, {"--backend: simulators run in one process"});
  EXPECT_FALSE(exists("results"));
}

TEST_F(MpiRun, RefusesABrokenExperimentOnce) {
  write("e.json", "{\"schema_version\": 1}");
  expect_refused_on(3, {"run", "e.json"}, {"missing key \"machine\""});
}

TEST_F(MpiRun, EndsOnAllProcessesWithoutAFolderToWrite) {
  write("file", "");
  write("e.json", experiment_on_4().dump());
  const Ended ended = call_on(4, {"run", "e.json", "--out", "file/out"});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("file/out"));
}

TEST_F(MpiRun, SkipsInputsThatCannotBeOnAllProcesses) {
  json e = experiment_on_4();
  e["density"] = {0.01, 0.6};
  e["ranks"] = {2};
  e["workloads"] = {{{"kind", "overlap"}, {"fraction", 0}}};
  const Ended ended = run_on(2, e);
  EXPECT_EQ(ended.code, 0) << ended.err;
  ASSERT_EQ(points("out").size(), 4u);
  for (const json& point : points("out"))
    EXPECT_EQ(point["status"], point["density"] == 0.6 ? "skipped" : "ok") << point;
}

TEST_F(MpiRun, KeepsItsResultsWithoutGnuplot) {
  json e = experiment_on_4();
  e["ranks"] = {2};
  const std::string path = "/nowhere";
  Words words = mpirun(2, {"run", write("e.json", e.dump()), "--out", "out"});
  words.insert(words.end() - 5, {"env", "PATH=" + path});
  RunningProgram program(words, folder(), kEnvironment);
  const Ended ended = program.wait(std::chrono::seconds(30));
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(points("out").size(), 4u);
  EXPECT_THAT(ended.err, HasSubstr("no plots: charts need gnuplot"));
}

TEST_F(MpiRun, KeepsWhatIsFinishedWhenInterrupted) {
  json e = experiment_on_4();
  e["algorithms"] = {"dense-ring", "dense-rabenseifner"};
  e["ranks"] = {2};
  e["dimension"] = {1'000'000};  // long enough for mpirun to pass the interrupt on
  e["density"] = {{"from", 0.1}, {"to", 0.4}, {"points", 20}, {"scale", "linear"}};
  e["repetitions"] = 10;
  RunningProgram program(mpirun(2, {"run", write("e.json", e.dump()), "--out", "out"}), folder(),
                         kEnvironment);
  while (!program.has_ended() && (!exists("out/points.jsonl") || points("out").empty()))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  program.send(SIGINT);
  const Ended ended = program.wait(std::chrono::seconds(30));
  EXPECT_NE(ended.code, 0);
  EXPECT_NE(ended.code, -1) << "hung";
  EXPECT_GT(points("out").size(), 0u);
  EXPECT_LT(points("out").size(), 40u);
  for (const json& point : points("out")) {
    EXPECT_EQ(point["status"], "ok");
    EXPECT_EQ(point["samples_s"].size(), 10u);
    EXPECT_EQ(point["confidence_s"].size(), 2u);
  }
  EXPECT_EQ(run_on(2, e).code, 0);
  EXPECT_EQ(points("out").size(), 40u);
}

}  // namespace
}  // namespace sparsewire
