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
//   look     at whether a message has arrived (Transport::arrived): it has if its last byte is in the
//   receiver
//            by then. A look that finds nothing keeps the CPU busy for o, or for 1 ns where o is less, so
//            that a loop of looks comes to an end; one that finds something is paid for by the receive. The
//            first look or wait that names a sender and tag posts the receive of the next message, whose
//            rendezvous request the interface answers without the program from then on.
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

// When the first byte of `flight` comes in, if that is the next message which `receiver` takes, by a receive
// posted at `posted`.
template <class Clock>
Clock first_byte(const LogGP& network, const Endpoint<Clock>& receiver, const Flight<Clock>& flight,
                 const Clock& posted) {
  Clock departure = flight.departure;
  if (uses_rendezvous(network, flight.bytes)) {
    const Clock request = after(flight.handed, Term::latency, network.L);
    departure = later(departure, after(later(request, posted), Term::latency, network.L));
  }
  const Clock first = after(departure, Term::latency, network.L);
  return network.serial_receiver ? later(first, receiver.receiving) : first;
}

// Likewise the last byte: the message has arrived.
template <class Clock>
Clock last_byte(const LogGP& network, const Endpoint<Clock>& receiver, const Flight<Clock>& flight,
                const Clock& posted) {
  return after(first_byte(network, receiver, flight, posted), Term::bandwidth,
               transfer_time(network, flight.bytes));
}

// The receive of `flight`, posted at `posted` and ended by `receiver` now or as soon as it has arrived.
template <class Clock>
void land(const LogGP& network, Endpoint<Clock>& receiver, const Flight<Clock>& flight, const Clock& posted) {
  const Clock first = first_byte(network, receiver, flight, posted);
  if (network.serial_receiver)
    receiver.receiving = after(first, Term::bandwidth, interface_time(network, flight.bytes));
  const Clock last = after(first, Term::bandwidth, transfer_time(network, flight.bytes));
  receiver.cpu = after(later(receiver.cpu, last), Term::overhead, network.o);
}

// The receive of `flight`, posted by `receiver` now.
template <class Clock>
void land(const LogGP& network, Endpoint<Clock>& receiver, const Flight<Clock>& flight) {
  land(network, receiver, flight, Clock(receiver.cpu));
}

// How long a look keeps the CPU busy that finds no message.
inline Seconds look_time(const LogGP& network) {
  return std::max(network.o, 1e-9);
}

// The date until which what arrives has arrived by `clock`: later by what rounding may add to a sum, so that
// worlds which add up in different orders agree.
inline Seconds rounded_up(Seconds clock) {
  return clock * (1 + 1e-12);
}

// Throws std::invalid_argument if a parameter or a compute cost is negative or not finite.
void require_valid(const Machine& machine);

}  // namespace sparsewire
