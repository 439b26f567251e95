#include "algorithms/nonblocking/nonblocking.hpp"

#include <algorithm>
#include <string>

namespace sparsewire {

std::size_t NonBlocking::take_place() {
  const std::size_t place = started_ % kInFlight;
  if (taken_[place])
    throw std::runtime_error(
        "rank " + std::to_string(transport_.rank()) + " starts collective " + std::to_string(started_) +
        ", but collective " + std::to_string(started_ - kInFlight) +
        " has not ended well and there are tags for " + std::to_string(kInFlight) + " in flight");
  taken_[place] = true;
  ++started_;
  return place;
}

std::vector<Source> NonBlocking::awaited() const {
  std::vector<Source> sources;
  for (const Flight* flight : in_flight_)
    sources.insert(sources.end(), flight->fiber_.awaited().begin(), flight->fiber_.awaited().end());
  return sources;
}

bool NonBlocking::look() {
  const std::optional<std::size_t> found = transport_.arrived(awaited());
  if (found) hand_over(*found);
  return found.has_value();
}

void NonBlocking::wait() {
  hand_over(transport_.wait_any(awaited()));
}

// To the collective that waits for source `found` of awaited().
void NonBlocking::hand_over(std::size_t found) {
  for (Flight* flight : in_flight_) {
    const std::size_t own = flight->fiber_.awaited().size();
    if (found < own) return flight->go_on(found);
    found -= own;
  }
}

NonBlocking::Flight::Flight(NonBlocking& owner, std::function<void(Transport&)> body)
    : owner_(owner),
      place_(owner.take_place()),
      fiber_(owner.transport_, kTagsOfOne * (static_cast<Tag>(place_) + 1), kTagsOfOne, std::move(body)) {
  owner_.in_flight_.push_back(this);
}

NonBlocking::Flight::~Flight() {
  std::erase(owner_.in_flight_, this);
}

void NonBlocking::Flight::begin() {
  go_on(0);
}

void NonBlocking::Flight::go_on(std::size_t found) {
  fiber_.go_on(found);
  if (!fiber_.has_ended()) return;
  std::erase(owner_.in_flight_, this);
  owner_.taken_[place_] = fiber_.error() != nullptr;
}

bool NonBlocking::Flight::test() {
  while (!fiber_.has_ended() && owner_.look()) {
  }
  if (fiber_.error()) std::rethrow_exception(fiber_.error());
  return fiber_.has_ended();
}

void NonBlocking::Flight::wait() {
  while (!fiber_.has_ended()) owner_.wait();
  if (fiber_.error()) std::rethrow_exception(fiber_.error());
}

}  // namespace sparsewire
