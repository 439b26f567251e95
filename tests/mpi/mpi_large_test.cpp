// Above 2 GiB, where an MPI count overflows. Needs memory for two such messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include "tests/mpi/mpi_main.hpp"

namespace sparsewire {
namespace {

constexpr std::size_t kBorder = std::size_t{1} << 31;
constexpr std::size_t kSize = kBorder + 16;

// A byte that depends on all of its position.
std::byte pattern(std::size_t at) {
  return static_cast<std::byte>((at * 0x9E3779B97F4A7C15ull) >> 56);
}

// Positions to look at: both ends, every power of two with its neighbours, and a stride over everything.
std::vector<std::size_t> probes() {
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < 64; ++i) at.insert(at.end(), {i, kSize - 1 - i});
  for (std::size_t power = 1; power <= kBorder; power *= 2)
    for (std::size_t i = power - std::min<std::size_t>(power, 16); i < std::min(power + 16, kSize); ++i)
      at.push_back(i);
  for (std::size_t i = 0; i < kSize; i += 4093) at.push_back(i);
  return at;
}

std::vector<std::byte> large() {
  std::vector<std::byte> bytes(kSize);
  for (std::size_t at : probes()) bytes[at] = pattern(at);
  return bytes;
}

std::size_t wrong_bytes(std::span<const std::byte> bytes) {
  std::size_t wrong = 0;
  for (std::size_t at : probes()) wrong += bytes[at] != pattern(at);
  return wrong;
}

std::uint64_t available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key, unit; meminfo >> key;) {
    std::uint64_t kilobytes = 0;
    meminfo >> kilobytes;
    std::getline(meminfo, unit);
    if (key == "MemAvailable:") return kilobytes * 1024;
  }
  return 0;
}

// The least that a rank saw: all ranks decide alike.
std::uint64_t least_available_memory(MpiWorld& world) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  const RunResult result = world.run(test_session().size(), [](Transport&) {
    const std::uint64_t available = available_memory();
    Output output(sizeof available);
    std::memcpy(output.data(), &available, sizeof available);
    return output;
  });
  for (const RankResult& rank : result) {
    std::uint64_t available = 0;
    std::memcpy(&available, rank.output.data(), sizeof available);
    least = std::min(least, available);
  }
  return least;
}

class MpiLarge : public testing::Test {
 protected:
  void SetUp() override {
    if (test_session().size() < 2) GTEST_SKIP() << "needs 2 ranks";
    if (least_available_memory(world_) < std::uint64_t{7} << 30) GTEST_SKIP() << "needs 7 GiB of memory";
  }

  MpiWorld world_{test_session()};
};

TEST_F(MpiLarge, MessageArrivesWhole) {
  world_.run(2, [](Transport& transport) -> Output {
    if (transport.rank() == 0) {
      transport.send(1, 0, Message(large()));
      return {};
    }
    const Message message = transport.recv(0, 0);
    EXPECT_EQ(message.wire_size(), kSize);
    EXPECT_EQ(message.size(), kSize);
    if (message.size() != kSize) return {};
    EXPECT_EQ(wrong_bytes(message.chunk(0)), 0U);
    return {};
  });
}

TEST_F(MpiLarge, OutputReachesAllProcesses) {
  const RunResult result = world_.run(
      2, [](Transport& transport) -> Output { return transport.rank() == 1 ? large() : Output{}; });
  EXPECT_EQ(result[0].output.size(), 0U);
  ASSERT_EQ(result[1].output.size(), kSize);
  EXPECT_EQ(wrong_bytes(result[1].output), 0U);
}

// Longer than the blocks in which it is done.
TEST_F(MpiLarge, AllreduceOfManyElements) {
  const std::size_t count = (std::size_t{1} << 27) + 5;
  world_.run(2, [&](Transport& transport) -> Output {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 1000 + transport.rank());
    world_.allreduce_sum(values);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) wrong += values[i] != static_cast<float>(2 * (i % 1000) + 1);
    EXPECT_EQ(wrong, 0U);
    return {};
  });
}

}  // namespace
}  // namespace sparsewire
