// A machine as the cost models see it: the network between two ranks, and the speed of local work.
#pragma once

#include <array>
#include <string>

#include "model/units.hpp"

namespace sparsewire {

// LogGP parameters (Alexandrov, Ionescu, Schauser, Scheiman 1995, doi:10.1145/215399.215427) with the
// rendezvous threshold S of LogGPS (Ino, Fujimoto, Hagihara 2001, doi:10.1145/379539.379592).
// The one convention by which they are applied is written in model/loggp.hpp.
struct LogGP {
  Seconds L = 0;                // latency of the wire, one way
  Seconds o = 0;                // CPU overhead of a send, and of a receive
  Seconds g = 0;                // least gap between two messages of one network interface
  Seconds G = 0;                // gap per byte: the inverse of the bandwidth, s/byte
  std::uint64_t S = 0;          // messages of more than S bytes use rendezvous; 0 switches rendezvous off
  bool serial_receiver = true;  // the receiving interface takes one message at a time, in receive order
};

// Seconds per element of each WorkKind.
struct ComputeCosts {
  std::array<Seconds, kWorkKinds> seconds_per_element{};

  Seconds& operator[](WorkKind kind) { return seconds_per_element[static_cast<std::size_t>(kind)]; }
  Seconds operator[](WorkKind kind) const { return seconds_per_element[static_cast<std::size_t>(kind)]; }
  Seconds of(const Work& work) const {
    Seconds total = 0;
    for (std::size_t i = 0; i < kWorkKinds; ++i)
      total += seconds_per_element[i] * static_cast<Seconds>(work.elements[i]);
    return total;
  }
};

struct Machine {
  std::string name;
  std::string source;  // where the numbers come from
  LogGP network;
  ComputeCosts compute;
};

}  // namespace sparsewire
