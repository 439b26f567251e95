// LogGP tables as Netgauge's pattern "loggp" writes them, and machines made of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/machine.hpp"

namespace sparsewire {

// A row: what was measured for messages of `bytes` bytes. Netgauge's own fits (its columns L, g, G, lsqu) are
// not read: they can be NaN, negative, or copied from another row. Source: Hoefler, Mehlan, Lumsdaine, Rehm
// 2007, doi:10.1007/978-3-540-75416-9_9 (PRTT: parametrised round-trip time).
struct NetgaugeRow {
  std::uint64_t bytes = 0;
  double messages = 0;                           // n, at least 2
  Seconds one = 0;                               // PRTT(1,0,s)
  Seconds many = 0;                              // PRTT(n,0,s)
  Seconds send_overhead = 0, recv_overhead = 0;  // o_s, o_r

  // Between two messages of a burst.
  Seconds gap() const { return (many - one) / (messages - 1); }
};

// The rows in order of size; of several of one size the first. Throws std::invalid_argument that names `file`
// and the line for a row that is not 11 numbers, a size or n that is no whole number or below 1 or 2, or a
// time that is not positive and finite; and if fewer than two sizes are left.
std::vector<NetgaugeRow> read_netgauge(std::string_view text, std::string_view file);

// LogGP parameters of a table, by the convention of model/loggp.hpp: o is the mean of o_s and o_r at the
// smallest size, L half the round trip there less both, g the gap there, and G the median slope of the gap
// between any two sizes of the upper half of the range, or the last two (Theil and Sen). Where o_s + o_r
// exceed half the round trip they overlap the network: o is a quarter of it and L is 0, so that a message
// still takes what was measured. The table says nothing of rendezvous: S = 0. Throws std::invalid_argument if
// G would not be positive, or another parameter negative or NaN.
LogGP loggp_of(const std::vector<NetgaugeRow>& rows, std::string_view file);

// The machine as the JSON that experiments read.
std::string json_of(const Machine& machine);

}  // namespace sparsewire
