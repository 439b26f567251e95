// The one LogGP convention of sparsewire. Both simulators and the closed forms apply these rules and no
// other:
//
//   send     the CPU is busy for o; the message departs when the CPU has handed it over and the sending
//            interface is free: d = max(cpu, interface). The interface works beside the CPU and is busy for
//            max(g, (m-1)G), so that consecutive sends start max(g, o, (m-1)G) apart. The sender never waits.
//   wire     the first byte arrives at d + L, the last at d + L + (m-1)G.
//   receive  ends at max(cpu, last byte) + o: one message takes o + L + (m-1)G + o from end to end, as in
//            LogGOPSim (Hoefler, Schneider, Lumsdaine 2010, doi:10.1145/1851476.1851564).
//   serial receiver  with LogGP::serial_receiver the receiving interface takes in one message at a time, in
//   the
//            order of the receives, and is busy for max(g, (m-1)G) with each. Without it an incast is free.
//   rendezvous  for m > S > 0: a request reaches the receiver L after the sender's o; the answer leaves when
//   the
//            receive has been posted and is back after another L; the data departs then, or at d if that is
//            later. The sending interface stays booked as for an eager message (an approximation: its slot
//            does not move).
//   m = 0    counts as one byte: an empty message costs o + L + o.
//
// Why the interface overlaps o: the measured o of Netgauge tables contains none of (m-1)G on machines with
// remote DMA, and the sum o + (m-1)G would charge a long message twice.
#pragma once

#include <algorithm>

#include "model/machine.hpp"

namespace sparsewire {

// (m-1)G: how long the bytes of a message follow its first.
inline Seconds transfer_time(const LogGP& network, std::uint64_t bytes) {
  return static_cast<Seconds>(std::max<std::uint64_t>(bytes, 1) - 1) * network.G;
}

// How long one message keeps an interface busy.
inline Seconds interface_time(const LogGP& network, std::uint64_t bytes) {
  return std::max(network.g, transfer_time(network, bytes));
}

inline bool uses_rendezvous(const LogGP& network, std::uint64_t bytes) {
  return network.S > 0 && bytes > network.S;
}

// One rank's clocks: until when the CPU and either side of the network interface are busy.
template <class Clock>
struct Endpoint {
  Clock cpu{};
  Clock sending{};
  Clock receiving{};
};

// A message under way: when the CPU had handed it over, when its first byte left (if eager), and its size.
template <class Clock>
struct Flight {
  Clock handed{};
  Clock departure{};
  std::uint64_t bytes = 0;
};

// What a stretch of time was spent on.
enum class Term : std::uint8_t { latency, overhead, bandwidth, compute };

// The plain clock of the simulators. A clock supports `later` and `after`; model/terms.hpp has one that keeps
// the terms apart.
inline Seconds later(Seconds a, Seconds b) {
  return std::max(a, b);
}
inline Seconds after(Seconds clock, Term, Seconds duration) {
  return clock + duration;
}

// A send of `bytes` bytes by `sender`.
template <class Clock>
Flight<Clock> launch(const LogGP& network, Endpoint<Clock>& sender, std::uint64_t bytes) {
  sender.cpu = after(sender.cpu, Term::overhead, network.o);
  const Clock departure = later(sender.cpu, sender.sending);
  sender.sending = after(departure, Term::bandwidth, interface_time(network, bytes));
  return {sender.cpu, departure, bytes};
}

// The receive of `flight`, posted by `receiver` now.
template <class Clock>
void land(const LogGP& network, Endpoint<Clock>& receiver, const Flight<Clock>& flight) {
  Clock departure = flight.departure;
  if (uses_rendezvous(network, flight.bytes)) {
    const Clock request = after(flight.handed, Term::latency, network.L);
    departure = later(departure, after(later(request, receiver.cpu), Term::latency, network.L));
  }
  Clock first = after(departure, Term::latency, network.L);
  if (network.serial_receiver) {
    first = later(first, receiver.receiving);
    receiver.receiving = after(first, Term::bandwidth, interface_time(network, flight.bytes));
  }
  const Clock last = after(first, Term::bandwidth, transfer_time(network, flight.bytes));
  receiver.cpu = after(later(receiver.cpu, last), Term::overhead, network.o);
}

// Throws std::invalid_argument if a parameter or a compute cost is negative or not finite.
void require_valid(const Machine& machine);

}  // namespace sparsewire
