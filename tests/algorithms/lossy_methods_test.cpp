// What each lossy allreduce does beside what all do: results, losses, and words on the wire.
#include <cmath>
#include <numeric>

#include "algorithms/lossy/sketch_peeling.hpp"
#include "algorithms/lossy/spardl.hpp"
#include "algorithms/phase/count_exchange.hpp"
#include "sim/loggp_world.hpp"
#include "tests/support/lossy.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire::test {
namespace {

using ::testing::Each;
using Gradient = std::vector<float>;

LossyRun<float> run_of(const std::string& method, const Gradients<float>& gradients, std::uint64_t count) {
  LogGPWorld world(cluster_machine());
  return run_lossy<float>(world, lossy_named<float>(method), gradients, count);
}

// The first iteration's sum with all indices.
Gradient first_sum(const LossyRun<float>& run) {
  const Stream<float> dense = densified(run[0].sums[0]).value;
  return {dense.values().begin(), dense.values().end()};
}

Gradient true_sum(const Gradients<float>& gradients) {
  Gradient total(gradients[0][0].size());
  for (const Gradient& gradient : gradients[0])
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += gradient[i];
  return total;
}

// No element is zero, so that every rank selects all. Not so those that bound what they send otherwise.
TEST(LossyMethods, AreExactWhereEverythingIsSelected) {
  const auto not_zero = [](std::mt19937_64& random) {
    return static_cast<float>(1 + random() % 20) * (random() % 2 == 0 ? 1.0f : -1.0f);
  };
  std::mt19937_64 random(3);
  for (const Rank ranks : {1, 2, 5, 8, 12}) {
    const auto gradients = random_gradients<float>(1, ranks, 90, 1, random, not_zero);
    for (const char* method : {"topk-allgather", "gtopk", "oktopk", "spardl", "spardl(teams=2)", "scalecom",
                               "micro", "sketch-peeling", "sketch-peeling(cells=0.5)"})
      EXPECT_EQ(first_sum(run_of(method, gradients, 90)), true_sum(gradients)) << method << ", P=" << ranks;
  }
}

// All ranks take part at the indices of whoever selected them.
TEST(LossyMethods, HaveCompleteSumsWhereIndicesAreShared) {
  std::mt19937_64 random(4);
  const auto gradients = random_gradients<float>(1, 6, 200, 0.8, random, small_integer<float>);
  const Gradient expected = true_sum(gradients);
  for (const char* method : {"scalecom", "micro(threshold=15)", "deft"}) {
    const LossyRun<float> run = run_of(method, gradients, 20);
    const Stream<float>& sum = run[0].sums[0];
    EXPECT_GT(sum.count(), 10u) << method;
    EXPECT_LT(sum.count(), 150u) << method;
    for (std::size_t i = 0; i < sum.count(); ++i)
      EXPECT_EQ(sum.values()[i], expected[sum.indices()[i]]) << method;
  }
}

TEST(LossyMethods, ReportWhatDoesNotFit) {
  EXPECT_THROW(lossy_named<float>("scalecom(beta=0)"), std::invalid_argument);
  EXPECT_THROW(lossy_named<float>("scalecom(beta=1.5)"), std::invalid_argument);
  EXPECT_THROW(lossy_named<float>("gtopk(selector=best)"), std::invalid_argument);
  EXPECT_THROW(lossy_named<float>("gtopk(tau=3)"), std::invalid_argument);
  EXPECT_THROW(lossy_named<float>("no-such"), std::invalid_argument);
  LogGPWorld world(cluster_machine());
  const LossyAllreduce<float> method = lossy_named<float>("gtopk");
  EXPECT_THROW(world.run(1,
                         [&](Transport& transport) -> Output {
                           method.start({10, 1}).step(transport, std::vector<float>(9));
                           return {};
                         }),
               RankError);
}

// k = 1. Rank 1's element at index 7 is cut by rank 0's at index 3; ranks 2 and 3 bring index 7 to the root.
TEST(Gtopk, LosesWhatIsCutInOneSubtreeOnly) {
  Gradients<float> gradients{{Gradient(9), Gradient(9), Gradient(9), Gradient(9)}};
  gradients[0][0][3] = 4, gradients[0][1][7] = 3, gradients[0][2][7] = 9, gradients[0][3][7] = 1;
  const LossyRun<float> run = run_of("gtopk", gradients, 1);
  Gradient sum(9), gone(9);
  sum[7] = 10, gone[7] = 3;
  EXPECT_EQ(first_sum(run), sum);
  EXPECT_EQ(lost(run, gradients), gone);
  EXPECT_EQ(run[0].unsent[3], 4);  // taken back, as it is not in the result
}

TEST(S2Reducer, IsExactOnlyWithoutCollisions) {
  std::mt19937_64 random(6);
  const auto gradients = random_gradients<float>(2, 4, 400, 0.05, random, small_integer<float>);
  EXPECT_EQ(first_sum(run_of("s2-reducer(rows=5,width=1000)", gradients, 60)), true_sum(gradients));
  EXPECT_THAT(lost(run_of("s2-reducer(rows=1,width=0.5)", gradients, 20), gradients),
              ::testing::Contains(::testing::Ne(0)));
}

std::uint64_t messages_of(const std::string& method, const Gradients<float>& gradients, std::uint64_t count);

TEST(SketchPeeling, FallsBackWhereItGetsStuck) {
  std::mt19937_64 random(8);
  const auto gradients = random_gradients<float>(1, 4, 2000, 0.05, random, small_integer<float>);
  for (const char* method : {"sketch-peeling", "sketch-peeling(cells=0.2)", "sketch-peeling(cells=0)"})
    EXPECT_EQ(first_sum(run_of(method, gradients, 150)), true_sum(gradients)) << method;
  EXPECT_GT(messages_of("sketch-peeling(cells=0.2)", gradients, 150),
            messages_of("sketch-peeling", gradients, 150));
}

TEST(Peeling, ReadsAllOrSaysWhatIsStuck) {
  const PeelingCells cells{8, 1};
  std::vector<int> sums(24);
  const Selection candidates{2, 5, 77};
  for (const Index index : {2u, 77u})
    for (const std::size_t cell : cells.of(index)) sums[cell] += static_cast<int>(index);
  const Peeled<int> read = peel(cells, sums, candidates);
  EXPECT_THAT(read.values, ::testing::ElementsAre(2, 0, 77));
  EXPECT_THAT(read.stuck, ::testing::IsEmpty());
  const PeelingCells narrow{1, 1};
  EXPECT_EQ(peel(narrow, std::vector<int>{79, 79, 79}, candidates).stuck, candidates);
}

TEST(Bags, HoldEveryBlockButTheOwnOnce) {
  EXPECT_TRUE(bags(1).empty());
  for (Rank ranks = 2; ranks <= 70; ++ranks) {
    Rank blocks = 0, held = ranks;  // blocks r, ..., r + held - 1 are still here
    for (const Bag& bag : bags(ranks)) {
      EXPECT_EQ(bag.distance + bag.blocks, held) << "the last blocks that are here go: P=" << ranks;
      held -= bag.blocks;
      EXPECT_LE(bag.blocks, held) << "and those that come are still here";
      blocks += bag.blocks;
    }
    EXPECT_EQ(blocks, ranks - 1);
    EXPECT_EQ(static_cast<double>(bags(ranks).size()), std::ceil(std::log2(ranks)));
  }
}

TEST(CountExchange, GivesEachRankWhatAllHaveForIt) {
  for (const Rank ranks : {1, 2, 3, 5, 8, 13}) {
    LogGPWorld world(cluster_machine());
    world.run(ranks, [&](Transport& transport) -> Output {
      const auto self = static_cast<std::uint64_t>(transport.rank());
      Counts mine, received, all;
      for (std::uint64_t other = 0; other < static_cast<std::uint64_t>(ranks); ++other) {
        mine.push_back(1000 * self + other);
        received.push_back(1000 * other + self);
        all.push_back(7 * other);
      }
      EXPECT_EQ(exchange_counts(transport, mine), received) << ranks;
      EXPECT_EQ(gather_counts(transport, 7 * self), all) << ranks;
      return {};
    });
  }
}

TEST(AdaptiveShare, StepsUpWhereElementsAreMissingAndTurnsBack) {
  AdaptiveShare share{10};
  std::vector<std::uint64_t> shares;
  for (const std::uint64_t found : {50, 50, 50, 50, 100, 100, 50}) {
    share.adapt(found, 100, 10);
    shares.push_back(share.share);
  }
  EXPECT_THAT(shares, ::testing::ElementsAre(11, 12, 14, 18, 16, 14, 15));
  for (int i = 0; i < 40; ++i) share.adapt(0, 100, 10);
  EXPECT_EQ(share.share, 100u);  // never more than is wanted
}

TEST(Oktopk, IsTheSameWhetherBlocksAreBalancedOrNot) {
  const auto once = spread_gradients(1, 7, 3000, 400);
  const Gradients<float> gradients(5, once.front());
  const LossyRun<float> never = run_of("oktopk(balance=1000)", gradients, 100);
  const LossyRun<float> always = run_of("oktopk(balance=0)", gradients, 100);
  for (std::size_t i = 0; i < gradients.size(); ++i)
    EXPECT_EQ(pack(always[0].sums[i]).flatten(), pack(never[0].sums[i]).flatten()) << i;
  EXPECT_GT(messages_of("oktopk(balance=0)", gradients, 100),
            messages_of("oktopk(balance=1000)", gradients, 100));
}

// ---- what is sent

// By rank, over all iterations.
std::vector<Counters> sent(const std::string& method, const Gradients<float>& gradients,
                           std::uint64_t count) {
  LogGPWorld world(cluster_machine());
  const auto named = lossy_named<float>(method);
  const RunResult result =
      world.run(static_cast<Rank>(gradients[0].size()), [&](Transport& transport) -> Output {
        Output output;
        iterate(transport, named, gradients, {gradients[0][0].size(), count}, output);
        return {};
      });
  std::vector<Counters> counters;
  for (const RankResult& rank : result) counters.push_back(rank.counters);
  return counters;
}

std::uint64_t messages_of(const std::string& method, const Gradients<float>& gradients, std::uint64_t count) {
  std::uint64_t total = 0;
  for (const Counters& rank : sent(method, gradients, count)) total += rank.messages;
  return total;
}

constexpr double kHeader = 32;  // bytes of a stream

// 4-byte words that a rank sent, without the headers of so many streams.
double words(const Counters& rank, double headers) {
  return (static_cast<double>(rank.wire_bytes) - headers * kHeader) / 4;
}

double log2_of(Rank ranks) {
  return std::ceil(std::log2(ranks));
}

constexpr std::uint64_t kDimension = 1 << 15;
constexpr std::uint64_t kCount = 2016;  // a multiple of 2P for all P below

TEST(WordsSent, AreThoseOfTheTableForTopkA) {
  for (const Rank ranks : {2, 3, 4, 7, 9}) {
    const auto gradients = spread_gradients(1, ranks, kDimension, kCount);
    for (const Counters& rank : sent("topk-allgather", gradients, kCount)) {
      EXPECT_EQ(words(rank, ranks - 1), 2 * kCount * (ranks - 1)) << ranks;
      EXPECT_EQ(rank.messages, log2_of(ranks));
    }
  }
}

// Gaussiank sends what its estimate selects: between half and twice as much.
TEST(WordsSent, OfGaussiankFollowTheEstimate) {
  std::mt19937_64 random(9);
  std::normal_distribution<float> normal;
  for (const Rank ranks : {2, 4, 7}) {
    Gradients<float> gradients(1);
    for (Rank rank = 0; rank < ranks; ++rank)
      for (Gradient& gradient = gradients[0].emplace_back(kDimension); float& value : gradient)
        value = normal(random);
    for (const Counters& rank : sent("topk-allgather(selector=gaussian)", gradients, kCount))
      EXPECT_NEAR(words(rank, ranks - 1), 2 * kCount * (ranks - 1), 0.25 * 2 * kCount * (ranks - 1));
  }
}

TEST(WordsSent, AreThoseOfTheTableForGtopk) {
  for (const Rank ranks : {2, 4, 8, 16}) {
    const auto counters = sent("gtopk", spread_gradients(1, ranks, kDimension, kCount), kCount);
    // the root sends as often as it receives: half of 4k log2 P
    EXPECT_EQ(words(counters[0], log2_of(ranks)), 2 * kCount * log2_of(ranks)) << ranks;
    EXPECT_EQ(counters[0].messages, log2_of(ranks));
    EXPECT_EQ(counters[ranks - 1].messages, 1u);
  }
}

TEST(WordsSent, AreThoseOfTheTableForSpardl) {
  for (const Rank ranks : {2, 3, 4, 6, 7, 9, 12, 14, 16}) {
    const auto gradients = spread_gradients(2, ranks, kDimension, kDimension / 2);
    const double bound = 4.0 * kCount * (ranks - 1) / ranks;
    for (const Counters& rank : sent("spardl", gradients, kCount)) {
      EXPECT_NEAR(words(rank, 4 * (ranks - 1)) / 2, bound, 2) << ranks;
      EXPECT_EQ(rank.messages, 4 * log2_of(ranks)) << ranks;
    }
  }
}

// 2k (2 (P-d)/P + d/P log2 d) words in teams of P/d.
TEST(WordsSent, AreThoseOfTheTableForSpardlInTeams) {
  const Rank ranks = 8;
  for (const Rank teams : {2, 4}) {
    const double rounds = 2 * log2_of(ranks / teams) + log2_of(teams);
    const double bound =
        2.0 * kCount * (2.0 * (ranks - teams) / ranks + log2_of(teams) * teams / static_cast<double>(ranks));
    const double headers = 2.0 * (ranks / teams - 1) + log2_of(teams);
    const auto gradients = spread_gradients(1, ranks, kDimension, kDimension / 2);
    for (const Counters& rank : sent("spardl(teams=" + std::to_string(teams) + ")", gradients, kCount)) {
      EXPECT_NEAR(words(rank, headers), bound, 2) << teams;
      EXPECT_EQ(rank.messages, rounds) << teams;
    }
  }
}

TEST(WordsSent, AreThoseOfTheProtocolForScalecom) {
  for (const Rank ranks : {2, 4, 8, 16}) {
    const auto counters = sent("scalecom", spread_gradients(1, ranks, kDimension, kCount), kCount);
    const double values = 2.0 * kCount * (ranks - 1) / ranks, index_list = kCount + 2;
    const double headers = 2.0 * (ranks - 1);  // at most: a message has one for each block in it
    EXPECT_NEAR(words(counters[0], log2_of(ranks) + ranks - 1), log2_of(ranks) * index_list + values, 16)
        << ranks;
    EXPECT_LE(words(counters[ranks - 1], 0), values + headers * kHeader / 4);
    EXPECT_EQ(counters[0].messages, 3 * log2_of(ranks));
  }
}

// Bytes of the counts that Ok-Topk exchanges in an iteration: about P/2 in each round of one exchange, P - 1
// in the other.
double count_bytes(Rank ranks) {
  double counts = ranks - 1;
  for (Rank distance = 1; distance < ranks; distance *= 2)
    for (Rank i = 0; i < ranks; ++i) counts += (i & distance) != 0 ? 1 : 0;
  return 8 * counts;
}

// Words of an iteration between two exact evaluations, the mean of three, by rank; the counts apart.
std::vector<double> oktopk_words(Rank ranks, std::uint64_t dimension, std::uint64_t count) {
  const auto once = spread_gradients(1, ranks, dimension, 4 * count);
  Gradients<float> four(4, once.front());
  const auto first = sent("oktopk", once, count), all = sent("oktopk", four, count);
  std::vector<double> means;
  for (std::size_t rank = 0; rank < first.size(); ++rank) {
    Counters three = all[rank];
    three.wire_bytes -= first[rank].wire_bytes + 3 * static_cast<std::uint64_t>(count_bytes(ranks));
    means.push_back(words(three, 3 * 2 * (ranks - 1)) / 3);
  }
  return means;
}

// Selections are within 2/3 and 4/3 of k.
TEST(WordsSent, AreWithinTheBoundsOfTheTableForOktopk) {
  for (const Rank ranks : {2, 4, 5, 8, 16})
    for (const double rank : oktopk_words(ranks, kDimension, kCount)) {
      EXPECT_GE(rank, 2.0 / 3 * 2 * kCount * (ranks - 1) / ranks) << ranks;
      EXPECT_LE(rank, 4.0 / 3 * 6 * kCount * (ranks - 1) / ranks) << ranks;
    }
}

// All elements are equal: no threshold selects k of them, the cut does.
TEST(WordsSent, AreWithinTheBoundsForOktopkOnEqualValues) {
  const Rank ranks = 4;
  const Gradients<float> gradients(3, {4, Gradient(4000, 1.0f)});
  for (const Counters& rank : sent("oktopk(tau_prime=3)", gradients, 100))
    EXPECT_LE(words(rank, 0),
              3 * (4.0 / 3 * 6 * 100 + count_bytes(ranks) / 4 + 3.0 * ranks * kHeader / 4) + 2 * 100 * ranks);
}

struct ReferenceRow {
  double density;
  Rank ranks;
  double oktopk, spardl, gtopk;  // words of a rank over 2(P-1)/P N
};

// The volumes of lossy algorithms in the project's reference table; its rows above 64 ranks, and those above
// a density of 5 %, are left out, as they differ in nothing but size.
TEST(WordsSent, AreThoseOfTheReferenceVolumes) {
  constexpr ReferenceRow kRows[] = {{0.001, 8, .003, .002, .007},   {0.001, 64, .003, .002, .012},
                                    {0.00781, 8, .023, .016, .054}, {0.00781, 32, .023, .016, .081},
                                    {0.01, 16, .030, .020, .085},   {0.05, 8, .150, .100, .343}};
  for (const ReferenceRow& row : kRows) {
    const std::uint64_t count = row.density > 0.005 ? 512 : 128;
    const auto dimension = static_cast<std::uint64_t>(std::lround(static_cast<double>(count) / row.density));
    const double dense = 2.0 * (row.ranks - 1) / row.ranks * static_cast<double>(dimension);
    const auto gradients = spread_gradients(1, row.ranks, dimension, std::min(dimension, 8 * count));
    const auto spardl = sent("spardl", gradients, count);
    EXPECT_NEAR(words(spardl[0], 2 * (row.ranks - 1)) / dense, row.spardl, 0.0006) << row.ranks;
    const auto gtopk = sent("gtopk", gradients, count);
    const double both_ways = 2 * words(gtopk[0], log2_of(row.ranks));  // the root receives what it sends
    EXPECT_NEAR(both_ways / dense, row.gtopk, 0.0006) << row.ranks;
    const auto oktopk = oktopk_words(row.ranks, dimension, count);
    EXPECT_LE(*std::ranges::max_element(oktopk) / dense, 4.0 / 3 * row.oktopk + 0.0006) << row.ranks;
  }
}

}  // namespace
}  // namespace sparsewire::test
