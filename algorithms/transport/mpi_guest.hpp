// Collectives inside of a program that has an MPI, and communicators, of its own. The one header with an MPI
// type in it: who includes it links MPI (target sparsewire_mpi passes it on).
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX  // the C++ binding that MPI dropped; include <mpi.h> before this if you need it
#endif
#include <mpi.h>

#include <memory>

#include "algorithms/transport/mpi_world.hpp"

namespace sparsewire {

// A transport between the processes of a communicator: rank r is its process r.
//
//   MpiGuest guest(communicator);
//   const Stream<float> sum = ssar_split_allgather(guest.transport(), stream_of(mine));
//
// Messages travel on a duplicate of the communicator, so they meet none of the host program's, and the host
// may use its communicator meanwhile, wildcard receives included. The host starts and ends MPI, with any
// level of threads; a guest is used by one thread at a time, and by the one that MPI allows. Construction and
// destruction are collective over the communicator, which may be freed after construction.
//
// A guest ends no job. What goes wrong on a process is an exception on that process: MpiError for a failure
// of MPI (the duplicate returns its errors; the error handler of the host's communicator stays as it is, and
// is in charge of a failed duplication), DeadlockError for a receive that waits longer than the timeout. The
// other processes go on, and wait for what the failed one does not send: set a timeout if the host wants to
// outlive that. A guest that is destroyed by an exception waits for nobody: it leaves its duplicate, and
// sends under way with their bytes, to MPI until the end of the process. The communicator can have a new
// guest.
class MpiGuest {
 public:
  // Throws std::logic_error if MPI is not running, std::invalid_argument for MPI_COMM_NULL, an
  // intercommunicator or a negative timeout, and MpiError.
  explicit MpiGuest(MPI_Comm communicator, MpiOptions options = {});

  // Completes all sends. Messages that this process was sent and never received are named on stderr.
  ~MpiGuest();
  MpiGuest(const MpiGuest&) = delete;
  MpiGuest& operator=(const MpiGuest&) = delete;

  // Its clock starts at 0 on construction.
  Transport& transport();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparsewire
