// The program from outside: list, validate, report, reduce, and what it says of mistakes.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "experiments/names.hpp"
#include "tests/experiments/command_line.hpp"

namespace sparsewire {
namespace {

using test::CommandLine;
using test::Ended;
using test::small_experiment;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

const std::string kExperiments = SPARSEWIRE_SOURCE_DIR "/experiments/";

class Usage : public CommandLine {};

TEST_F(Usage, HelpIsThereForEveryCommand) {
  const Ended help = call({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("Exit codes: 0 done"));
  for (const std::string command : {"run", "list", "validate", "report", "reduce", "overlap", "import"}) {
    EXPECT_THAT(help.out, HasSubstr(command));
    const Ended of_command = call({command, "--help"});
    EXPECT_EQ(of_command.code, 0);
    EXPECT_THAT(of_command.out, HasSubstr("Usage"));
  }
}

TEST_F(Usage, TellsItsVersion) {
  const Ended version = call({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+\\+[0-9a-z.-]+\n"));
}

TEST_F(Usage, MistakesHaveCode2) {
  for (const Words& words : std::vector<Words>{{},
                                               {"run"},
                                               {"list"},
                                               {"list", "nonsense"},
                                               {"validate"},
                                               {"report"},
                                               {"reduce"},
                                               {"reduce", "x.svm"},
                                               {"run", "x.json", "--jobs", "0"},
                                               {"run", "x.json", "--jobs", "many"},
                                               {"run", "x.json", "--nonsense"},
                                               {"--nonsense"}}) {
    const Ended ended = call(words);
    EXPECT_EQ(ended.code, 2) << testing::PrintToString(words);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, Not(IsEmpty()));
  }
}

TEST_F(Usage, AnUnknownCommandIsNamedWithTheNearest) {
  expect_refused({"rum", "x.json"}, {"found \"rum\"", "did you mean \"run\"?"});
  expect_refused({"zzzzzzz"}, {"expected one of run, list, validate, report, reduce"});
}

TEST_F(Usage, ImportsAMachineThatReduceTakes) {
  write("table.out", "# size\n1 10 14 32 150 7 1 1 -nan -nan -nan\n10001 10 34 142 400 7 1 1 0 0 0\n");
  const Ended imported = call({"import", "table.out", "--name", "mine"});
  EXPECT_EQ(imported.code, 0) << imported.err;
  write("mine.json", imported.out);
  write("two.svm", "# N=4\n0:1\n1:1\n");
  const Ended reduced = call({"reduce", "two.svm", "--algorithm", "dense-ring", "--machine", "mine.json"});
  EXPECT_EQ(reduced.code, 0) << reduced.err;
  EXPECT_THAT(reduced.out, HasSubstr(" 1.40787e-05 "));  // two rounds of 7 us and 39 bytes
  expect_refused({"import", "none.out"}, {"none.out: cannot open the file"});
  write("wrong.out", "1 2 3\n");
  expect_refused({"import", "wrong.out"}, {"wrong.out: line 1: found 3 numbers, expected 11"});
}

class OverlapCommand : public CommandLine {
 protected:
  // The overlap in per cent by number of chunks, as printed.
  static std::map<int, double> overlaps(const std::string& text) {
    std::map<int, double> all;
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    std::getline(lines, line);
    while (std::getline(lines, line)) all[std::stoi(line)] = std::stod(line.substr(line.rfind(' ')));
    return all;
  }
};

// The example of experiments/README.md.
TEST_F(OverlapCommand, ShowsMoreOverlapWithMoreTests) {
  for (const std::string backend : {"loggp", "simgrid"}) {
    const Ended ended = call({"overlap", "--algorithm", "dense-rabenseifner", "--backend", backend});
    EXPECT_EQ(ended.code, 0) << ended.err;
    if (backend == "loggp") {
      EXPECT_THAT(text_of(kExperiments + "README.md"), HasSubstr(ended.out));
    }
    EXPECT_THAT(ended.out, StartsWith("# dense-rabenseifner, P=16, N=2^18, density 0.01, fp32, " + backend +
                                      ", machine deep-est\n  chunks    allreduce  computation"));
    const std::map<int, double> found = overlaps(ended.out);
    EXPECT_EQ(found.size(), 7u);
    EXPECT_LT(found.at(1), 1);
    EXPECT_GT(found.at(64), 50);
    EXPECT_LE(found.at(64), 100);
  }
}

TEST_F(OverlapCommand, TakesItsChunksAndItsWork) {
  const Ended ended = call({"overlap", "--algorithm", "sparse-ring", "--ranks", "5", "--dimension", "1000",
                            "--density", "0.1", "--chunks", "3,7", "--work", "2.5"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("P=5, N=1000, density 0.1"));
  EXPECT_THAT(overlaps(ended.out), testing::ElementsAre(testing::Key(3), testing::Key(7)));
}

TEST_F(OverlapCommand, RefusesMistakes) {
  expect_refused({"overlap", "--algorithm", "dense-rong"}, {"--algorithm", "did you mean \"dense-ring\"?"});
  expect_refused({"overlap", "--algorithm", "mpi-allreduce"}, {"cannot be started"});
  expect_refused({"overlap", "--algorithm", "dense-ring", "--density", "2"}, {"density"});
  expect_refused({"overlap", "--algorithm", "dense-ring", "--dimension", "0"}, {"dimension"});
  expect_refused({"overlap", "--algorithm", "dense-ring", "--backend", "simgird"}, {"did you mean"});
  for (const std::string chunks : {"0", "-1", "many"})
    EXPECT_EQ(call({"overlap", "--algorithm", "dense-ring", "--chunks", chunks}).code, 2);
  EXPECT_EQ(call({"overlap", "--algorithm", "dense-ring", "--work", "0"}).code, 2);
}

class List : public CommandLine {};

TEST_F(List, HasEveryAlgorithm) {
  const Ended list = call({"list", "algorithms"});
  EXPECT_EQ(list.code, 0);
  for (const std::string& name : algorithm_names()) EXPECT_THAT(list.out, HasSubstr(name + " "));
}

TEST_F(List, HasTopologiesWorkloadsAndMachines) {
  for (const auto& [what, name] : std::map<std::string, std::string>{
           {"topologies", "dragonfly"}, {"workloads", "power-law"}, {"machines", "deep-est"}}) {
    const Ended list = call({"list", what});
    EXPECT_EQ(list.code, 0);
    EXPECT_THAT(list.out, HasSubstr(name));
    EXPECT_EQ(list.err, "");
  }
}

class Validate : public CommandLine {};

TEST_F(Validate, AcceptsEveryShippedExperiment) {
  for (const auto& entry : std::filesystem::directory_iterator(kExperiments)) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "rcv1.json") continue;
    const Ended ended = call({"validate", entry.path()});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, MatchesRegex(".*json: valid, [1-9][0-9]* points\n"));
  }
}

TEST_F(Validate, AcceptsTheExperimentOfARealFileWhereItIs) {
  if (!std::filesystem::exists(SPARSEWIRE_SOURCE_DIR "/../shared/data/sparse/rcv1_small_VW.svm"))
    GTEST_SKIP() << "the data file is not beside the checkout";
  EXPECT_EQ(call({"validate", kExperiments + "rcv1.json"}).code, 0);
}

TEST_F(Validate, NamesEveryProblemOfEveryFile) {
  nlohmann::json two = small_experiment();
  two["rank"] = {4};
  two["algorithms"] = {"dense-rong"};
  const Ended ended = call({"validate", write("bad.json", two.dump()), "missing.json",
                            write("good.json", small_experiment().dump()), write("text.json", "not json")});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("did you mean \"ranks\"?"));
  EXPECT_THAT(ended.err, HasSubstr("did you mean \"dense-ring\"?"));
  EXPECT_THAT(ended.err, HasSubstr("missing.json"));
  EXPECT_THAT(ended.err, HasSubstr("text.json"));
  EXPECT_EQ(ended.out, "good.json: valid, 8 points\n");
}

TEST_F(Validate, RefusesAFolderAndAnEmptyFile) {
  expect_refused({"validate", "."}, {"cannot open the file"});
  expect_refused({"validate", write("empty.json", "")}, {"empty.json"});
}

class Report : public CommandLine {};

TEST_F(Report, RefusesAFolderWithoutResults) {
  expect_refused({"report", "."}, {"no results"});
  expect_refused({"report", "nowhere"}, {"nowhere: no results"});
  write("points.jsonl", "");
  expect_refused({"report", "."}, {"no results"});
}

TEST_F(Report, NamesALineThatIsNoResult) {
  write("points.jsonl", "{\"key\": 1}\n");
  const Ended ended = call({"report", "."});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("points.jsonl:1: "));
}

TEST_F(Report, DrawsTheSameAgain) {
  ASSERT_EQ(call({"run", write("e.json", small_experiment().dump()), "--out", "out"}).code, 0);
  const std::string csv = read("out/results.csv");
  std::filesystem::remove_all(folder() / "out/plots");
  std::filesystem::remove(folder() / "out/results.csv");
  const Ended ended = call({"report", "out"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(read("out/results.csv"), csv);
  EXPECT_TRUE(exists("out/plots/time_loggp_uniform_P3_N1000_fp32.png"));
  EXPECT_THAT(ended.out, HasSubstr("plot:    out/plots/time_loggp_uniform_P3_N1000_fp32.png"));
}

class ReduceCommand : public CommandLine {
 protected:
  // The sum of the vectors in `text`, as the first two lines of the output.
  std::string sum_of(const std::string& text, const Words& options = {}) {
    Words words = {"reduce", write("v.svm", text)};
    if (std::find(options.begin(), options.end(), "--algorithm") == options.end())
      words.insert(words.end(), {"--algorithm", "ssar-recursive-double"});
    words.insert(words.end(), options.begin(), options.end());
    const Ended ended = call(words);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    return ended.out.substr(0, ended.out.find('\n', ended.out.find('\n') + 1) + 1);
  }

  void expect_refused_input(const std::string& text, const Words& parts) {
    expect_refused({"reduce", write("bad.svm", text), "--algorithm", "dense-ring"}, parts);
  }
};

TEST_F(ReduceCommand, GivesTheSameByEveryAlgorithmOnBothSimulators) {
  const std::string text = "# N=20\n3:1 7:2.5 19:1\n\n7:0.5 3:-1\n0:4\n12:1 0:1";
  for (const std::string& algorithm : algorithm_names()) {
    if (algorithm == "mpi-allreduce") continue;
    for (const std::string backend : {"loggp", "simgrid"})
      for (const std::string precision : {"fp32", "fp64"})
        EXPECT_EQ(sum_of(text, {"--algorithm", algorithm, "--backend", backend, "--precision", precision}),
                  "# N=20\n0:5 7:3 12:1 19:1\n")
            << algorithm << " on " << backend;
  }
}

TEST_F(ReduceCommand, TakesALastLineWithoutNewline) {  // D51
  EXPECT_EQ(sum_of("# N=9\n1:1\n2:1"), sum_of("# N=9\n1:1\n2:1\n"));
  const Ended ended = call({"reduce", write("v.svm", "1:1\n2:1\n3:1"), "--algorithm", "dense-ring"});
  EXPECT_THAT(ended.out, HasSubstr("dense-ring on 3 ranks: 3 non-zeros"));
}

TEST_F(ReduceCommand, TakesEmptyLinesLabelsAndWindowsLineEnds) {
  EXPECT_EQ(sum_of("\n1:1\n\n"), "# N=2\n1:1\n");
  EXPECT_EQ(sum_of("+1 1:1\r\n-1 1:1\r\n"), "# N=2\n1:2\n");
}

TEST_F(ReduceCommand, TakesEveryCodecAndPrecision) {
  for (const std::string codec :
       {"pairs", "bitmap", "tiled-bitmap", "delta", "bit-packed", "bloom", "dense", "auto"})
    EXPECT_EQ(sum_of("1:1\n1:0.5 3:2\n", {"--codec", codec}), "# N=4\n1:1.5 3:2\n") << codec;
  for (const std::string precision : {"fp32", "fp64", "fp16", "bf16", "qsgd8", "qsgd4", "qsgd2"})
    EXPECT_EQ(sum_of("1:1\n1:0.5 3:2\n", {"--precision", precision}), "# N=4\n1:1.5 3:2\n") << precision;
}

TEST_F(ReduceCommand, TakesUnsortedAndDuplicateIndices) {
  EXPECT_EQ(sum_of("9:1 2:1 5:1\n5:1 5:2\n"), "# N=10\n2:1 5:4 9:1\n");
}

TEST_F(ReduceCommand, GuessesTheLengthWithoutN) {
  EXPECT_EQ(sum_of("4:1\n2:1\n"), "# N=5\n2:1 4:1\n");
}

TEST_F(ReduceCommand, CarriesNansAndInfinities) {
  EXPECT_EQ(sum_of("1:nan 2:inf\n1:1 3:-inf\n"), "# N=4\n1:nan 2:inf 3:-inf\n");
}

TEST_F(ReduceCommand, RefusesIndicesOutOfRange) {
  expect_refused_input("# N=10\n1:1\n-1:1\n", {"bad.svm:3:1: vector 1 (line 3): index -1 is not in [0, 10)"});
  expect_refused_input("# N=10\n1:1\n2:1 10:1\n", {"vector 1 (line 3): index 10 is not in [0, 10)"});
  expect_refused_input("# N=10\n99999999999999999999:1\n", {"index 99999999999999999999 is not in"});
}

TEST_F(ReduceCommand, RefusesWhatIsNoVector) {
  expect_refused_input("1:\n", {"bad.svm:1:1", "without a value"});
  expect_refused_input("1:x\n", {"expected a number"});
  expect_refused_input("1.5:1\n", {"expected a whole number"});
  expect_refused_input("# N=ten\n1:1\n", {"expected N= and a whole number"});
  expect_refused_input("# N=99999999999\n1:1\n", {"above 2^32"});
}

TEST_F(ReduceCommand, RefusesAFileWithoutVectors) {
  expect_refused_input("", {"bad.svm: no vectors"});
  expect_refused_input("# N=10\n", {"bad.svm: no vectors"});
  expect_refused({"reduce", "missing.svm", "--algorithm", "dense-ring"}, {"missing.svm: cannot open"});
  expect_refused({"reduce", ".", "--algorithm", "dense-ring"}, {"cannot open the file"});
}

class CollectiveCommand : public CommandLine {
 protected:
  // The lines of vectors that three ranks end with.
  std::string ends_of(const std::string& algorithm) {
    const std::string vectors = write("v.svm", "# N=6\n0:1 5:2\n0:3\n2:4\n");
    const Ended ended = call({"collective", vectors, "--algorithm", algorithm, "--root", "1"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out.substr(0, ended.out.find("# " + algorithm + " on 3 ranks\n"));
  }
};

TEST_F(CollectiveCommand, PrintsWhatTheRanksEndWith) {
  for (const std::string algorithm :
       {"reduce-scatter-direct", "reduce-scatter-ring", "reduce-scatter-halving"})
    EXPECT_EQ(ends_of(algorithm), "# N=6\n0:4\n2:4\n5:2\n") << algorithm;
  for (const std::string algorithm : {"allgather-bruck", "allgather-ring", "allgather-doubling"})
    EXPECT_EQ(ends_of(algorithm), "# N=6\n0:1 5:2\n0:3\n2:4\n") << algorithm;
  EXPECT_EQ(ends_of("reduce-binomial"), "# N=6\n0:4 2:4 5:2\n");
  for (const std::string algorithm : {"broadcast-binomial", "broadcast-scatter-allgather"})
    EXPECT_EQ(ends_of(algorithm), "# N=6\n0:3\n") << algorithm;
}

TEST_F(CollectiveCommand, ListsItsAlgorithms) {
  const Ended ended = call({"list", "collectives"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  for (const char* name : {"reduce-scatter-ring", "allgather-bruck", "reduce-binomial", "broadcast-binomial"})
    EXPECT_THAT(ended.out, HasSubstr(name));
}

TEST_F(CollectiveCommand, RefusesMistakes) {
  const std::string vectors = write("v.svm", "0:1\n0:1\n");
  expect_refused({"collective", vectors, "--algorithm", "reduce-binomal"},
                 {"did you mean \"reduce-binomial\"?"});
  expect_refused({"collective", vectors, "--algorithm", "reduce-binomial", "--root", "2"},
                 {"root is rank 2, expected a rank in [0, 2)"});
}

class ReduceOptions : public ReduceCommand {
 protected:
  void expect_refused_with(const Words& options, const Words& parts) {
    Words words = {"reduce", write("v.svm", "1:1\n2:1\n3:1\n4:1\n")};
    words.insert(words.end(), options.begin(), options.end());
    expect_refused(words, parts);
  }
  void expect_refused_topology(const std::string& topology, const Words& parts) {
    expect_refused_with({"--algorithm", "dense-ring", "--backend", "simgrid", "--topology", topology}, parts);
  }
};

TEST_F(ReduceOptions, AreCheckedWithTheNearestName) {
  expect_refused_with({"--algorithm", "dense-rnig"}, {"--algorithm: ", "did you mean \"dense-ring\"?"});
  expect_refused_with({"--algorithm", "dense-ring", "--backend", "simgird"}, {"did you mean \"simgrid\"?"});
  expect_refused_with({"--algorithm", "dense-ring", "--machine", "dant"}, {"did you mean \"daint\"?"});
  expect_refused_with({"--algorithm", "dense-ring", "--precision", "fp8"}, {"expected one of fp32, fp64"});
  expect_refused_with({"--algorithm", "dense-ring", "--codec", "bitmp"}, {"did you mean \"bitmap\"?"});
}

TEST_F(ReduceOptions, AnOperatorIsNamed) {
  const std::string vectors = write("v.svm", "# N=4\n0:1 3:5\n0:nan 3:2\n");
  const Ended ended = call({"reduce", vectors, "--algorithm", "dense-ring", "--op", "min"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("# N=4\n0:nan 3:2\n# dense-ring on 2 ranks: 2 elements of the min\n"));
  expect_refused_with({"--algorithm", "dense-ring", "--op", "mim"}, {"--op: ", "did you mean \"min\"?"});
}

TEST_F(ReduceOptions, TheLibrarysAllreduceNeedsMpi) {
  expect_refused_with({"--algorithm", "mpi-allreduce"}, {"mpi-allreduce runs over MPI only"});
}

TEST_F(ReduceOptions, BrokenMachinesAreRefused) {
  write("m.json", "{\"name\": \"m\"}");
  expect_refused_with({"--algorithm", "dense-ring", "--machine", "m.json"}, {"m.json", "L_s"});
  write("n.json", "{");
  expect_refused_with({"--algorithm", "dense-ring", "--machine", "n.json"}, {"n.json", "parse error"});
}

TEST_F(ReduceOptions, BrokenTopologiesAreRefused) {
  expect_refused_topology("toruss", {"--topology: ", "torus"});
  expect_refused_topology("torus", {"--topology: /dimensions: is missing"});
  expect_refused_topology("{\"name\": ", {"sparsewire: --topology: parse error at line 1"});
  expect_refused_topology("{\"name\": \"torus\", \"dimensions\": [0]}", {"--topology: "});
  expect_refused_topology("{\"name\": \"star\", \"name\": \"star\"}", {"found the key \"name\" again"});
  expect_refused_topology(write("t.json", "[1, 2"), {"--topology: t.json: parse error"});
  expect_refused_topology(write("l.json", "[1, 2]"), {"--topology: "});
}

TEST_F(ReduceOptions, TooFewHostsAreRefused) {
  expect_refused_topology("{\"name\": \"torus\", \"dimensions\": [3]}", {"3 hosts for 4 ranks"});
}

TEST_F(ReduceOptions, TopologiesMayComeFromAFile) {
  write("t.json", "{\"name\": \"torus\", \"dimensions\": [2, 2]}");
  EXPECT_EQ(sum_of("1:1\n2:1\n", {"--backend", "simgrid", "--topology", "t.json"}), "# N=3\n1:1 2:1\n");
}

TEST_F(ReduceOptions, AFolderOfATopologysNameIsNotTakenForIt) {
  std::filesystem::create_directory(folder() / "star");
  EXPECT_EQ(sum_of("1:1\n2:1\n", {"--backend", "simgrid"}), "# N=3\n1:1 2:1\n");
}

TEST_F(ReduceOptions, TheMachineDecidesTheTime) {
  const std::string vectors = write("v.svm", "1:1\n2:1\n");
  const auto time_on = [&](const std::string& machine) {
    return call({"reduce", vectors, "--algorithm", "dense-ring", "--machine", machine}).out;
  };
  EXPECT_NE(time_on("daint"), time_on("aws-c5n"));
}

}  // namespace
}  // namespace sparsewire
