// Runs one program on every rank.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/transport/transport.hpp"

namespace sparsewire {

// What a rank hands back. Plain bytes, so that results cross the border of a process.
using Output = std::vector<std::byte>;
using Program = std::function<Output(Transport&)>;

// What one rank did: messages and bytes are those sent.
struct Counters {
  std::uint64_t messages = 0;
  std::uint64_t wire_bytes = 0;
  Work work;
  friend bool operator==(const Counters&, const Counters&) = default;
};

struct RankResult {
  Seconds finish = 0;  // this rank's clock at the end of its program, from the common start
  Counters counters;
  Output output;
};

using RunResult = std::vector<RankResult>;  // by rank

// A rank's program threw. what() is "rank R: MESSAGE"; of several ranks the lowest that is known.
struct RankError : std::runtime_error {
  RankError(Rank failed, const std::string& message)
      : std::runtime_error("rank " + std::to_string(failed) + ": " + message), rank(failed) {}
  Rank rank;
};

// No rank can go on. what() names each waiting rank, whom it waits for, and the tag.
struct DeadlockError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Every program ended, yet messages were never received. what() names sender, receiver and tag.
struct UnreceivedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class World {
 public:
  virtual ~World() = default;

  // Runs `program` on `ranks` ranks that start together at time 0, and returns when all have ended. A program
  // lets exceptions of send and recv pass that are no std::exception (a simulator unwinds its ranks by them),
  // and does not receive in destructors or catch blocks. In an MPI world every process calls it, and every
  // process gets the results of all ranks. Throws std::invalid_argument if the world cannot hold that many
  // ranks, RankError, DeadlockError and UnreceivedError.
  virtual RunResult run(Rank ranks, const Program& program) = 0;
};

// Largest finish time: the time of the collective.
inline Seconds finish_time(const RunResult& result) {
  Seconds latest = 0;
  for (const RankResult& rank : result) latest = rank.finish > latest ? rank.finish : latest;
  return latest;
}

}  // namespace sparsewire
