#include "algorithms/transport/transport.hpp"

#include <stdexcept>
#include <string>

namespace sparsewire {

void Transport::check(Rank peer, Tag tag, const char* operation) const {
  const std::string who = "rank " + std::to_string(rank()) + ": " + operation;
  if (peer < 0 || peer >= size())
    throw std::invalid_argument(who + " names rank " + std::to_string(peer) + ", expected a rank in [0, " +
                                std::to_string(size()) + ")");
  if (peer == rank()) throw std::invalid_argument(who + " names the rank itself");
  if (tag < 0 || tag >= kTagLimit)
    throw std::invalid_argument(who + " has tag " + std::to_string(tag) + ", expected one in [0, " +
                                std::to_string(kTagLimit) + ")");
}

void Transport::send(Rank to, Tag tag, Message message) {
  check(to, tag, "send");
  do_send(to, tag, std::move(message));
}

Message Transport::recv(Rank from, Tag tag) {
  check(from, tag, "recv");
  return do_recv(from, tag);
}

}  // namespace sparsewire
