// SparDL: every block of the vector is cut to its share of k each time it is sent, so that traffic is bounded
// by construction (Zhao, Yin, Mao, Liu, Chen, Gao 2024, arXiv:2304.00737). The reduce-scatter in bags and
// Bruck's allgather take 2 ceil(log2 P) messages and 4k(P-1)/P words for any P. In `teams`, each team reduces
// by itself, and the ranks that own the same block in different teams then add what they have: by recursive
// doubling with a cut in each round (R-SAG), or by a gather of a part of it that adapts (B-SAG). Conserves
// (sums + residuals = gradients): what is cut, partial sums of others included, stays with a rank that has
// it; where several have the same sum, with the first of them.
#pragma once

#include <numeric>

#include "algorithms/lossy/select/selector.hpp"
#include "algorithms/pattern/partition.hpp"
#include "algorithms/phase/bags.hpp"
#include "algorithms/phase/bruck_allgather.hpp"
#include "algorithms/phase/recursive_doubling.hpp"
#include "algorithms/transport/group.hpp"

namespace sparsewire {

// How many elements a rank brings into the gather of B-SAG: steps up where the sum had fewer elements than it
// may, down where it had more; steps double after two in one direction and are halved at a turn.
struct AdaptiveShare {
  std::uint64_t share = 0, step = 1;
  int direction = 0, repeated = 0;

  void adapt(std::uint64_t found, std::uint64_t wanted, std::uint64_t least) {
    const int next = found < wanted ? 1 : -1;
    repeated = next == direction ? repeated + 1 : 0;
    if (repeated >= 2) step *= 2;
    if (next == -direction) step = std::max<std::uint64_t>(1, step / 2);
    direction = next;
    share = next > 0 ? share + step : share - std::min(step, share);
    share = std::clamp(share, std::min(least, wanted), wanted);
  }
};

template <class T>
struct Spardl {
  LossySetup setup;
  Rank teams = 1;  // the greatest common divisor with P is used
  bool gathers = false;
  Residual<T> residual = Residual<T>(setup.dimension);
  std::uint64_t iteration = 0;
  AdaptiveShare adaptive{};

  Stream<T> step(Transport& transport, std::span<const T> gradient) {
    accumulate(transport, residual, gradient);
    const Rank size = transport.size() / std::gcd(teams, transport.size());
    const Rank team = transport.rank() / size, place = transport.rank() % size;
    Group members(transport, every(size, team * size, 1));
    reduce_in_bags<Stream<T>>(
        members, [&](Rank block) { return cut_block(members, block); },
        [&](const Stream<T>& part) { put_back(transport, residual, part); });
    Stream<T> owned = cut_block(members, place);
    if (size < transport.size()) {
      Group owners(transport, every(transport.size() / size, place, size));
      owned = gathers ? gathered(owners, std::move(owned), budget(size, place))
                      : doubled(owners, std::move(owned), budget(size, place));
    }
    ++iteration;
    return concatenated<Stream<T>>(members, bruck_allgather<Stream<T>>(members, packed(members, owned)));
  }
  Residual<T> unsent() const { return residual; }

 private:
  static std::vector<Rank> every(Rank count, Rank first, Rank distance) {
    std::vector<Rank> ranks;
    for (Rank i = 0; i < count; ++i) ranks.push_back(first + i * distance);
    return ranks;
  }

  // k over the blocks; the elements that are left over go to other blocks in each iteration.
  std::uint64_t budget(Rank blocks, Rank block) const {
    const auto count = static_cast<std::uint64_t>(blocks);
    const bool gets_one_more = (static_cast<std::uint64_t>(block) + iteration) % count < setup.count % count;
    return setup.count / count + (gets_one_more ? 1 : 0);
  }

  // Moves the largest elements of a block out of the residual.
  Stream<T> cut_block(Transport& team, Rank block) {
    const std::uint64_t from = part_begin(setup.dimension, team.size(), block);
    const std::uint64_t to = part_begin(setup.dimension, team.size(), block + 1);
    const auto values = std::span<const T>(residual).subspan(from, to - from);
    Selection selection = select_exactly(team, values, budget(team.size(), block));
    const SparseVector<T> taken = take(team, residual, shifted(std::move(selection), from));
    return charged(team, slice(sparse_stream(taken), from, to));
  }

  // The `count` largest elements; the others go to the residual if this rank is to keep them.
  Stream<T> cut(Transport& transport, const Stream<T>& whole, std::uint64_t count, bool keeps_rest) {
    const SparseVector<T> elements = sparse_vector_of(whole);
    transport.compute(Work::of(WorkKind::select, elements.count()));
    const SparseVector<T> largest = largest_of(elements, count);
    if (keeps_rest)
      put_back(transport, residual, missing_from(elements, std::span<const Index>(largest.indices)));
    return Stream<T>::sparse(whole.begin(), whole.end(), largest.indices, largest.values);
  }

  // R-SAG
  Stream<T> doubled(Transport& owners, Stream<T> owned, std::uint64_t count) {
    const Rank self = Fold::of(owners.size()).virtual_rank(owners.rank());
    return recursive_doubling(owners, std::move(owned), [&](Stream<T> a, Stream<T> b, Rank distance) {
      const bool is_first_with_it = self % (2 * distance) == 0;
      return cut(owners, charged(owners, sum(std::move(a), std::move(b))), count, is_first_with_it);
    });
  }

  // B-SAG
  Stream<T> gathered(Transport& owners, const Stream<T>& owned, std::uint64_t count) {
    const auto parts = static_cast<std::uint64_t>(owners.size());
    adaptive.share = std::clamp(adaptive.share, std::min((count + parts - 1) / parts, count), count);
    const Stream<T> given = cut(owners, owned, adaptive.share, true);
    std::vector<Stream<T>> all =
        unpacked<Stream<T>>(owners, bruck_allgather<Stream<T>>(owners, packed(owners, given)));
    Stream<T> total = std::move(all.front());
    for (std::size_t i = 1; i < all.size(); ++i)
      total = charged(owners, sum(std::move(total), std::move(all[i])));
    adaptive.adapt(sparse_vector_of(total).count(), count, (count + parts - 1) / parts);
    return cut(owners, total, count, owners.rank() == 0);
  }
};

}  // namespace sparsewire
