#include "algorithms/transport/mpi_handles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace sparsewire::mpi {
namespace {

TEST(MpiRequire, NamesTheCallAndTheReason) {
  EXPECT_NO_THROW(require(MPI_SUCCESS, "MPI_Send"));
  try {
    require(MPI_ERR_TRUNCATE, "MPI_Mrecv");
    FAIL() << "no exception";
  } catch (const MpiError& error) {
    EXPECT_THAT(error.what(), testing::MatchesRegex("MPI_Mrecv: .*truncate.*"));
  }
}

TEST(MpiRequire, TurnsTheErrorOfARealCallIntoAnException) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  EXPECT_THROW(require(MPI_Send(nullptr, 0, MPI_BYTE, comm.size(), 0, comm.get()), "MPI_Send"), MpiError);
}

std::uint64_t described(const Bytes& bytes) {
  MPI_Count of_one = 0;
  require(MPI_Type_size_x(bytes.type(), &of_one), "MPI_Type_size_x");
  return static_cast<std::uint64_t>(of_one) * static_cast<std::uint64_t>(bytes.count());
}

// Addresses without memory behind them.
class Reserved {
 public:
  explicit Reserved(std::size_t size)
      : size_(size),
        begin_(mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  ~Reserved() { munmap(begin_, size_); }
  std::span<std::byte> first(std::size_t size) const { return {static_cast<std::byte*>(begin_), size}; }

 private:
  std::size_t size_;
  void* begin_;
};

TEST(MpiBytes, ContiguousBytesOfAnySize) {
  const std::size_t border = std::size_t{1} << 31;
  const std::size_t most = 4 * border + 5;
  const Reserved reserved(most);
  for (const std::size_t size : {std::size_t{1}, border - 1, border, border + 16, 4 * border, most}) {
    const std::span<std::byte> whole = reserved.first(size);
    const Bytes bytes(whole);
    EXPECT_EQ(described(bytes), size);
    if (size < border) {
      EXPECT_EQ(bytes.data(), whole.data());
      continue;
    }
    MPI_Count lower = 0, extent = 0;
    require(MPI_Type_get_extent_x(bytes.type(), &lower, &extent), "MPI_Type_get_extent_x");
    EXPECT_EQ(bytes.data(), MPI_BOTTOM);
    EXPECT_EQ(lower, reinterpret_cast<MPI_Aint>(whole.data()));
    EXPECT_EQ(static_cast<std::size_t>(extent), size) << "the pieces leave no gaps";
  }
}

TEST(MpiBytes, NothingHasNoAddress) {
  EXPECT_EQ(Bytes(Message()).data(), nullptr);
  EXPECT_EQ(described(Bytes(Message())), 0U);
  EXPECT_EQ(described(Bytes(std::span<std::byte>())), 0U);
}

TEST(MpiBytes, ChunksOfAMessage) {
  const Message source(std::vector<std::byte>(10));
  EXPECT_EQ(Bytes(source).data(), source.chunk(0).data()) << "sent in place";
  Message parts = source.part(0, 7, 3);
  parts.append(source.part(0, 0, 5));
  EXPECT_EQ(described(Bytes(parts)), 8U);
}

TEST(MpiCommunicator, FirstHoldsTheLowestRanks) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  for (int size = 1; size <= all.size(); ++size) {
    const Communicator some = all.first(size);
    if (all.rank() >= size) {
      EXPECT_EQ(some.get(), MPI_COMM_NULL);
      continue;
    }
    EXPECT_EQ(some.size(), size);
    EXPECT_EQ(some.rank(), all.rank());
  }
}

TEST(MpiAllgather, TakesADifferentLengthFromEachProcess) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const std::vector<int> mine(static_cast<std::size_t>(all.rank() % 3), all.rank());
  const std::vector<std::vector<int>> parts = allgather(all, mine);
  ASSERT_EQ(parts.size(), static_cast<std::size_t>(all.size()));
  for (int rank = 0; rank < all.size(); ++rank)
    EXPECT_EQ(parts[static_cast<std::size_t>(rank)],
              std::vector<int>(static_cast<std::size_t>(rank % 3), rank));
}

}  // namespace
}  // namespace sparsewire::mpi
