// The main() of tests that run as an MPI job: GoogleTest on every process.
//
// Every process runs every test, so a test that calls MpiWorld::run must reach that call on all processes:
// use EXPECT_* rather than ASSERT_* before it. Process 0 prints as usual, the others only what fails.
#pragma once

#include "algorithms/transport/mpi_world.hpp"

namespace sparsewire {

// The session that main() holds; valid in tests.
MpiSession& test_session();

}  // namespace sparsewire
