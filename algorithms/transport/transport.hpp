// One rank's view of a network. Algorithms are written against this and nothing else.
#pragma once

#include "algorithms/transport/message.hpp"
#include "model/units.hpp"

namespace sparsewire {

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

  // Accounts for local work that the caller has done: simulators advance the clock, MPI does nothing.
  virtual void compute(const Work& work) = 0;

  // This rank's clock; never decreases.
  virtual Seconds now() const = 0;

 private:
  virtual void do_send(Rank to, Tag tag, Message message) = 0;
  virtual Message do_recv(Rank from, Tag tag) = 0;
  void check(Rank peer, Tag tag, const char* operation) const;
};

}  // namespace sparsewire
