#include "experiments/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "experiments/names.hpp"
#include "experiments/schema.hpp"
#include "experiments/workload.hpp"

namespace sparsewire {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

const char* const kGood = R"({
  "schema_version": 1, "name": "test",
  "machine": {"name": "m", "L_s": 1e-6, "o_s": 2e-7, "g_s": 0, "G_s_per_byte": 1e-10,
              "compute": {"merge_s_per_element": 1e-9, "scatter_add_s_per_element": 2e-9,
                          "dense_add_s_per_element": 3e-9, "fill_s_per_element": 4e-9, "scan_s_per_element": 5e-9}},
  "backends": ["loggp"], "algorithms": ["dense-ring"],
  "ranks": [2, 4], "dimension": [1000], "density": [0.1]
})";

// A folder of its own for the files of a test.
class Reader : public testing::Test {
 protected:
  Reader() : folder_(fs::path(testing::TempDir()) / ("reader_test_" + test_name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Reader() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  Experiment read(const json& document) const { return read_experiment(write("e.json", document.dump())); }

  std::string error_of(const std::string& text) const {
    const auto file = write("e.json", text);
    try {
      read_experiment(file);
    } catch (const ExperimentError& error) {
      return error.what();
    }
    return "no error";
  }

  std::string at(const std::string& pointer) const {
    return (folder_ / "e.json").string() + ": " + pointer + (pointer.empty() ? "" : ": ");
  }

  fs::path folder_;

 private:
  static std::string test_name() {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(name, '/', '_');
    return name;
  }
};

TEST_F(Reader, FillsInDefaults) {
  const Experiment e = read(json::parse(kGood));
  EXPECT_EQ(e.name, "test");
  EXPECT_EQ(e.description, "");
  EXPECT_EQ(e.schema_version, 1);
  EXPECT_EQ(e.machine.network.L, 1e-6);
  EXPECT_EQ(e.machine.network.S, 0u);
  EXPECT_TRUE(e.machine.network.serial_receiver);
  EXPECT_EQ(e.machine.compute[WorkKind::merge], 1e-9);
  EXPECT_EQ(e.machine.compute[WorkKind::scatter_add], 2e-9);
  EXPECT_EQ(e.machine.compute[WorkKind::dense_add], 3e-9);
  EXPECT_EQ(e.machine.compute[WorkKind::fill], 4e-9);
  EXPECT_EQ(e.machine.compute[WorkKind::scan], 5e-9);
  EXPECT_DOUBLE_EQ(e.machine.compute[WorkKind::select], 35e-9);     // absent: seven scans
  EXPECT_DOUBLE_EQ(e.machine.compute[WorkKind::encode], 7 * 5e-9);  // as it is absent
  EXPECT_DOUBLE_EQ(e.machine.compute[WorkKind::decode], 5 * 5e-9);
  EXPECT_EQ(e.topology.name, "star");
  EXPECT_EQ(sharing_of(e.topology), Sharing::shared);
  EXPECT_THAT(e.ranks, ElementsAre(2, 4));
  EXPECT_THAT(e.dimensions, ElementsAre(1000u));
  EXPECT_THAT(e.densities, ElementsAre(0.1));
  ASSERT_EQ(e.workloads.size(), 1u);
  EXPECT_EQ(e.workloads[0].label, "uniform");
  EXPECT_TRUE(std::holds_alternative<Uniform>(e.workloads[0].kind));
  EXPECT_THAT(e.precisions, ElementsAre("fp32"));
  EXPECT_THAT(e.codecs, ElementsAre("pairs"));
  EXPECT_EQ(e.repetitions, 10u);
  EXPECT_EQ(e.warm_ups, 2u);
  EXPECT_EQ(e.seed, 1u);
  EXPECT_EQ(e.file, folder_ / "e.json");
}

TEST_F(Reader, ExpandsAllAndLossy) {
  json document = json::parse(kGood);
  document["algorithms"] = "lossy";
  EXPECT_EQ(read(document).algorithms, lossy_names());
  document["algorithms"] = {"gtopk(keep=0.5)", "gtopk", "lossy", "dense-ring"};
  const std::vector<std::string> algorithms = read(document).algorithms;
  EXPECT_EQ(algorithms.size(), 2 + lossy_names().size());
  EXPECT_EQ(algorithms.front(), "gtopk(keep=0.5)");
  EXPECT_EQ(algorithms.back(), "dense-ring");
}

TEST_F(Reader, TakesEveryKey) {
  json document = json::parse(kGood);
  document["description"] = "d";
  document["machine"]["rendezvous_threshold_bytes"] = 4096;
  document["machine"]["serial_receiver"] = false;
  document["machine"]["source"] = "s";
  document["topology"] = {{"name", "torus"}, {"sharing", "unshared"}, {"dimensions", {2, 2}}};
  document["algorithms"] = "all";
  document["backends"] = {"mpi", "simgrid"};
  document["precision"] = {"fp64", "fp32"};
  document["codec"] = {"auto", "bitmap"};
  document["repetitions"] = 3;
  document["warm_ups"] = 0;
  document["seed"] = 99;
  document["workloads"] =
      json::parse(R"([{"kind": "overlap", "fraction": 0.5}, {"kind": "power-law", "exponent": 1},
      {"kind": "clustered", "run_length": 8}, {"kind": "uniform", "label": "random"}])");
  const Experiment e = read(document);
  EXPECT_EQ(e.description, "d");
  EXPECT_EQ(e.machine.network.S, 4096u);
  EXPECT_FALSE(e.machine.network.serial_receiver);
  EXPECT_EQ(e.machine.source, "s");
  EXPECT_EQ(std::get<TorusSpec>(e.topology.spec).dimensions, (std::vector<unsigned>{2, 2}));
  EXPECT_EQ(sharing_of(e.topology), Sharing::unshared);
  EXPECT_EQ(e.algorithms, algorithm_names());
  EXPECT_THAT(e.backends, ElementsAre("mpi", "simgrid"));
  EXPECT_THAT(e.precisions, ElementsAre("fp64", "fp32"));
  EXPECT_THAT(e.codecs, ElementsAre("auto", "bitmap"));
  EXPECT_EQ(e.repetitions, 3u);
  EXPECT_EQ(e.warm_ups, 0u);
  EXPECT_EQ(e.seed, 99u);
  ASSERT_EQ(e.workloads.size(), 4u);
  EXPECT_EQ(e.workloads[0].label, "overlap-0.5");
  EXPECT_EQ(std::get<Overlap>(e.workloads[0].kind).fraction, 0.5);
  EXPECT_EQ(e.workloads[1].label, "power-law-1");
  EXPECT_EQ(std::get<PowerLaw>(e.workloads[1].kind).exponent, 1);
  EXPECT_EQ(e.workloads[2].label, "clustered-8");
  EXPECT_EQ(std::get<Clustered>(e.workloads[2].kind).run_length, 8u);
  EXPECT_EQ(e.workloads[3].label, "random");
}

TEST_F(Reader, ExpandsRanges) {
  json document = json::parse(kGood);
  document["ranks"] = {{"from", 2}, {"to", 64}, {"points", 6}, {"scale", "log"}};
  document["dimension"] = json::parse(R"({"from": 1, "to": 3, "points": 9, "scale": "linear"})");
  document["density"] = {{"from", 1e-4}, {"to", 0.7}, {"points", 3}, {"scale", "log"}};
  const Experiment e = read(document);
  EXPECT_THAT(e.ranks, ElementsAre(2, 4, 8, 16, 32, 64));
  EXPECT_THAT(e.dimensions, ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(e.densities, ElementsAre(1e-4, testing::DoubleNear(std::sqrt(7e-5), 1e-12), 0.7));
}

TEST_F(Reader, ExpandsARangeOfOneValue) {
  json document = json::parse(kGood);
  document["density"] = {{"from", 0}, {"to", 0}, {"points", 1}, {"scale", "linear"}};
  document["ranks"] = {{"from", 7}, {"to", 7}, {"points", 5}, {"scale", "log"}};
  const Experiment e = read(document);
  EXPECT_THAT(e.densities, ElementsAre(0));
  EXPECT_THAT(e.ranks, ElementsAre(7));
}

TEST_F(Reader, AcceptsWholeNumbersInScientificNotation) {
  std::string text = kGood;
  text.replace(text.find("[1000]"), 6, "[1e6, 4294967296]");
  EXPECT_THAT(read_experiment(write("e.json", text)).dimensions,
              ElementsAre(1000000u, std::uint64_t{1} << 32));
}

TEST_F(Reader, FindsFilesBesideTheFileThatNamesThem) {
  json document = json::parse(kGood);
  fs::create_directories(folder_ / "sub");
  json machine = document["machine"];
  machine["name"] = "from a file";
  write("sub/m.json", machine.dump());
  write("sub/data.svm", "0:1\n");
  document["machine"] = {{"file", "sub/m.json"}};
  document["workloads"] = json::parse(R"([{"kind": "libsvm", "file": "sub/data.svm", "batch": [1, 8]},
                                          {"kind": "libsvm", "file": "sub/data.svm", "label": "x"}])");
  document.erase("dimension");
  document.erase("density");
  const Experiment e = read(document);
  EXPECT_EQ(e.machine.name, "from a file");
  ASSERT_EQ(e.workloads.size(), 3u);
  EXPECT_EQ(e.workloads[0].label, "data");
  EXPECT_EQ(e.workloads[1].label, "data");
  EXPECT_EQ(std::get<SvmlightFile>(e.workloads[1].kind).batch, 8u);
  EXPECT_TRUE(fs::equivalent(std::get<SvmlightFile>(e.workloads[1].kind).path, folder_ / "sub/data.svm"));
  EXPECT_EQ(e.workloads[2].label, "x");
  EXPECT_TRUE(e.dimensions.empty());
  EXPECT_EQ(read_machine(folder_ / "sub/m.json").name, "from a file");
}

// A good experiment with the value at `place` replaced, or removed if `value` is null, and what the one line
// of the error says: it starts with the file and `pointer`, and has `words`.
struct BadCase {
  const char* name;
  const char* place;
  const char* value;
  const char* pointer;
  std::vector<const char*> words;
};

const std::vector<BadCase> kBadCases = {
    {"unknown_key",
     "/rank",
     "[1]",
     "/rank",
     {"unknown key \"rank\"", "expected one of", "did you mean \"ranks\"?"}},
    {"unknown_key_deep", "/machine/l_s", "1", "/machine/l_s", {"unknown key", "did you mean \"L_s\"?"}},
    {"unknown_key_deeper",
     "/machine/compute/merge",
     "1",
     "/machine/compute/merge",
     {"\"merge_s_per_element\"?"}},
    {"unknown_key_in_workload",
     "/workloads",
     R"([{"kind": "overlap", "fraction": 1, "fractions": 1}])",
     "/workloads/0/fractions",
     {"unknown key", "\"fraction\"?"}},
    {"unknown_key_in_axis",
     "/ranks",
     R"({"from": 1, "to": 2, "points": 2, "scale": "log", "steps": 1})",
     "/ranks/steps",
     {"unknown key"}},
    {"unknown_key_in_topology",
     "/topology",
     R"({"name": "star", "shared": "x"})",
     "/topology/shared",
     {"\"sharing\""}},
    {"parameter_of_another_workload",
     "/workloads",
     R"([{"kind": "uniform", "fraction": 0.5}])",
     "/workloads/0/fraction",
     {"unknown key"}},
    {"missing_name", "/name", nullptr, "", {"missing key \"name\"", "expected a string that is not empty"}},
    {"missing_ranks", "/ranks", nullptr, "", {"missing key \"ranks\"", "expected a list"}},
    {"missing_dimension", "/dimension", nullptr, "", {"missing key \"dimension\""}},
    {"missing_density", "/density", nullptr, "", {"missing key \"density\""}},
    {"missing_in_machine",
     "/machine/L_s",
     nullptr,
     "/machine",
     {"missing key \"L_s\"", "a number of at least 0"}},
    {"missing_in_compute",
     "/machine/compute/scan_s_per_element",
     nullptr,
     "/machine/compute",
     {"missing key"}},
    {"missing_fraction",
     "/workloads",
     R"([{"kind": "overlap"}])",
     "/workloads/0",
     {"missing key \"fraction\""}},
    {"missing_kind", "/workloads", "[{}]", "/workloads/0", {"missing key \"kind\"", "\"power-law\""}},
    {"missing_in_axis", "/ranks", R"({"from": 1, "to": 2, "points": 2})", "/ranks", {"\"scale\"", "\"log\""}},
    {"later_version", "/schema_version", "2", "/schema_version", {"found 2", "expected 1"}},
    {"empty_name", "/name", "\"\"", "/name", {"found \"\""}},
    {"number_for_name", "/name", "3", "/name", {"found 3", "expected a string"}},
    {"string_for_list", "/backends", "\"loggp\"", "/backends", {"found \"loggp\"", "expected a list"}},
    {"string_for_number", "/machine/L_s", "\"1us\"", "/machine/L_s", {"found \"1us\"", "expected a number"}},
    {"number_for_flag",
     "/machine/serial_receiver",
     "1",
     "/machine/serial_receiver",
     {"found 1", "true or false"}},
    {"number_for_axis",
     "/ranks",
     "4",
     "/ranks",
     {"found 4", "expected a list with at least one item or an object"}},
    {"fraction_of_a_rank", "/ranks", "[2.5]", "/ranks/0", {"found 2.5", "expected an integer"}},
    {"zero_ranks", "/ranks", "[4, 0]", "/ranks/1", {"found 0", "expected an integer of at least 1"}},
    {"negative_ranks", "/ranks", "[-4]", "/ranks/0", {"found -4"}},
    {"zero_dimension", "/dimension", "[0]", "/dimension/0", {"found 0"}},
    {"long_dimension",
     "/dimension",
     "[4294967297]",
     "/dimension/0",
     {"found 4294967297", "at most 4294967296"}},
    {"density_above_one", "/density", "[0.5, 1.5]", "/density/1", {"found 1.5", "at most 1"}},
    {"negative_density", "/density", "[-0.5]", "/density/0", {"found -0.5", "at least 0"}},
    {"negative_time", "/machine/g_s", "-1e-6", "/machine/g_s", {"found -1e-06", "at least 0"}},
    {"negative_compute",
     "/machine/compute/fill_s_per_element",
     "-1",
     "/machine/compute/fill_s_per_element",
     {"-1"}},
    {"empty_ranks", "/ranks", "[]", "/ranks", {"found an empty list"}},
    {"empty_backends", "/backends", "[]", "/backends", {"found an empty list", "at least one item"}},
    {"empty_workloads", "/workloads", "[]", "/workloads", {"found an empty list"}},
    {"reversed_range",
     "/density",
     R"({"from": 0.5, "to": 0.1, "points": 3, "scale": "linear"})",
     "/density/from",
     {"found 0.5", "at most \"to\", 0.1"}},
    {"log_of_zero",
     "/density",
     R"({"from": 0, "to": 0.1, "points": 3, "scale": "log"})",
     "/density/from",
     {"found 0", "above 0 for a log scale"}},
    {"one_point_of_many",
     "/ranks",
     R"({"from": 2, "to": 8, "points": 1, "scale": "log"})",
     "/ranks/points",
     {"found 1", "at least 2"}},
    {"no_points",
     "/ranks",
     R"({"from": 2, "to": 8, "points": 0, "scale": "log"})",
     "/ranks/points",
     {"found 0"}},
    {"unknown_scale",
     "/ranks",
     R"({"from": 2, "to": 8, "points": 3, "scale": "lin"})",
     "/ranks/scale",
     {"found \"lin\"", "did you mean \"linear\"?"}},
    {"unknown_algorithm",
     "/algorithms",
     R"(["dense-ring", "dense_rabenseifner"])",
     "/algorithms/1",
     {"found \"dense_rabenseifner\"", "expected one of", "did you mean \"dense-rabenseifner\"?"}},
    {"any_for_all", "/algorithms", "\"any\"", "/algorithms", {"found \"any\"", "expected one of \"all\""}},
    {"unknown_backend",
     "/backends",
     R"(["simgird"])",
     "/backends/0",
     {"found \"simgird\"", "mean \"simgrid\"?"}},
    {"unknown_precision",
     "/precision",
     R"(["fp8"])",
     "/precision/0",
     {"found \"fp8\"", "\"fp32\", \"fp64\""}},
    {"unknown_codec", "/codec", R"(["bitmp"])", "/codec/0", {"found \"bitmp\"", "mean \"bitmap\"?"}},
    {"unknown_workload",
     "/workloads",
     R"([{"kind": "unifrom"}])",
     "/workloads/0/kind",
     {"mean \"uniform\"?"}},
    {"unknown_topology", "/topology", R"({"name": "fattree"})", "/topology/name", {"mean \"fat-tree\"?"}},
    {"duplicate_rank", "/ranks", "[4, 8, 4]", "/ranks/2", {"found 4 again", "no duplicate of /ranks/0"}},
    {"duplicate_algorithm", "/algorithms", R"(["sparse-ring", "sparse-ring"])", "/algorithms/1", {"again"}},
    {"duplicate_backend", "/backends", R"(["mpi", "mpi"])", "/backends/1", {"found \"mpi\" again"}},
    {"duplicate_workload",
     "/workloads",
     R"([{"kind": "uniform"}, {"kind": "uniform"}])",
     "/workloads/1",
     {"again", "/workloads/0"}},
    {"duplicate_label",
     "/workloads",
     R"([{"kind": "overlap", "fraction": 0, "label": "a"}, {"kind": "uniform", "label": "a"}])",
     "/workloads/1",
     {"found the label \"a\" again"}},
    {"large_fraction",
     "/workloads",
     R"([{"kind": "overlap", "fraction": 1.5}])",
     "/workloads/0/fraction",
     {"found 1.5", "at most 1"}},
    {"zero_exponent",
     "/workloads",
     R"([{"kind": "power-law", "exponent": 0}])",
     "/workloads/0/exponent",
     {"found 0", "above 0"}},
    {"zero_run",
     "/workloads",
     R"([{"kind": "clustered", "run_length": 0}])",
     "/workloads/0/run_length",
     {"found 0"}},
    {"zero_batch",
     "/workloads",
     R"([{"kind": "libsvm", "file": "x", "batch": [8, 0]}])",
     "/workloads/0/batch/1",
     {"found 0"}},
    {"missing_data",
     "/workloads",
     R"([{"kind": "libsvm", "file": "none.svm"}])",
     "/workloads/0/file",
     {"found \"none.svm\"", "none.svm"}},
    {"missing_machine",
     "/machine",
     R"({"file": "none.json"})",
     "/machine/file",
     {"found \"none.json\"", "there is none at"}},
    {"zero_bandwidth",
     "/topology",
     R"({"name": "star", "link_bandwidth_bytes_per_s": 0})",
     "/topology/link_bandwidth_bytes_per_s",
     {"found 0", "above 0"}},
    {"unequal_levels",
     "/topology",
     R"({"name": "fat-tree", "down": [2, 2], "up": [1], "parallel": [1, 1]})",
     "/topology/up",
     {}},
    {"unknown_vertex",
     "/topology",
     R"({"name": "graph", "hosts": ["a", "b"], "switches": ["sw0"], "edges": [{"a": "a", "b": "sw1"}]})",
     "/topology/edges/0/b",
     {"sw1", "sw0"}},
    {"missing_graph",
     "/topology",
     R"({"name": "graph", "file": "none.json"})",
     "/topology/file",
     {"none.json"}},
    {"no_repetitions", "/repetitions", "0", "/repetitions", {"found 0"}},
    {"negative_seed", "/seed", "-1", "/seed", {"found -1"}},
    {"null", "/seed", "null", "/seed", {"found null", "expected an integer"}},
};

class BadExperiment : public Reader, public testing::WithParamInterface<BadCase> {};

TEST_P(BadExperiment, IsRefusedInOneLine) {
  const BadCase& bad = GetParam();
  json document = json::parse(kGood);
  if (bad.value != nullptr)
    document[json::json_pointer(bad.place)] = json::parse(bad.value);
  else
    document = document.patch({{{"op", "remove"}, {"path", bad.place}}});
  const std::string error = error_of(document.dump());
  EXPECT_THAT(error, StartsWith(at(bad.pointer)));
  EXPECT_THAT(error, testing::Not(HasSubstr("\n")));
  for (const char* words : bad.words) EXPECT_THAT(error, HasSubstr(words));
}

INSTANTIATE_TEST_SUITE_P(Cases, BadExperiment, testing::ValuesIn(kBadCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(Reader, ReportsAllProblemsTogether) {
  json document = json::parse(kGood);
  document["ranks"] = {0};
  document["machine"]["L_s"] = -1;
  document["algorithms"] = {"dens-ring"};
  document["nonsense"] = 1;
  document["density"] = {{"from", 1}, {"to", 0.5}, {"points", 2}, {"scale", "log"}};
  document.erase("dimension");
  const std::string error = error_of(document.dump());
  EXPECT_EQ(std::ranges::count(error, '\n'), 5);
  for (const char* pointer : {"/ranks/0", "/machine/L_s", "/algorithms/0", "/nonsense", "/density/from"})
    EXPECT_THAT(error, HasSubstr(at(pointer)));
  EXPECT_THAT(error, HasSubstr(at("") + "missing key \"dimension\""));
}

TEST_F(Reader, RefusesDuplicateKeys) {
  std::string text = kGood;
  text.replace(text.find("\"o_s\""), 5, "\"L_s\": 2, \"o_s\"");
  EXPECT_EQ(error_of(text), at("/machine/L_s") + "found the key \"L_s\" again, expected it once");
}

TEST_F(Reader, NamesThePlaceOfASyntaxError) {
  EXPECT_THAT(error_of("{\n\"name\": }"), StartsWith(at("") + "parse error at line 2, column 9"));
  EXPECT_THAT(error_of("{ // comment\n}"), HasSubstr("comments are not accepted"));
  EXPECT_THAT(error_of(""), StartsWith(at("") + "parse error at line 1, column 1"));
  EXPECT_THAT(error_of("{\"density\": [NaN]}"), HasSubstr("parse error at line 1"));
}

TEST_F(Reader, RefusesADocumentThatIsNoObject) {
  EXPECT_EQ(error_of("[1]"), at("") + "found a list of 1, expected an object");
  EXPECT_EQ(error_of("null"), at("") + "found null, expected an object");
}

TEST_F(Reader, NamesAnExperimentThatIsMissing) {
  EXPECT_THAT(
      [&] { read_experiment(folder_ / "none.json"); },
      testing::ThrowsMessage<ExperimentError>((folder_ / "none.json").string() + ": cannot open the file"));
  EXPECT_THAT([&] { read_experiment(folder_); },
              testing::ThrowsMessage<ExperimentError>(HasSubstr("cannot open the file")));
}

TEST_F(Reader, NamesTheMachineFileThatIsWrong) {
  json document = json::parse(kGood);
  json machine = document["machine"];
  machine["o_s"] = "slow";
  machine["compute"].erase("fill_s_per_element");
  const std::string file = write("m.json", machine.dump()).string();
  document["machine"] = {{"file", "m.json"}};
  document["ranks"] = json::array();
  const std::string error = error_of(document.dump());
  EXPECT_THAT(error, HasSubstr(file + ": /o_s: found \"slow\", expected a number of at least 0"));
  EXPECT_THAT(error, HasSubstr(file + ": /compute: missing key \"fill_s_per_element\""));
  EXPECT_THAT(error, HasSubstr(at("/ranks") + "found an empty list"));
  EXPECT_THROW(read_machine(file), ExperimentError);
  write("m.json", "{");
  EXPECT_THAT(error_of(document.dump()), HasSubstr(file + ": parse error at line 1"));
}

TEST_F(Reader, NamesTheGraphFileThatIsWrong) {
  json document = json::parse(kGood);
  const std::string file =
      write("g.json", R"({"hosts": ["a", "b"], "switches": [], "edges": [{"a": "a", "b": "c"}]})").string();
  document["topology"] = {{"name", "graph"}, {"file", "g.json"}};
  EXPECT_THAT(error_of(document.dump()), StartsWith(file + ": /edges/0/b"));
}

TEST(Schema, IsTheFileInTheSource) {
  std::ifstream input(fs::path(SPARSEWIRE_SOURCE_DIR) / "experiments/schema/experiment.schema.json");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(input), {}), experiment_schema());
  EXPECT_EQ(json::parse(experiment_schema()).at("$id"), "urn:sparsewire:experiment:1");
}

// Every key of an experiment, and every key whose name does not say it, has a description.
TEST(Schema, DescribesEveryKeyOfAnExperiment) {
  for (const auto& [key, property] : json::parse(experiment_schema()).at("properties").items())
    EXPECT_TRUE(property.contains("description")) << key;
}

std::vector<fs::path> shipped(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(SPARSEWIRE_SOURCE_DIR) / folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

TEST(Shipped, ExperimentsAreValid) {
  const auto files = shipped("experiments");
  EXPECT_GE(files.size(), 4u);
  const bool has_data =
      fs::exists(fs::path(SPARSEWIRE_SOURCE_DIR) / "../shared/data/sparse/rcv1_small_VW.svm");
  for (const auto& file : files) {
    if (file.stem() == "rcv1" && !has_data) continue;
    EXPECT_NO_THROW(EXPECT_EQ(read_experiment(file).name, file.stem())) << file;
  }
}

TEST(Shipped, MachinesAreValidAndPlausible) {
  const auto files = shipped("experiments/machines");
  EXPECT_EQ(files.size(), 16u);
  for (const auto& file : files) {
    const Machine machine = read_machine(file);
    EXPECT_EQ(machine.name, file.stem());
    EXPECT_FALSE(machine.source.empty());
    EXPECT_GT(machine.network.L + 2 * machine.network.o, 0.3e-6) << file;
    EXPECT_LT(machine.network.L + 2 * machine.network.o, 40e-6) << file;
    EXPECT_GT(1 / machine.network.G, 0.1e9) << file;  // 1 Gbit/s Ethernet
    EXPECT_LT(1 / machine.network.G, 60e9) << file;   // 400 Gbit/s
    EXPECT_GT(machine.compute[WorkKind::merge], machine.compute[WorkKind::dense_add]) << file;
  }
}

TEST(Shipped, DataHaveEnoughRowsForTheirExperiments) {
  const auto file = fs::path(SPARSEWIRE_SOURCE_DIR) / "experiments/rcv1.json";
  if (!fs::exists(fs::path(SPARSEWIRE_SOURCE_DIR) / "../shared/data/sparse/rcv1_small_VW.svm"))
    GTEST_SKIP() << "the RCV1 data are not there";
  const Experiment experiment = read_experiment(file);
  // a curve needs several densities; the largest batches are for few ranks
  const SvmlightData data = read_svmlight(std::get<SvmlightFile>(experiment.workloads[0].kind).path, {});
  for (const std::int64_t ranks : experiment.ranks) {
    const auto fits = [&](const Workload& workload) {
      const auto* rows = std::get_if<SvmlightFile>(&workload.kind);
      return rows != nullptr && static_cast<std::size_t>(ranks) * rows->batch <= data.rows.size();
    };
    EXPECT_GE(std::ranges::count_if(experiment.workloads, fits), 5) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace sparsewire
