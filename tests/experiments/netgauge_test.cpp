#include "experiments/netgauge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "experiments/machine_library.hpp"
#include "experiments/reader.hpp"
#include "tests/support/error_of.hpp"

namespace sparsewire {
namespace {

using test::error_of;
using testing::HasSubstr;

const std::filesystem::path kTables = SPARSEWIRE_SOURCE_DIR "/../shared/data/netgauge";

LogGP network_of(const std::string& text) {
  return loggp_of(read_netgauge(text, "table"), "table");
}

LogGP network_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  return network_of({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

// L = 5 us, o = 1 us, g = 2 us, G = 0.001 us/byte, with the oddities of real tables.
constexpr const char* kTable =
    "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)\n"
    "1 10 14 32 150 7 1.25 0.75 -nan -nan -nan\n"
    "10001 10 34 142 400 7 9 9 -2 -0.001 0.1\n"
    "20001 10 54 252 700 7 9 9 2 0.001 0.1\n"
    "20001 10 54 9999 700 7 9 9 7 0.7 0.7\n";

TEST(Netgauge, GivesTheParametersOfATable) {
  const LogGP network = network_of(kTable);
  EXPECT_DOUBLE_EQ(network.L, 5e-6);
  EXPECT_DOUBLE_EQ(network.o, 1e-6);
  EXPECT_DOUBLE_EQ(network.g, 2e-6);
  EXPECT_DOUBLE_EQ(network.G, 1e-9);
  EXPECT_EQ(network.S, 0u);
}

TEST(Netgauge, RefusesWhatIsNoTable) {
  const auto error = [](const std::string& text) { return error_of([&] { network_of(text); }); };
  EXPECT_EQ(error(""), "table: found 0 sizes, expected at least 2 rows of a Netgauge LogGP table");
  EXPECT_EQ(error("# a\n1 2 3\n"), "table: line 2: found 3 numbers, expected 11");
  EXPECT_EQ(error("1 10 x 1 1 1 1 1 1 1 1"), "table: line 1: found \"x\", expected a number");
  EXPECT_THAT(error("-1 10 1 1 1 1 1 1 1 1 1"), HasSubstr("line 1: size is -1, expected"));
  EXPECT_THAT(error("1 1 1 1 1 1 1 1 1 1 1"), HasSubstr("line 1: n is 1, expected"));
  EXPECT_THAT(error("1 10 nan 1 1 1 1 1 1 1 1"), HasSubstr("line 1: a PRTT is nan, expected"));
  EXPECT_THAT(error("1 10 1 3 9 1 0 0 1 1 1\n2 10 1 2 9 1 0 0 1 1 1\n"), HasSubstr("expected G above 0"));
}

TEST(Netgauge, OverheadsThatOverlapTheNetworkLeaveTheTimeOfAMessage) {
  const LogGP network = network_of("1 10 4 9 9 2 5 3 0 0 0\n2 10 4 10 9 2 5 3 0 0 0\n");
  EXPECT_DOUBLE_EQ(network.o, 1e-6);
  EXPECT_DOUBLE_EQ(network.L, 0);
}

TEST(Netgauge, MachinesAreReadBackAsWritten) {
  Machine machine = find_machine("deep-est");
  machine.network = network_of(kTable);
  const Machine read = machine_from_text(json_of(machine), "written");
  EXPECT_EQ(read.network.L, machine.network.L);
  EXPECT_EQ(read.network.G, machine.network.G);
  EXPECT_EQ(read.source, machine.source);
  EXPECT_EQ(read.compute.seconds_per_element, machine.compute.seconds_per_element);
}

TEST(Netgauge, ReproducesTheShippedMachinesMadeOfTables) {
  if (!std::filesystem::exists(kTables)) GTEST_SKIP() << kTables << " is not there";
  for (const auto& [file, name] :
       {std::pair("aws_c5n.metal_cluster_2022_03_22_21_54_00_ng_loggp.out", "aws-c5n"),
        std::pair("gcp_2022_06_08_17_01_09_ng_loggp.out", "gcp-c2")}) {
    const LogGP read = network_in(kTables / file), shipped = find_machine(name).network;
    EXPECT_NEAR(read.L / shipped.L, 1, 1e-3) << name;
    EXPECT_NEAR(read.o / shipped.o, 1, 1e-3) << name;
    EXPECT_NEAR(read.g / shipped.g, 1, 1e-3) << name;
    EXPECT_NEAR(read.G / shipped.G, 1, 0.1) << name;
  }
}

TEST(Netgauge, ReadsEveryRealTable) {
  if (!std::filesystem::exists(kTables)) GTEST_SKIP() << kTables << " is not there";
  std::size_t tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTables)) {
    const LogGP network = network_in(entry.path());
    EXPECT_GE(network.L, 0) << entry.path();
    EXPECT_GT(network.L + 2 * network.o, 1e-6) << entry.path();
    EXPECT_LT(network.L, 1e-4) << entry.path();
    EXPECT_GT(network.G, 1e-11) << entry.path();
    EXPECT_LT(network.G, 1e-9) << entry.path();
    ++tables;
  }
  EXPECT_GE(tables, 7u);
}

}  // namespace
}  // namespace sparsewire
