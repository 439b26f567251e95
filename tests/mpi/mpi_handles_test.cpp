#include "algorithms/transport/mpi_handles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(MpiBytes, DescribeAnySizeExactly) {
  const std::uint64_t border = std::uint64_t{1} << 31;
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, border - 1, border, border + 16,
                                   std::uint64_t{1} << 33, (std::uint64_t{1} << 33) + 5}) {
    const Bytes bytes(size);
    MPI_Count of_one = 0, lower = 0, extent = 0;
    require(MPI_Type_size_x(bytes.type(), &of_one), "MPI_Type_size_x");
    require(MPI_Type_get_extent_x(bytes.type(), &lower, &extent), "MPI_Type_get_extent_x");
    EXPECT_EQ(static_cast<std::uint64_t>(of_one) * static_cast<std::uint64_t>(bytes.count()), size);
    EXPECT_EQ(lower, 0);
    EXPECT_EQ(extent, of_one) << "the pieces leave no gaps";
  }
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
