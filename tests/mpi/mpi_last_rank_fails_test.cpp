// Fails on the last rank only: the whole job has to fail, and say where.
#include <gtest/gtest.h>

#include "tests/mpi/mpi_main.hpp"

TEST(LastRank, Fails) {
  const sparsewire::MpiSession& session = sparsewire::test_session();
  EXPECT_LT(session.rank(), session.size() - 1) << "as it should";
}
