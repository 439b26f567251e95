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

void Transport::check(std::span<const Source> sources, const char* operation) const {
  if (sources.empty())
    throw std::invalid_argument("rank " + std::to_string(rank()) + ": " + operation + " names no source");
  for (const Source& source : sources) check(source.from, source.tag, operation);
}

void Transport::send(Rank to, Tag tag, Message message) {
  check(to, tag, "send");
  do_send(to, tag, std::move(message));
}

Message Transport::recv(Rank from, Tag tag) {
  check(from, tag, "recv");
  return do_recv(from, tag);
}

std::optional<std::size_t> Transport::arrived(std::span<const Source> sources) {
  check(sources, "arrived");
  return do_arrived(sources);
}

std::size_t Transport::wait_any(std::span<const Source> sources) {
  check(sources, "wait_any");
  return do_wait_any(sources);
}

}  // namespace sparsewire
