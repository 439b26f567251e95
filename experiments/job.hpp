// The processes that one command runs on, and how it ends on all of them alike.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "algorithms/transport/mpi_world.hpp"
#include "experiments/mpi_run.hpp"

namespace sparsewire {

enum ExitCode { kDone = 0, kSomeFailed = 1, kBadInput = 2, kNoSuccess = 3, kInterrupted = 130 };

// "sparsewire: MESSAGE" on stderr.
inline void say_error(const std::string& message) {
  fmt::print(stderr, "sparsewire: {}\n", message);
}

// Number of processes that an MPI launcher has started this one with; 0 without a launcher.
inline int launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 0;
}

// Bad input that every process of the job has found alike.
struct SharedBadInput : SharedError {
  using SharedError::SharedError;
};

// MPI for the whole command, if it is wanted; without it this process is the only one.
struct Job {
  std::unique_ptr<MpiSession> session;
  std::unique_ptr<MpiWorld> world;

  static Job start(bool with_mpi) {
    if (!with_mpi) return {};
    auto session = std::make_unique<MpiSession>(nullptr, nullptr);
    auto world = std::make_unique<MpiWorld>(*session);
    return {std::move(session), std::move(world)};
  }

  bool speaks() const { return session == nullptr || session->rank() == 0; }

  // A text of any process, the first that has one.
  std::string first_said(const std::string& text) const {
    return world == nullptr ? text : sparsewire::first_said(*world, *session, text);
  }

  // Returns what `act` returns on each process. If it throws on any of them, none goes on alone: all throw
  // SharedError, or SharedBadInput for std::invalid_argument.
  template <class Act>
  auto together(const Act& act) const {
    decltype(act()) value{};
    std::string bad_input, error;
    try {
      value = act();
    } catch (const std::invalid_argument& problem) {
      bad_input = problem.what();
    } catch (const std::exception& problem) {
      error = problem.what();
    }
    bad_input = first_said(bad_input);
    error = first_said(error);
    if (!bad_input.empty()) throw SharedBadInput(bad_input);
    if (!error.empty()) throw SharedError(error);
    return value;
  }
};

// The exit code of `act`, whose shared errors are said once. Any other error on one of several processes ends
// the whole job: the others cannot know of it.
template <class Act>
int exit_code_of(const Job& job, const Act& act) {
  try {
    return act();
  } catch (const SharedBadInput& error) {
    if (job.speaks()) say_error(error.what());
    return kBadInput;
  } catch (const SharedError& error) {
    if (job.speaks()) say_error(error.what());
    return kNoSuccess;
  } catch (const std::exception& error) {
    if (job.session == nullptr || job.session->size() == 1) throw;
    say_error(fmt::format("process {}: {}", job.session->rank(), error.what()));
    std::_Exit(kNoSuccess);
  }
}

}  // namespace sparsewire
