// How the closed forms are written: one rank that stands for all goes through the rounds of an algorithm, on
// the rules of model/loggp.hpp, with its partners taken to be as late as itself.
#pragma once

#include <bit>
#include <cmath>

#include "model/closed_forms.hpp"
#include "model/coded_bytes.hpp"
#include "model/loggp.hpp"
#include "model/wire_format.hpp"

namespace sparsewire {

// A stream whose elements are only counted. Sparse or dense by the rules of algorithms/payload/stream.hpp.
// `filled` elements of a dense range are not zero; only codecs look at it.
struct Held {
  std::uint64_t count = 0, length = 0;
  bool dense = false;
  std::uint64_t filled = 0;
};

inline std::uint64_t rounded(double elements) {
  return static_cast<std::uint64_t>(std::llround(elements));
}

// One rank that stands for all.
class Representative {
 public:
  Representative(const Machine& machine, const CostInput& input) : machine_(machine), input_(input) {}

  Terms clock() const { return endpoint_.cpu; }
  const CostInput& input() const { return input_; }

  // `1 / parts` of the union of `ranks` ranks' supports, held sparse unless break-even is reached.
  Held sparse(Rank ranks, Rank parts = 1) const {
    Held held{rounded(input_.union_sizes[static_cast<std::size_t>(ranks - 1)] / parts), part_length(parts),
              false};
    held.dense = reaches_break_even(held.count, held.length, input_.value_bytes);
    held.filled = held.count;
    return held;
  }
  Held dense(Rank parts = 1) const { return {part_length(parts), part_length(parts), true}; }

  std::uint64_t bytes(const Held& held) const {
    if (codec() != Codec::pairs)
      return expected_block_bytes(expected_codec(codec(), block(held)), block(held));
    return held.dense ? dense_stream_bytes(held.length, input_.value_bytes)
                      : sparse_stream_bytes(held.count, input_.value_bytes);
  }

  // Its bytes, once it is encoded; and the work of decoding `times` such blocks.
  std::uint64_t packed(const Held& held) {
    if (codec() != Codec::pairs)
      work(encode_work(codec(), expected_codec(codec(), block(held)), block(held).count, held.length,
                       held.dense));
    return bytes(held);
  }
  void unpacked(const Held& held, Rank times = 1) {
    if (codec() == Codec::pairs) return;
    const Work one =
        decode_work(expected_codec(codec(), block(held)), block(held).count, held.length, held.dense);
    for (Rank i = 0; i < times; ++i) work(one);
  }

  // The same of a part of the result, which its owner may round.
  std::uint64_t packed_result(const Held& held) {
    if (!is_rounded(held)) return packed(held);
    work(quantise_work(held.length));
    return quantised_bytes(held.length, input_.coding.quantisation);
  }
  void unpacked_result(const Held& held, Rank times) {
    if (!is_rounded(held)) return unpacked(held, times);
    for (Rank i = 0; i < times; ++i) work(dequantise_work(held.length));
  }

  bool is_rounded(const Held& held) const { return held.dense && input_.coding.quantisation.bits > 0; }

  // The same rank at the same time, with other data.
  Representative on(const CostInput& other) const {
    Representative rank(machine_, other);
    rank.endpoint_ = endpoint_;
    return rank;
  }
  // Goes on at this time, with idle interfaces.
  void wait_until(const Terms& clock) { endpoint_ = {clock, {}, {}}; }

  void work(const Work& done) {
    endpoint_.cpu = after(endpoint_.cpu, Term::compute, machine_.compute.of(done));
  }
  void work(WorkKind kind, std::uint64_t elements) { work(Work::of(kind, elements)); }

  Flight<Terms> send(std::uint64_t bytes) { return launch(machine_.network, endpoint_, bytes); }
  void receive(const Flight<Terms>& flight) { land(machine_.network, endpoint_, flight); }

  // Sends to a partner, and receives from one who sent `received` bytes at the same time.
  void exchange(std::uint64_t sent, std::uint64_t received) {
    Flight<Terms> flight = send(sent);
    flight.bytes = received;
    receive(flight);
  }
  void exchange(std::uint64_t both) { exchange(both, both); }

  // `share` of the range of `held`, and of its elements.
  Held part_of(const Held& held, double share) const {
    const auto of = [&](std::uint64_t amount) { return rounded(static_cast<double>(amount) * share); };
    return {of(held.count), of(held.length), held.dense, of(held.filled)};
  }

  // Goes on as a rank that has been waiting for this one's message since the start.
  void hand_over(std::uint64_t bytes) {
    const Flight<Terms> flight = send(bytes);
    endpoint_ = {};
    receive(flight);
  }

  // a + b, which has `sum_count` elements if it stays sparse.
  Held add(const Held& a, const Held& b, double sum_count) {
    if (a.dense && b.dense) {
      work(WorkKind::dense_add, a.length);
      return {a.count, a.length, true, rounded(sum_count)};
    }
    if (a.dense || b.dense) {
      work(WorkKind::scatter_add, a.dense ? b.count : a.count);
      return {a.length, a.length, true, rounded(sum_count)};
    }
    if (!reaches_break_even(a.count + b.count, a.length, input_.value_bytes)) {
      work(WorkKind::merge, a.count + b.count);
      return {rounded(sum_count), a.length, false};
    }
    return add(densify(a), b, sum_count);
  }

  Held densify(const Held& held) {
    if (held.dense) return held;
    work(WorkKind::fill, held.length);
    work(WorkKind::scatter_add, held.count);
    return {held.length, held.length, true, held.count};
  }

  // `parts` blocks like `part` become one vector.
  void concat(const Held& part, Rank parts) {
    if (part.dense) return;
    const auto factor = static_cast<std::uint64_t>(parts);
    const Held whole{part.count * factor, input_.dimension, false};
    if (reaches_break_even(whole.count, whole.length, input_.value_bytes)) densify(whole);
  }

 private:
  std::uint64_t part_length(Rank parts) const {
    return rounded(static_cast<double>(input_.dimension) / static_cast<double>(parts));
  }
  Codec codec() const { return input_.coding.codec; }
  BlockShape block(const Held& held) const {
    return {held.dense ? held.filled : held.count, held.length, held.dense, input_.value_bytes};
  }

  const Machine& machine_;
  const CostInput& input_;
  Endpoint<Terms> endpoint_;
};

inline double union_of(const CostInput& input, Rank ranks) {
  return input.union_sizes[static_cast<std::size_t>(std::min(ranks, input.ranks) - 1)];
}

// Runs `core(rank, data)` on the rank of a folded pair, between taking over its neighbour's data and handing
// back the result. `core` returns what it ends with.
template <class Core>
Terms folded(Representative rank, Held mine, const Core& core) {
  const CostInput& input = rank.input();
  const bool folds = !std::has_single_bit(static_cast<std::uint32_t>(input.ranks));
  if (folds) {
    Representative neighbour = rank;
    Flight<Terms> flight = neighbour.send(neighbour.packed(mine));
    rank.receive(flight);
    rank.unpacked(mine);
    mine = rank.add(mine, mine, union_of(input, 2));
  }
  const Held total = core(rank, mine);
  if (folds) {
    rank.hand_over(rank.packed(total));
    rank.unpacked(total);
  }
  return rank.clock();
}

inline Rank power_of_two(Rank ranks) {
  return static_cast<Rank>(std::bit_floor(static_cast<std::uint32_t>(ranks)));
}

// How many ranks' data the virtual ranks first .. first + size - 1 hold.
inline Rank ranks_behind(Rank ranks, Rank first, Rank size) {
  const Rank pairs = ranks - power_of_two(ranks);
  return size + std::min(size, std::max<Rank>(0, pairs - first));
}

// Phases that several forms share; classic_forms.cpp.
Terms recursive_doubling_form(const Representative& start, Held mine);
void bruck_allgather_form(Representative& rank, std::uint64_t block_bytes);
Terms sparse_allgather_form(const Representative& start);
Terms rabenseifner_form(const Representative& start);
// The split phase of all ranks; returns the owner's sum of its part. Sends by rank instead of rotated: the
// last rank is everyone's last target, and stands for all.
struct SplitForm {
  bool dense_accumulator = false, by_rank = false;
  std::uint64_t throttle = 0;  // sends that may be ahead of the receives; 0: all
};
Held direct_split_form(Representative& rank, const SplitForm& form);
// The reduce phase of a ring, where each rank has `part` of each part; returns the sum of one.
Held ring_reduce_form(Representative& rank, const Held& part);

}  // namespace sparsewire
