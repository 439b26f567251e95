// Programs on the processes of an MPI job. No MPI type appears here: only target sparsewire_mpi needs MPI.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "algorithms/transport/world.hpp"

namespace sparsewire {

// An MPI call failed. what() is "CALL: the library's text".
struct MpiError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// MPI from construction (MPI_Init_thread, funneled) to destruction (MPI_Finalize); both are collective over
// the job. MPI allows one in the life of a process: a second throws std::logic_error. Throws MpiError.
class MpiSession {
 public:
  MpiSession(int* argc, char*** argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  // This process, and the number of processes, in the job.
  Rank rank() const { return rank_; }
  Rank size() const { return size_; }

  // The library's name and version in one line, e.g. "Open MPI v4.1.4, package: ...".
  static std::string library_version();

 private:
  Rank rank_ = 0;
  Rank size_ = 0;
};

struct MpiOptions {
  Seconds timeout =
      0;  // a wait that takes longer throws DeadlockError, and so does a loop of looks; 0: never
};

// Rank r is process r of the job. Construction, run() and destruction are collective over the job, and the
// session must outlive the world. Messages travel as bytes of any size (64-bit counts); wire sizes are
// counted, not used. Clocks start at 0 after a barrier and measure real time.
//
// Another process cannot be unwound from outside, so a program that throws ends the job: its process prints
// "sparsewire: rank R: MESSAGE" to stderr and calls MPI_Abort; the launcher ends with a non-zero code. A
// receive that times out ends the job likewise, unless the program catches the DeadlockError, whose what() is
// like "rank 0 waited 5 s for rank 1 (tag 3)"; "or rank 2 (tag 4)" follows where several would do. Hence
// run() never throws RankError, and std::invalid_argument and UnreceivedError reach every process alike.
// After an UnreceivedError the world can be used again.
class MpiWorld final : public World {
 public:
  explicit MpiWorld(const MpiSession& session, MpiOptions options = {});
  ~MpiWorld() override;

  // With fewer ranks than processes the first `ranks` processes run the program; the others sleep, and get
  // the results too. `ranks` must be the same on all processes.
  RunResult run(Rank ranks, const Program& program) override;

  // The MPI library's own allreduce over the ranks of the current run: replaces `values` by their sum over
  // all ranks. All ranks call it with equally many values; none may be passed as a null pointer. Not counted
  // as messages, and not subject to the timeout. Throws std::logic_error outside of a program, and MpiError.
  void allreduce_sum(std::span<float> values);
  void allreduce_sum(std::span<double> values);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparsewire
