#include "experiments/reduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "experiments/simulated_run.hpp"
#include "tests/support/machines.hpp"

namespace sparsewire {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

template <class T>
std::vector<SparseVector<T>> vectors_of(const std::string& text) {
  std::istringstream input(text);
  return rank_vectors<T>(parse_svmlight(input, "vectors"));
}

// The first two lines, N and the sum; the same of every algorithm on both simulators.
template <class T>
std::string sum_of(const std::string& text) {
  const auto vectors = vectors_of<T>(text);
  std::string all;
  for (const std::string backend : {"loggp", "simgrid"})
    for (const auto& algorithm : allreduce_catalogue<Coded<T>>()) {
      const auto world = simulated_world(backend, test::cluster_machine(), {});
      const Reduction reduction = reduce(*world, algorithm, vectors);
      EXPECT_TRUE(reduction.ranks_agree) << algorithm.name;
      EXPECT_THAT(reduction.text, HasSubstr("ranks agree bit for bit: yes"));
      const std::size_t end = reduction.text.find('\n', reduction.text.find('\n') + 1);
      const std::string sum = reduction.text.substr(0, end + 1);
      if (all.empty()) all = sum;
      EXPECT_EQ(sum, all) << algorithm.name << " on " << backend;
    }
  return all;
}

TEST(Reduce, SumsEverywhereTheSame) {
  EXPECT_EQ(sum_of<float>("# N=10\n0:1 3:2.5\n9:1\n3:0.5 4:-1\n"), "# N=10\n0:1 3:3 4:-1 9:1\n");
  EXPECT_EQ(sum_of<double>("# N=10\n0:1 3:2.5\n9:1\n3:0.5 4:-1\n"), "# N=10\n0:1 3:3 4:-1 9:1\n");
}

TEST(Reduce, KeepsDoublePrecision) {
  EXPECT_EQ(sum_of<double>("0:16777216\n0:1\n"), "# N=1\n0:16777217\n");
  EXPECT_EQ(sum_of<float>("0:16777216\n0:1\n"), "# N=1\n0:16777216\n");
}

TEST(Reduce, TakesEmptyVectors) {
  EXPECT_EQ(sum_of<float>("# N=5\n\n\n1:1\n"), "# N=5\n1:1\n");
  EXPECT_EQ(sum_of<float>("# N=5\n\n\n"), "# N=5\n\n");
  EXPECT_EQ(sum_of<float>("\n\n\n"), "# N=0\n\n");
}

TEST(Reduce, OfOneRankIsItsVector) {
  EXPECT_EQ(sum_of<float>("2:1 4:2\n"), "# N=5\n2:1 4:2\n");
}

TEST(Reduce, AddsDuplicateIndices) {  // D23
  EXPECT_EQ(sum_of<float>("0:1 1:1\n0:1 2:1\n"), "# N=3\n0:2 1:1 2:1\n");
  EXPECT_EQ(sum_of<float>("# N=8\n5:1 5:2\n\n"), "# N=8\n5:3\n");
}

TEST(Reduce, SortsIndices) {  // D31
  EXPECT_EQ(sum_of<float>("9:1 2:1 5:1\n2:1\n"), sum_of<float>("2:1 5:1 9:1\n2:1\n"));
  EXPECT_EQ(sum_of<float>("9:1 2:1 5:1\n2:1\n"), "# N=10\n2:2 5:1 9:1\n");
}

TEST(Reduce, DropsWhatAddsUpToZero) {  // D32
  EXPECT_EQ(sum_of<float>("# N=6\n3:1\n3:-1\n"), "# N=6\n\n");
  EXPECT_EQ(sum_of<float>("# N=6\n3:1 4:0.0\n3:-1 5:2\n"), "# N=6\n5:2\n");
}

TEST(Reduce, CarriesNansAndInfinities) {
  EXPECT_EQ(sum_of<float>("1:nan 2:inf 3:-inf\n1:1 2:1\n"), "# N=4\n1:nan 2:inf 3:-inf\n");
}

TEST(Reduce, TakesAnyOperator) {
  const auto world = simulated_world("loggp", test::cluster_machine(), {});
  const std::string text = "# N=6\n0:2 1:-3 2:0\n0:5 1:nan 5:4 5:3\n";
  const auto reduced = [&]<class Op>(Op) {
    std::istringstream input(text);
    const auto vectors = rank_vectors<float, Op>(parse_svmlight(input, "vectors"));
    const std::string printed =
        reduce(*world, allreduce_named<Stream<float, Op>>("sparse-ring"), vectors).text;
    return printed.substr(0, printed.find(" on 2 ranks"));
  };
  EXPECT_EQ(reduced(Minimum()), "# N=6\n0:2 1:nan 2:0 5:3\n# sparse-ring");
  EXPECT_EQ(reduced(Maximum()), "# N=6\n0:5 1:nan 2:0 5:4\n# sparse-ring");
  EXPECT_EQ(reduced(Product()), "# N=6\n0:10 1:nan 2:0 5:12\n# sparse-ring");
  EXPECT_EQ(reduced(LogicalOr()), "# N=6\n0:1 1:1 5:1\n# sparse-ring");
}

TEST(Reduce, TellsRanksMessagesAndBytes) {
  const auto world = simulated_world("loggp", test::cluster_machine(), {});
  const auto algorithm = allreduce_catalogue<Coded<float>>().front();
  const Reduction reduction = reduce(*world, algorithm, vectors_of<float>("# N=9\n1:1\n2:1\n3:1\n4:1\n"));
  EXPECT_THAT(reduction.text, HasSubstr("# ssar-recursive-double on 4 ranks: 4 non-zeros\n"));
  std::istringstream rows(reduction.text.substr(reduction.text.find("# rank ")));
  std::string line;
  std::getline(rows, line);
  EXPECT_THAT(line, testing::MatchesRegex("# rank +time_s messages +bytes"));
  for (int expected = 0; expected < 4; ++expected) {
    std::string hash;
    int rank = -1;
    double time = 0;
    std::uint64_t messages = 0, bytes = 0;
    rows >> hash >> rank >> time >> messages >> bytes;
    EXPECT_EQ(rank, expected);
    EXPECT_GT(time, 1e-6);
    EXPECT_EQ(messages, 2u);
    EXPECT_GT(bytes, 0u);
  }
}

// What a reduction prints can be reduced again.
TEST(Reduce, PrintsWhatItReads) {
  const auto world = simulated_world("loggp", test::cluster_machine(), {});
  const auto algorithm = allreduce_catalogue<Coded<double>>().front();
  const auto once = vectors_of<double>("# N=9\n1:0.1 5:1e-300\n1:0.2 8:3\n");
  const Reduction reduction = reduce(*world, algorithm, once);
  const auto read = vectors_of<double>(reduction.text);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].dimension, 9u);
  EXPECT_EQ(read[0].values, (std::vector<double>{0.1 + 0.2, 1e-300, 3}));
}

TEST(Reduce, SaysWhenRanksDisagree) {
  const auto world = simulated_world("loggp", test::cluster_machine(), {});
  const Allreduce<Coded<float>> none{"none", Family::sparse, "",
                                     [](Transport&, Coded<float> mine) { return mine; },
                                     parse_algorithm("none")};
  const Reduction reduction = reduce(*world, none, vectors_of<float>("1:1\n1:2\n"));
  EXPECT_FALSE(reduction.ranks_agree);
  EXPECT_THAT(reduction.text, HasSubstr("ranks agree bit for bit: NO"));
}

TEST(RankVectors, NameRankAndIndexOutOfRange) {  // D30
  SvmlightData data{10, {{{1, 1.}}, {{2, 1.}, {-1, 1.}}}};
  const auto error = [&] {
    try {
      rank_vectors<float>(data);
    } catch (const InvalidVector& problem) {
      return std::string(problem.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error(), "rank 1: index -1 is not in [0, 10)");
  data.rows[1][1].first = 10;
  EXPECT_EQ(error(), "rank 1: index 10 is not in [0, 10)");
  data.rows[1][1].first = 9;
  EXPECT_EQ(error(), "no error");
  data.dimension = (std::uint64_t{1} << 32) + 1;
  EXPECT_THAT(error(), HasSubstr("above 2^32"));
}

}  // namespace
}  // namespace sparsewire
