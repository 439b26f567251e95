// One rank's view of a network. Algorithms are written against this and nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "algorithms/transport/message.hpp"
#include "model/units.hpp"

namespace sparsewire {

// What a receive names: a sender and a tag.
struct Source {
  Rank from = 0;
  Tag tag = 0;
  friend bool operator==(const Source&, const Source&) = default;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual Rank rank() const = 0;
  virtual Rank size() const = 0;

  // Takes the message and returns without waiting for the receiver. Messages of one sender, receiver and tag
  // arrive in the order of their sends. Throws std::invalid_argument if `to` is this rank or not a rank, or
  // the tag is out of [0, kTagLimit).
  void send(Rank to, Tag tag, Message message);

  // Waits for the next message from `from` with `tag`. Throws like send, and whatever ended the world while
  // it waited.
  Message recv(Rank from, Tag tag);

  // Sends to and receives from one peer.
  Message exchange(Rank peer, Tag tag, Message message) {
    send(peer, tag, std::move(message));
    return recv(peer, tag);
  }

  // The first of `sources` whose next message has arrived by now(): a receive of it does not wait. None if
  // there is no such. Never waits, but a look that finds nothing takes time in the simulators (look_time() of
  // model/loggp.hpp), so that a loop of looks ends. Throws like recv, also if `sources` is empty.
  std::optional<std::size_t> arrived(std::span<const Source> sources);

  // Waits until a message from one of `sources` has arrived, and returns the first of them that has. Throws
  // like recv, also if `sources` is empty.
  std::size_t wait_any(std::span<const Source> sources);

  // Accounts for local work that the caller has done: simulators advance the clock, MPI does nothing.
  virtual void compute(const Work& work) = 0;

  // This rank's clock; never decreases.
  virtual Seconds now() const = 0;

 private:
  virtual void do_send(Rank to, Tag tag, Message message) = 0;
  virtual Message do_recv(Rank from, Tag tag) = 0;
  virtual std::optional<std::size_t> do_arrived(std::span<const Source> sources) = 0;
  virtual std::size_t do_wait_any(std::span<const Source> sources) = 0;
  void check(Rank peer, Tag tag, const char* operation) const;
  void check(std::span<const Source> sources, const char* operation) const;
};

}  // namespace sparsewire
