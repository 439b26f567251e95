// A clock that remembers what its time was spent on.
#pragma once

#include "model/loggp.hpp"

namespace sparsewire {

// `total` is the time; the four terms add up to it (to rounding).
struct Terms {
  Seconds total = 0;
  Seconds latency = 0;    // L of messages on the critical path
  Seconds overhead = 0;   // o of sends and receives
  Seconds bandwidth = 0;  // bytes: G, and gaps g
  Seconds compute = 0;    // local work
};

inline Terms later(const Terms& a, const Terms& b) {
  return b.total > a.total ? b : a;
}

// One after the other.
inline Terms operator+(const Terms& a, const Terms& b) {
  return {a.total + b.total, a.latency + b.latency, a.overhead + b.overhead, a.bandwidth + b.bandwidth,
          a.compute + b.compute};
}

inline Terms after(Terms clock, Term term, Seconds duration) {
  clock.total += duration;
  switch (term) {
    case Term::latency:
      clock.latency += duration;
      break;
    case Term::overhead:
      clock.overhead += duration;
      break;
    case Term::bandwidth:
      clock.bandwidth += duration;
      break;
    case Term::compute:
      clock.compute += duration;
      break;
  }
  return clock;
}

}  // namespace sparsewire
