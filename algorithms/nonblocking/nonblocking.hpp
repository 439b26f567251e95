// Non-blocking collectives: any blocking one, started now and ended later.
#pragma once

#include <concepts>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/nonblocking/collective_fiber.hpp"

namespace sparsewire {

template <class S>
class Started;

// The collectives that this rank has in flight on `transport`, which must outlive it as it must outlive the
// handles that start() returns. There is one such object for the ranks of a transport. The rules are MPI's:
//
// - All ranks start the same collectives in the same order. They test and wait in whatever order they like: a
//   test or a wait goes on with all that are in flight.
// - Nothing happens between the calls: a collective goes on in start(), test() and wait() only. A rank that
//   blocks in anything else (a plain receive, a blocking collective) holds up those in flight; start that
//   too and wait for it.
// - A collective of some of the ranks is started by all: the others' part in it does nothing.
//
// Each collective runs on a fiber of its own, with a stack of 256 KiB, and has kTagsOfOne tags of its own,
// above those that are left to the caller and his blocking collectives. The tags of the n-th are used again
// for the one that is kInFlight later. That one is not started before the n-th has ended on this rank; a
// slower rank still in the n-th takes that one's messages first, as messages of one sender and tag stay in
// order.
class NonBlocking {
 public:
  static constexpr Tag kTagsOfOne = 64;
  static constexpr std::uint64_t kInFlight = kTagLimit / kTagsOfOne - 1;

  explicit NonBlocking(Transport& transport) : transport_(transport), taken_(kInFlight) {}
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;

  // Starts `collective`, which is called with a transport like this one's and returns a result, and runs it
  // until it first waits for a message. It may not outlast what it refers to. Throws std::runtime_error if as
  // many are in flight as there are tags for: the one of kInFlight starts before has not ended well.
  template <std::invocable<Transport&> Collective>
  [[nodiscard]] auto start(Collective collective) {
    return Started<std::invoke_result_t<Collective&, Transport&>>(*this, std::move(collective));
  }

  // Starts an algorithm of a catalogue on this rank's vector.
  template <class Algorithm, class S>
  [[nodiscard]] Started<S> start(const Algorithm& algorithm, S mine) {
    return start([run = algorithm.run, mine = std::move(mine)](Transport& transport) mutable {
      return run(transport, std::move(mine));
    });
  }

 private:
  template <class S>
  friend class Started;

  // What a handle holds: the fiber, and its place among those in flight.
  class Flight {
   public:
    Flight(NonBlocking& owner, std::function<void(Transport&)> body);
    ~Flight();
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

    void begin();
    bool test();
    void wait();

   private:
    friend class NonBlocking;
    void go_on(std::size_t found);

    NonBlocking& owner_;
    std::size_t place_;
    CollectiveFiber fiber_;
  };

  std::size_t take_place();
  std::vector<Source> awaited() const;
  bool look();
  void wait();
  void hand_over(std::size_t found);

  Transport& transport_;
  std::vector<Flight*> in_flight_;  // in the order of their starts
  std::vector<bool> taken_;         // by place: whether its tags are in use
  std::uint64_t started_ = 0;
};

// A collective in flight. What it throws is thrown by test() and wait(), and by no other handle's.
//
// A handle that is dropped before its collective has ended abandons it: the collective's stack is unwound,
// and ranks that wait for its messages wait for ever, which the world reports as a deadlock, or as messages
// that were never received.
template <class S>
class Started {
 public:
  // Goes on with all that are in flight as long as messages have arrived, and never waits. True once this one
  // has ended.
  bool test() { return state_->flight.test(); }

  // Goes on with all that are in flight until this one has ended, and returns its result; once.
  S wait() {
    state_->flight.wait();
    if (!state_->result) throw std::logic_error("the result of a started collective was taken before");
    S result = *std::move(state_->result);
    state_->result.reset();
    return result;
  }

 private:
  friend class NonBlocking;

  Started(NonBlocking& owner, std::function<S(Transport&)> collective)
      : state_(std::make_unique<State>(owner, std::move(collective))) {
    state_->flight.begin();
  }

  struct State {
    State(NonBlocking& owner, std::function<S(Transport&)> collective)
        : flight(owner, [this, run = std::move(collective)](Transport& transport) {
            result.emplace(run(transport));
          }) {}
    std::optional<S> result;
    NonBlocking::Flight flight;  // last: its body refers to the result
  };
  std::unique_ptr<State> state_;
};

}  // namespace sparsewire
