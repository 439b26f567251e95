#include "experiments/names.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "experiments/machine_library.hpp"
#include "experiments/program_version.hpp"
#include "experiments/progress.hpp"
#include "experiments/reader.hpp"
#include "tests/experiments/example_experiment.hpp"
#include "tests/support/error_of.hpp"

namespace sparsewire {
namespace {

using test::error_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

TEST(Names, AreUniqueAndEndWithTheLibrarysAllreduce) {
  const std::vector<std::string> names = algorithm_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(names.back(), "mpi-allreduce");
  EXPECT_THAT(names, Contains("ssar-split-allgather"));
  EXPECT_THAT(backend_names(), ElementsAre("loggp", "simgrid", "mpi"));
}

TEST(Names, AreRequiredWithTheNearestOne) {
  EXPECT_NO_THROW(require_name("--backend", "mpi", backend_names()));
  EXPECT_THROW(require_name("--backend", "", backend_names()), std::invalid_argument);
  EXPECT_EQ(error_of([] { require_name("--backend", "simgird", backend_names()); }),
            "--backend: found \"simgird\", expected one of loggp, simgrid, mpi; did you mean \"simgrid\"?");
  EXPECT_EQ(error_of([] { require_name("--backend", "zzzzzzzz", backend_names()); }),
            "--backend: found \"zzzzzzzz\", expected one of loggp, simgrid, mpi");
}

TEST(MachineLibrary, HasMachinesOfUniqueNamesWithASource) {
  std::set<std::string> names;
  for (const Machine& machine : shipped_machines()) {
    EXPECT_TRUE(names.insert(machine.name).second) << machine.name;
    EXPECT_FALSE(machine.source.empty()) << machine.name;
    EXPECT_GT(machine.network.L, 0) << machine.name;
    EXPECT_GT(machine.network.G, 0) << machine.name;
    EXPECT_LT(machine.network.G, 1e-8) << machine.name;
    for (const double cost : machine.compute.seconds_per_element) EXPECT_GT(cost, 0) << machine.name;
  }
  EXPECT_GE(names.size(), 3u);
  EXPECT_THAT(names, Contains("deep-est"));
}

// Fitted tuples as their authors published them, in microseconds.
TEST(MachineLibrary, HasTheFittedTuplesAsPublished) {
  const std::string path = SPARSEWIRE_SOURCE_DIR "/../shared/data/published/logGOPS_fitted.csv";
  std::ifstream file(path);
  if (!file) GTEST_SKIP() << path << " is not there";
  const std::map<std::string, std::string> machines = {
      {"daint-same-rack", "daint"}, {"daint-other-rack", "daint-other-rack"},
      {"alps-same-rack", "alps"},   {"alps-other-rack", "alps-other-rack"},
      {"deep-est", "deep-est"},     {"azure-hc44rs", "azure-hc44rs"},
      {"azure-hbv2", "azure-hbv2"}};
  std::size_t compared = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string system = line.substr(0, line.find(','));
    const auto machine = machines.find(system);
    if (machine == machines.end()) continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line.substr(system.size()));
    double L = 0, o = 0, g = 0, G = 0;
    std::uint64_t S = 0;
    ASSERT_TRUE(fields >> L >> o >> g >> G >> S) << line;
    const LogGP network = find_machine(machine->second).network;
    EXPECT_DOUBLE_EQ(network.L, L * 1e-6) << system;
    EXPECT_DOUBLE_EQ(network.o, o * 1e-6) << system;
    EXPECT_DOUBLE_EQ(network.g, g * 1e-6) << system;
    EXPECT_DOUBLE_EQ(network.G, G * 1e-6) << system;
    EXPECT_EQ(network.S, S) << system;
    ++compared;
  }
  EXPECT_EQ(compared, machines.size());
}

TEST(MachineLibrary, FindsByNameAndByFile) {
  EXPECT_EQ(find_machine("daint").name, "daint");
  const std::string file = SPARSEWIRE_SOURCE_DIR "/experiments/machines/daint.json";
  EXPECT_EQ(find_machine(file).network.G, find_machine("daint").network.G);
}

TEST(MachineLibrary, SuggestsTheNearestName) {
  const std::string error = error_of([] { find_machine("dain"); });
  EXPECT_THAT(error, HasSubstr("expected a file or one of"));
  EXPECT_THAT(error, HasSubstr("did you mean \"daint\"?"));
  EXPECT_THROW(find_machine("dain"), std::invalid_argument);
  EXPECT_THROW(find_machine(SPARSEWIRE_SOURCE_DIR), std::invalid_argument);  // a folder
  EXPECT_THROW(find_machine(SPARSEWIRE_SOURCE_DIR "/experiments/quickstart.json"), ExperimentError);
}

TEST(WorkloadKinds, HaveALineEach) {
  std::vector<std::string_view> names;
  for (const auto& [name, summary] : workload_kinds()) {
    names.push_back(name);
    EXPECT_FALSE(summary.empty());
  }
  EXPECT_THAT(names, ElementsAre("uniform", "overlap", "power-law", "clustered", "libsvm"));
}

TEST(ProgramVersion, IsTheSameEachTimeAndNamesTheRevision) {
  EXPECT_THAT(program_version(),
              MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+\\+([0-9a-f]{12}|[0-9a-f]{12}-dirty\\.[0-9a-f]{8}|"
                           "unknown\\.[0-9a-f]{8})"));
  EXPECT_EQ(program_version(), program_version());
}

TEST(RunContext, SaysWhatWasTrueOfTheRun) {
  Experiment e = test::example_experiment();
  e.seed = 17;
  e.file = "some/file.json";
  const RunContext context = context_of(e);
  EXPECT_EQ(context.seed, 17u);
  EXPECT_EQ(context.experiment_file, "some/file.json");
  EXPECT_EQ(context.program_version, program_version());
  EXPECT_EQ(context.host, host_name());
  EXPECT_FALSE(context.host.empty());
  EXPECT_FALSE(context.compiler.empty());
  EXPECT_THAT(context.simgrid_version, MatchesRegex("3\\.[0-9.]+"));
  EXPECT_THAT(context.date,
              MatchesRegex("20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z"));
  EXPECT_EQ(context.mpi_version, "");
  EXPECT_EQ(context.machine.at("name"), "cluster");
  EXPECT_EQ(std::stod(context.machine.at("L_s")), e.machine.network.L);
  EXPECT_EQ(std::stod(context.machine.at("merge_s_per_element")), e.machine.compute[WorkKind::merge]);
}

// What a progress of `total` points writes to a file while `act` is done with it.
template <class Act>
std::string progress_text(std::size_t total, const Act& act) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  Progress progress("sweep", total, file.get());
  act(progress);
  std::string text(static_cast<std::size_t>(std::ftell(file.get())), '\0');
  std::rewind(file.get());
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

TEST(Progress, WritesPlainLinesToAFile) {
  const std::string text = progress_text(3, [](Progress& progress) {
    for (int i = 0; i < 3; ++i) progress.step();
    EXPECT_EQ(progress.done(), 3u);
    progress.finish();
  });
  EXPECT_THAT(text, MatchesRegex("sweep: 3/3 points in [0-9.]+ s\n"));
}

// The same on a terminal of that many columns.
template <class Act>
std::string terminal_text(unsigned short columns, const std::string& label, const Act& act) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return "no terminal";
  const winsize size{24, columns, 0, 0};
  ioctl(terminal, TIOCSWINSZ, &size);
  {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(ptsname(terminal), "w"),
                                                               std::fclose);
    Progress progress(label, 3, file.get());
    act(progress);
  }
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(terminal, text.data(), text.size()))));
  close(terminal);
  return text;
}

TEST(Progress, RedrawsOneLineOnATerminal) {
  const auto act = [](Progress& progress) {
    progress.step();
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    progress.step();
    progress.step();
    progress.finish();
  };
  const int probe = posix_openpt(O_RDWR | O_NOCTTY);
  if (probe < 0) GTEST_SKIP() << "this system gives no pseudo-terminals";
  close(probe);
  const std::string start = "\r\033\\[K", left = ", [0-9.]+ points/s, [0-9]+ s left";
  EXPECT_THAT(terminal_text(80, "sweep", act), MatchesRegex(".*" + start + "sweep: 2/3 points" + left +
                                                            start + "sweep: 3/3 points in [0-9.]+ s\r\n"));
  EXPECT_THAT(terminal_text(60, std::string(50, 'x'), act),
              MatchesRegex(".*" + start + "x{9}\\.\\.\\.: 2/3 points" + left + start +
                           "x{9}\\.\\.\\.: 3/3 points in [0-9.]+ s\r\n"));
}

TEST(Progress, SaysWhereItStopped) {
  const std::string text = progress_text(3, [](Progress& progress) {
    progress.step();
    progress.finish();
  });
  EXPECT_THAT(text, MatchesRegex("sweep: 1/3 points in [0-9.]+ s\n"));
  EXPECT_THAT(progress_text(0, [](Progress& progress) { progress.finish(); }),
              MatchesRegex("sweep: 0/0 points in [0-9.]+ s\n"));
}

}  // namespace
}  // namespace sparsewire
