// The worlds that a suite runs on. Which ones is decided by the file that is linked in: sim_worlds.cpp or
// mpi_worlds.cpp.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "algorithms/transport/world.hpp"

namespace sparsewire::test {

struct WorldUnderTest {
  std::string name;
  std::function<std::unique_ptr<World>()> make;
  Rank most_ranks = 0;  // it cannot hold more
  bool failures_are_fatal =
      false;  // a rank that throws ends the whole program (as MPI does): tested elsewhere

  friend std::ostream& operator<<(std::ostream& out, const WorldUnderTest& world) {
    return out << world.name;
  }
};

std::vector<WorldUnderTest> worlds();

// A name that GoogleTest accepts.
inline std::string test_name(const std::string& text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

}  // namespace sparsewire::test
