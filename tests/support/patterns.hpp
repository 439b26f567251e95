// Communication patterns whose times are known.
#pragma once

#include "algorithms/transport/world.hpp"

namespace sparsewire::test {

inline Message message_of(std::size_t bytes) {
  return Message(std::vector<std::byte>(bytes));
}

// Binomial tree to rank 0 over a power of two of ranks: the upper half sends to the lower half, and so on.
inline Program binomial_reduce(std::size_t bytes) {
  return [=](Transport& transport) -> Output {
    const Rank rank = transport.rank();
    for (Rank distance = transport.size() / 2; distance >= 1; distance /= 2) {
      if (rank >= distance) {
        transport.send(rank - distance, 0, message_of(bytes));
        return {};
      }
      transport.recv(rank + distance, 0);
    }
    return {};
  };
}

// ceil(log2 P) rounds: to r + 2^s, from r - 2^s.
inline Program dissemination(std::size_t bytes) {
  return [=](Transport& transport) -> Output {
    const Rank ranks = transport.size(), rank = transport.rank();
    for (Rank distance = 1; distance < ranks; distance *= 2) {
      transport.send((rank + distance) % ranks, 0, message_of(bytes));
      transport.recv((rank + ranks - distance) % ranks, 0);
    }
    return {};
  };
}

// `count` messages from rank 0 to rank 1.
inline Program flood(int count, std::size_t bytes) {
  return [=](Transport& transport) -> Output {
    for (int i = 0; i < count; ++i) {
      if (transport.rank() == 0) transport.send(1, 0, message_of(bytes));
      if (transport.rank() == 1) transport.recv(0, 0);
    }
    return {};
  };
}

// Everyone else to rank 0, at once.
inline Program incast(std::size_t bytes) {
  return [=](Transport& transport) -> Output {
    if (transport.rank() != 0) transport.send(0, 0, message_of(bytes));
    for (Rank sender = 1; transport.rank() == 0 && sender < transport.size(); ++sender)
      transport.recv(sender, 0);
    return {};
  };
}

// All sends first, in rank order, then all receives.
inline Program linear_all_to_all(std::size_t bytes) {
  return [=](Transport& transport) -> Output {
    for (Rank peer = 0; peer < transport.size(); ++peer)
      if (peer != transport.rank()) transport.send(peer, 0, message_of(bytes));
    for (Rank peer = 0; peer < transport.size(); ++peer)
      if (peer != transport.rank()) transport.recv(peer, 0);
    return {};
  };
}

}  // namespace sparsewire::test
