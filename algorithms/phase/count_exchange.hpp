// Exchanges of a number between all ranks: how many elements each is going to send to which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "algorithms/phase/tags.hpp"
#include "algorithms/transport/transport.hpp"

namespace sparsewire {

using Counts = std::vector<std::uint64_t>;  // by rank; 8 bytes each on the wire

inline Message pack_counts(const Counts& counts) {
  std::vector<std::byte> bytes(counts.size() * sizeof(std::uint64_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), counts.data(), bytes.size());
  return Message(std::move(bytes));
}

// Throws std::runtime_error unless the message is `expected` counts.
inline Counts unpack_counts(const Message& message, std::size_t expected) {
  const std::vector<std::byte> bytes = message.flatten();
  if (bytes.size() != expected * sizeof(std::uint64_t)) throw std::runtime_error("malformed list of counts");
  Counts counts(expected);
  if (!bytes.empty()) std::memcpy(counts.data(), bytes.data(), bytes.size());
  return counts;
}

// The counts that all ranks have for this one, of which `counts` has one for each rank. Bruck's exchange
// (doi:10.1109/71.642949): in round s the counts whose way has the bit 2^s go to the rank at that distance;
// ceil(log2 P) messages of about P/2 counts.
inline Counts exchange_counts(Transport& transport, const Counts& counts) {
  const Rank ranks = transport.size(), rank = transport.rank();
  const auto at = [ranks](Rank place) { return static_cast<std::size_t>((place + ranks) % ranks); };
  Counts travelling;  // element i has i ranks to go
  for (Rank i = 0; i < ranks; ++i) travelling.push_back(counts[at(rank + i)]);
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    Counts bundle;
    for (Rank i = 0; i < ranks; ++i)
      if ((i & distance) != 0) bundle.push_back(travelling[at(i)]);
    transport.send((rank + distance) % ranks, tags::kCountExchange, pack_counts(bundle));
    bundle =
        unpack_counts(transport.recv((rank + ranks - distance) % ranks, tags::kCountExchange), bundle.size());
    for (Rank i = 0, next = 0; i < ranks; ++i)
      if ((i & distance) != 0) travelling[at(i)] = bundle[static_cast<std::size_t>(next++)];
  }
  Counts received(counts.size());
  for (Rank i = 0; i < ranks; ++i) received[at(rank - i)] = travelling[at(i)];
  return received;
}

// Every rank's count, on all ranks; ceil(log2 P) messages, Bruck's allgather.
inline Counts gather_counts(Transport& transport, std::uint64_t count) {
  const Rank ranks = transport.size(), rank = transport.rank();
  Counts counts = {count};  // of ranks r, r+1, ...
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    const auto sent = static_cast<std::size_t>(std::min(distance, ranks - distance));
    const Counts bundle(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(sent));
    transport.send((rank + ranks - distance) % ranks, tags::kCountGather, pack_counts(bundle));
    const Counts more = unpack_counts(transport.recv((rank + distance) % ranks, tags::kCountGather), sent);
    counts.insert(counts.end(), more.begin(), more.end());
  }
  std::rotate(counts.begin(), counts.end() - rank, counts.end());
  return counts;
}

}  // namespace sparsewire
