// Reduce-scatter by direct sends: every rank sends each owner its part.
#pragma once

#include <algorithm>

#include "algorithms/pattern/split_order.hpp"
#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

// The sum over all ranks of the part that this rank owns, where `part(owner)` are this rank's elements of an
// owner's part. `prepare` is applied to the own part before others are added, in the order of the schedule
// and not in that of arrival.
template <Summable S, class Part, class Prepare>
S direct_split(Transport& transport, const SplitSchedule& schedule, const Part& part,
               const Prepare& prepare) {
  const Rank ranks = transport.size(), rank = transport.rank();
  const std::vector<Rank> receivers = split_receivers(schedule.order, ranks, rank);
  auto next = receivers.begin();
  const auto send_next = [&] {
    send_value(transport, *next, tags::kDirectSplit, S(part(*next)));
    ++next;
  };
  const std::size_t ahead =
      schedule.throttle == 0 ? receivers.size() : std::min(schedule.throttle, receivers.size());
  for (std::size_t sent = 0; sent < ahead; ++sent) send_next();
  S total = charged(transport, prepare(part(rank)));
  for (const Rank sender : split_senders(schedule.order, ranks, rank)) {
    total =
        charged(transport, sum(std::move(total), receive_value<S>(transport, sender, tags::kDirectSplit)));
    if (next != receivers.end()) send_next();
  }
  return total;
}

// For owners that go on with their sum as it is.
template <class S>
Worked<S> unprepared(S part) {
  return {std::move(part), {}};
}

}  // namespace sparsewire
