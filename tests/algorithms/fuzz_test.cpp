// Every algorithm on random inputs, numbers of ranks and networks, against a serial sum and what the LogGP
// engine and the models promise. A failure names its seed.
#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "algorithms/pattern/binomial_tree.hpp"
#include "algorithms/pattern/butterfly.hpp"
#include "algorithms/pattern/fold.hpp"
#include "algorithms/pattern/partition.hpp"
#include "model/closed_forms.hpp"
#include "sim/loggp_world.hpp"
#include "tests/support/allreduce.hpp"

namespace sparsewire::test {
namespace {

constexpr int kCases = 150;
constexpr Rank kMostRanks = 17;
constexpr std::uint64_t kMostElements = 200;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t below(std::uint64_t end) { return end == 0 ? 0 : engine_() % end; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

enum class Support { empty, skewed, equal, disjoint, dense, one_owner, random, one_rank };

std::set<Index> random_indices(Random& random, std::uint64_t begin, std::uint64_t end, std::uint64_t draws) {
  std::set<Index> indices;
  for (std::uint64_t i = 0; i < draws && begin < end; ++i)
    indices.insert(static_cast<Index>(begin + random.below(end - begin)));
  return indices;
}

std::set<Index> every_index(std::uint64_t dimension, std::uint64_t first, std::uint64_t step) {
  std::set<Index> indices;
  for (std::uint64_t i = first; i < dimension; i += step) indices.insert(static_cast<Index>(i));
  return indices;
}

// The indices of each rank.
std::vector<std::set<Index>> supports(Random& random, Support support, Rank ranks, std::uint64_t dimension) {
  const auto parts = static_cast<std::uint64_t>(ranks);
  const std::uint64_t draws = random.below(dimension + 1);
  const Rank owner = static_cast<Rank>(random.below(parts));
  const std::set<Index> shared = random_indices(random, 0, dimension, draws);
  std::vector<std::set<Index>> all;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto self = static_cast<std::uint64_t>(rank);
    switch (support) {
      case Support::empty:
        all.emplace_back();
        break;
      case Support::skewed:
        all.push_back(random_indices(random, 0, dimension, dimension >> random.below(9)));
        break;
      case Support::equal:
        all.push_back(shared);
        break;
      case Support::disjoint:
        all.push_back(every_index(dimension, self, parts));
        break;
      case Support::dense:
        all.push_back(every_index(dimension, 0, 1));
        break;
      case Support::one_owner:
        all.push_back(random_indices(random, part_begin(dimension, ranks, owner),
                                     part_begin(dimension, ranks, owner + 1), draws));
        break;
      case Support::random:
        all.push_back(random_indices(random, 0, dimension, draws / 4));
        break;
      case Support::one_rank:
        all.push_back(rank == owner ? shared : std::set<Index>{});
        break;
    }
  }
  return all;
}

// Small integers, zero among them: their sums are exact, and some cancel.
template <class T>
T small_integer(Random& random) {
  return static_cast<T>(static_cast<int>(random.below(7)) - 3);
}

// Anything: sums depend on their order.
template <class T>
T any_value(Random& random) {
  constexpr T kLargest = std::numeric_limits<T>::max(), kInfinity = std::numeric_limits<T>::infinity();
  if (random.one_in(4))
    return random.one_of<T>({T{-0.0}, T{0}, kLargest, -kLargest, kInfinity, -kInfinity,
                             std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::denorm_min()});
  return std::ldexp(static_cast<T>(random.below(1u << 20)) - T{1u << 19},
                    static_cast<int>(random.below(40)) - 20);
}

template <class T>
Vectors<T> vectors(Random& random, T (*value)(Random&)) {
  const Rank ranks = static_cast<Rank>(random.below(kMostRanks)) + 1;
  const std::uint64_t dimension = random.one_in(3) ? random.below(static_cast<std::uint64_t>(2 * ranks))
                                                   : random.below(kMostElements + 1);
  const auto kind = random.one_of({Support::empty, Support::skewed, Support::equal, Support::disjoint,
                                   Support::dense, Support::one_owner, Support::random, Support::one_rank});
  Vectors<T> inputs;
  for (const std::set<Index>& indices : supports(random, kind, ranks, dimension)) {
    SparseVector<T> vector{dimension, {indices.begin(), indices.end()}, {}};
    for (std::size_t i = 0; i < indices.size(); ++i) vector.values.push_back(value(random));
    inputs.push_back(std::move(vector));
  }
  return inputs;
}

Machine random_machine(Random& random) {
  const auto time = [&](Seconds largest) {
    return random.one_in(3) ? 0 : largest * static_cast<Seconds>(random.below(1000) + 1) / 1000;
  };
  Machine machine;
  machine.name = "random";
  machine.network = {.L = time(1e-5), .o = time(2e-6), .g = time(4e-6), .G = time(1e-8)};
  machine.network.S = random.one_of<std::uint64_t>({0, 0, 1, 31, 32, 33, 100, 1000});
  machine.network.serial_receiver = random.one_in(2);
  if (random.one_in(2))
    for (Seconds& cost : machine.compute.seconds_per_element) cost = time(1e-8);
  return machine;
}

std::string description(const Machine& machine) {
  const LogGP& n = machine.network;
  std::ostringstream text;
  text << "L=" << n.L << " o=" << n.o << " g=" << n.g << " G=" << n.G << " S=" << n.S
       << " serial_receiver=" << n.serial_receiver;
  return text.str();
}

// Down: one to each other subgroup; up: one to each sender.
std::uint64_t kylix_messages(const std::vector<ButterflyLayer>& layers, Rank rank) {
  std::size_t messages = 0;
  for (const ButterflyLayer& layer : layers) {
    const Rank own = layer.subgroup_of(rank);
    for (Rank subgroup = 0; subgroup < layer.degree; ++subgroup)
      if (subgroup != own) messages += 1 + layer.senders_in(subgroup, rank).size();
  }
  return messages;
}

std::uint64_t doubling_messages(Rank ranks, Rank rank) {
  const Fold fold = Fold::of(ranks);
  if (fold.hands_over(rank)) return 1;
  const auto exchanges = static_cast<std::uint64_t>(std::countr_zero(static_cast<std::uint32_t>(fold.power)));
  return exchanges + (fold.takes_over(rank) ? 1 : 0);
}

std::uint64_t broadcast_messages(Rank ranks, Rank rank) {
  const Rank below = BinomialTree(ranks, 0).size(rank) - 1;  // one to each child, at distances 1, 2, 4, ...
  return static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint32_t>(below)));
}

std::optional<std::uint64_t> messages_of(const AlgorithmSpec& spec, Rank ranks, Rank rank);

std::optional<std::uint64_t> two_level_messages(const AlgorithmSpec& spec, Rank ranks, Rank rank) {
  const auto size = static_cast<Rank>(spec.number("node"));
  const Rank place = rank % size, members = std::min(size, ranks - (rank - place));
  const auto inside = messages_of(parse_algorithm(spec.text("inner")), members, place);
  const auto outside =
      messages_of(parse_algorithm(spec.text("outer")), (ranks + size - 1) / size, rank / size);
  if (!inside || !outside) return std::nullopt;
  return *inside + (place == 0 ? *outside : 0) + broadcast_messages(members, place);
}

// The messages that a rank sends, from algorithms/README.md; none known if they depend on the data.
std::optional<std::uint64_t> messages_of(const AlgorithmSpec& spec, Rank ranks, Rank rank) {
  const std::string& algorithm = spec.name;
  const auto others = static_cast<std::uint64_t>(ranks - 1);
  const auto rounds = static_cast<std::uint64_t>(std::bit_width(others));  // ceil(log2 P)
  if (algorithm == "ssar-split-allgather" || algorithm == "dsar-split-allgather" || algorithm == "zen")
    return others + rounds;
  if (algorithm == "balanced-split-allgather") return doubling_messages(ranks, rank) + others + rounds;
  if (algorithm == "sparse-ring" || algorithm == "dense-ring") return 2 * others;
  if (algorithm == "sparse-allgather") return rounds;
  if (algorithm == "kylix")
    return kylix_messages(butterfly_layers(ranks, rank, spec.numbers("degrees")), rank);
  if (algorithm == "omnireduce") return std::nullopt;
  if (algorithm == "two-level") return two_level_messages(spec, ranks, rank);
  const Fold fold = Fold::of(ranks);
  const std::uint64_t doubling = doubling_messages(ranks, rank);
  if (algorithm != "dense-rabenseifner" || fold.hands_over(rank)) return doubling;
  return doubling + static_cast<std::uint64_t>(std::countr_zero(static_cast<std::uint32_t>(fold.power)));
}

template <class T>
CostInput bound_input(const Vectors<T>& inputs) {
  std::set<Index> all;
  double elements = 0;
  for (const SparseVector<T>& input : inputs) {
    all.insert(input.indices.begin(), input.indices.end());
    elements += static_cast<double>(input.count());
  }
  CostInput input{static_cast<Rank>(inputs.size()), inputs.front().dimension, sizeof(T), {}};
  input.union_sizes.assign(inputs.size(), static_cast<double>(all.size()));
  input.union_sizes.front() = elements / static_cast<double>(inputs.size());
  return input;
}

template <class T>
void expect_sane(const RunResult& result, const Machine& machine, const AlgorithmSpec& algorithm,
                 const Vectors<T>& inputs) {
  const auto ranks = static_cast<Rank>(inputs.size());
  for (Rank rank = 0; rank < ranks; ++rank) {
    const RankResult& one = result[static_cast<std::size_t>(rank)];
    EXPECT_TRUE(std::isfinite(one.finish) && one.finish >= 0) << rank;
    EXPECT_EQ(one.counters.messages, messages_of(algorithm, ranks, rank).value_or(one.counters.messages))
        << rank;
  }
  EXPECT_GE(finish_time(result) * (1 + 1e-12), lower_bound(machine, bound_input(inputs)).total);
}

template <class T>
void expect_same_in_any_order(const RunResult& expected, const Machine& machine, std::uint64_t seed,
                              const Allreduce<Stream<T>>& algorithm, const Vectors<T>& inputs) {
  for (const FiberOrder order : {FiberOrder::fifo, FiberOrder::random}) {
    LogGPWorld world(machine, {.order = order, .order_seed = seed});
    const RunResult result = run_allreduce(world, algorithm, inputs);
    for (std::size_t rank = 0; rank < result.size(); ++rank) {
      EXPECT_EQ(result[rank].finish, expected[rank].finish) << rank;
      EXPECT_EQ(result[rank].counters, expected[rank].counters) << rank;
      EXPECT_EQ(result[rank].output, expected[rank].output) << rank;
    }
  }
}

template <class T>
class FuzzedAllreduces : public ::testing::Test {};
using ValueTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FuzzedAllreduces, ValueTypes);

TYPED_TEST(FuzzedAllreduces, SumExactlyAndKeepWhatTheModelsPromise) {
  for (std::uint64_t seed = 0; seed < kCases && !this->HasFailure(); ++seed) {
    Random random(seed);
    const Vectors<TypeParam> inputs = vectors<TypeParam>(random, small_integer<TypeParam>);
    const Machine machine = random_machine(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + description(machine));
    for (const auto& algorithm : allreduce_variants<Stream<TypeParam>>()) {
      SCOPED_TRACE(algorithm.name);
      LogGPWorld world(machine);
      const RunResult result = expect_sum(world, algorithm, inputs);
      expect_sane(result, machine, algorithm.spec, inputs);
      expect_same_in_any_order(result, machine, seed, algorithm, inputs);
    }
  }
}

TYPED_TEST(FuzzedAllreduces, AgreeOnTheBitsOfAnyValues) {
  for (std::uint64_t seed = 0; seed < kCases && !this->HasFailure(); ++seed) {
    Random random(1000000 + seed);
    const Vectors<TypeParam> inputs = vectors<TypeParam>(random, any_value<TypeParam>);
    LogGPWorld world(random_machine(random));
    for (const auto& algorithm : allreduce_variants<Stream<TypeParam>>()) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::string(algorithm.name));
      expect_agreement(run_allreduce(world, algorithm, inputs));
    }
  }
}

}  // namespace
}  // namespace sparsewire::test
