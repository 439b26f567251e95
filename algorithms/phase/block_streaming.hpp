// The rounds of OmniReduce (SIGCOMM 2021, doi:10.1145/3452296.3472904): blocks that have elements stream to
// aggregators and back.
#pragma once

#include <cstring>
#include <map>
#include <optional>

#include "algorithms/pattern/block_streams.hpp"
#include "algorithms/payload/summable.hpp"
#include "algorithms/phase/tags.hpp"

namespace sparsewire {

// A packed block behind a pointer to the one that comes next.
inline Message with_pointer(std::uint64_t next, const Message& block) {
  std::vector<std::byte> pointer(sizeof next);
  std::memcpy(pointer.data(), &next, sizeof next);
  Message message(std::move(pointer));
  message.append(block);
  return message;
}
inline std::uint64_t pointer_of(const Message& message) {
  std::uint64_t next = 0;
  std::memcpy(&next, message.chunk(0).data(), sizeof next);
  return next;
}
inline Message block_of(const Message& message) {
  const bool apart = message.chunk(0).size() == sizeof(std::uint64_t);
  const std::size_t chunk = apart ? 1 : 0, offset = apart ? 0 : sizeof(std::uint64_t);
  return message.part(chunk, offset, message.chunk(chunk).size() - offset);
}

// One rank as worker and aggregator. Every worker tells an aggregator with each block which one it sends
// next, so both know who sends in a round, and receives name their sender. In each round a rank first
// aggregates its own streams, then takes in the results of all streams, each followed at once by the block
// that it sends next. Sends never wait, so the aggregation of a round needs nothing but sends of the round
// before: no deadlock.
template <SparseSummable S>
class BlockStreaming {
 public:
  BlockStreaming(Transport& transport, const BlockStreams& streams, const S& mine)
      : transport_(transport), streams_(streams), mine_(mine), slots_(streams.streams()) {
    for (const Index index : charged(transport, support(mine))) add_block(index / streams.block);
  }

  // The sum over all ranks, the same bits on each.
  S run() {
    for (std::size_t i = 0; i < slots_.size(); ++i) start(i);
    while (
        std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.current != kNoBlock; }))
      round();
    return assembled();
  }

 private:
  struct Slot {
    Rank aggregator = 0;
    std::uint64_t current = 0;  // the block under way; kNoBlock when the stream has ended
    OwnBlocks own;
    std::vector<std::uint64_t> next;  // by worker, on the aggregator: the block that it sends next
    std::optional<S> own_block;       // on the aggregator: what it sends to itself
    Message result;                   // on the aggregator: likewise
  };

  void add_block(std::uint64_t number) {
    OwnBlocks& own = slots_[streams_.stream_of(number)].own;
    if (!own.has(number)) own.add(number);
  }

  // Every worker sends the first block of a stream, though it be without elements.
  void start(std::size_t stream) {
    Slot& slot = slots_[stream];
    slot.aggregator = streams_.aggregator_of(stream);
    slot.current = stream;
    if (slot.aggregator == transport_.rank())
      slot.next.assign(static_cast<std::size_t>(transport_.size()), slot.current);
    send_block(slot);
  }

  void round() {
    for (Slot& slot : slots_)
      if (slot.current != kNoBlock && slot.aggregator == transport_.rank()) aggregate(slot);
    for (Slot& slot : slots_)
      if (slot.current != kNoBlock) take_result(slot);
  }

  void send_block(Slot& slot) {
    const std::uint64_t begin = streams_.begin_of(slot.current), end = streams_.begin_of(slot.current + 1);
    S block = slot.own.has(slot.current)
                  ? charged(transport_, densified(charged(transport_, slice(mine_, begin, end))))
                  : blank(mine_, begin, end);
    if (slot.aggregator == transport_.rank())
      slot.own_block = std::move(block);
    else
      transport_.send(slot.aggregator, tags::kBlockUp,
                      with_pointer(slot.own.after(slot.current), packed(transport_, block)));
  }

  void aggregate(Slot& slot) {
    const Rank ranks = transport_.size(), rank = transport_.rank();
    std::optional<S> total = std::exchange(slot.own_block, std::nullopt);
    if (total) slot.next[static_cast<std::size_t>(rank)] = slot.own.after(slot.current);
    for (Rank step = 1; step < ranks; ++step) {
      const Rank worker = (rank + ranks - step) % ranks;
      std::uint64_t& next = slot.next[static_cast<std::size_t>(worker)];
      if (next != slot.current) continue;
      const Message message = transport_.recv(worker, tags::kBlockUp);
      next = pointer_of(message);
      S block = unpacked<S>(transport_, block_of(message));
      total = total ? charged(transport_, sum(std::move(*total), std::move(block))) : std::move(block);
    }
    slot.result = with_pointer(*std::min_element(slot.next.begin(), slot.next.end()),
                               packed_result(transport_, *total));
    for (Rank step = 1; step < ranks; ++step)
      transport_.send((rank + step) % ranks, tags::kBlockDown, slot.result);
  }

  void take_result(Slot& slot) {
    const Message message = slot.aggregator == transport_.rank()
                                ? std::exchange(slot.result, {})
                                : transport_.recv(slot.aggregator, tags::kBlockDown);
    results_.emplace(slot.current, block_of(message));
    slot.current = pointer_of(message);
    if (slot.current != kNoBlock && slot.own.has(slot.current)) send_block(slot);
  }

  // The results, and nothing between them: blocks that no rank has.
  S assembled() {
    std::vector<S> parts;
    std::uint64_t end = 0;
    for (const auto& [number, block] : results_) {
      const std::uint64_t begin = streams_.begin_of(number);
      if (begin > end) parts.push_back(blank(mine_, end, begin));
      parts.push_back(unpacked<S>(transport_, block));
      end = streams_.begin_of(number + 1);
    }
    if (end < streams_.dimension) parts.push_back(blank(mine_, end, streams_.dimension));
    return charged(transport_, concat(parts));
  }

  Transport& transport_;
  BlockStreams streams_;
  const S& mine_;
  std::vector<Slot> slots_;
  std::map<std::uint64_t, Message> results_;  // by block
};

}  // namespace sparsewire
