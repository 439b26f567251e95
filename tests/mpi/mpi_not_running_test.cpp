#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/transport/mpi_guest.hpp"

namespace sparsewire::test {
namespace {

TEST(MpiNotRunning, AGuestIsRefused) {
  try {
    MpiGuest guest(MPI_COMM_WORLD);
    FAIL() << "no exception";
  } catch (const std::logic_error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("between MPI_Init and MPI_Finalize"));
  }
}

}  // namespace
}  // namespace sparsewire::test
