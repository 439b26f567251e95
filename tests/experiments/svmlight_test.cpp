#include "experiments/svmlight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

namespace sparsewire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

SvmlightData parse(const std::string& text, const SvmlightOptions& options = {}) {
  std::istringstream input(text);
  return parse_svmlight(input, "x.svm", options);
}

std::string error_of(const std::string& text, const SvmlightOptions& options = {}) {
  try {
    parse(text, options);
  } catch (const SvmlightError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Svmlight, ReadsRowsWithAndWithoutLabel) {
  const auto data = parse("1 0:1.5 3:-2\n-1 2:4\n4:1e-3 5:+2\n+1\n");
  EXPECT_EQ(data.dimension, 6u);
  ASSERT_EQ(data.rows.size(), 4u);
  EXPECT_THAT(data.rows[0], ElementsAre(Pair(0, 1.5), Pair(3, -2)));
  EXPECT_THAT(data.rows[1], ElementsAre(Pair(2, 4)));
  EXPECT_THAT(data.rows[2], ElementsAre(Pair(4, 1e-3), Pair(5, 2)));
  EXPECT_THAT(data.rows[3], IsEmpty());
}

TEST(Svmlight, TakesTheDimensionFromTheFirstLine) {
  EXPECT_EQ(parse("# N=100 0-based\n3:1\n").dimension, 100u);
  EXPECT_EQ(parse("#N=100\n3:1\n").dimension, 100u);
  EXPECT_EQ(parse("# anything\n3:1\n").dimension, 4u);
  EXPECT_EQ(parse("3:1\n# N=100\n").dimension, 4u);
  EXPECT_EQ(parse("# N=100\n3:1\n", {.dimension = 50}).dimension, 50u);
  EXPECT_EQ(parse("").dimension, 0u);
}

TEST(Svmlight, KeepsEmptyLinesAsEmptyVectors) {
  const std::string text = "# N=4\n0:1\n\n  \n# a comment alone\n1:1 # after data\n";
  const auto data = parse(text);
  ASSERT_EQ(data.rows.size(), 4u);
  EXPECT_THAT(data.rows[1], IsEmpty());
  EXPECT_THAT(data.rows[2], IsEmpty());
  EXPECT_THAT(data.rows[3], ElementsAre(Pair(1, 1)));
  EXPECT_EQ(parse(text, {.empty_line_is_vector = false}).rows.size(), 2u);
}

TEST(Svmlight, KeepsALastLineWithoutNewline) {
  EXPECT_EQ(parse("0:1\n1:1").rows.size(), 2u);
}

TEST(Svmlight, ToleratesCarriageReturnsTabsAndNotNumbers) {
  const auto data = parse("# N=9\r\n0:1\t 2:inf \r\n\r\n3:nan\r\n");
  EXPECT_EQ(data.dimension, 9u);
  ASSERT_EQ(data.rows.size(), 3u);
  EXPECT_THAT(data.rows[0], ElementsAre(Pair(0, 1), Pair(2, INFINITY)));
  EXPECT_THAT(data.rows[1], IsEmpty());
  EXPECT_TRUE(std::isnan(data.rows[2][0].second));
}

TEST(Svmlight, KeepsDuplicatesAndOrderAsWritten) {
  EXPECT_THAT(parse("9:1 2:1 9:2\n").rows[0], ElementsAre(Pair(9, 1), Pair(2, 1), Pair(9, 2)));
}

TEST(Svmlight, ShiftsOneBasedIndices) {
  const auto data = parse("1:5 4:6\n", {.one_based = true});
  EXPECT_EQ(data.dimension, 4u);
  EXPECT_THAT(data.rows[0], ElementsAre(Pair(0, 5), Pair(3, 6)));
  EXPECT_THAT(parse("# N=4\n4:6\n", {.one_based = true}).rows[0], ElementsAre(Pair(3, 6)));
  EXPECT_EQ(error_of("1:1\n0:1\n", {.one_based = true}),
            "x.svm:2:1: vector 1 (line 2): index 0 is not in [1, 4294967297)");
  EXPECT_EQ(error_of("# N=4\n5:1\n", {.one_based = true}),
            "x.svm:2:1: vector 0 (line 2): index 5 is not in [1, 5)");
}

TEST(Svmlight, NamesTheVectorOfAnIndexOutOfRange) {
  EXPECT_EQ(error_of("# N=10\n1:1\n2:1\n3:1\n4:1 12:1\n"),
            "x.svm:5:5: vector 3 (line 5): index 12 is not in [0, 10)");
  EXPECT_EQ(error_of("# N=10\n-1:1\n"), "x.svm:2:1: vector 0 (line 2): index -1 is not in [0, 10)");
  EXPECT_EQ(error_of("10:1\n", {.dimension = 10}),
            "x.svm:1:1: vector 0 (line 1): index 10 is not in [0, 10)");
  EXPECT_EQ(error_of("99999999999999999999:1\n"),
            "x.svm:1:1: vector 0 (line 1): index 99999999999999999999 is not in [0, 4294967296)");
  EXPECT_EQ(parse("4294967295:1\n").dimension, std::uint64_t{1} << 32);
}

TEST(Svmlight, NamesFileLineAndColumnOfABadToken) {
  EXPECT_EQ(error_of("1 0:1\n1 5:\n"), "x.svm:2:3: found \"5:\" without a value, expected index:value");
  EXPECT_EQ(error_of("1 0:1  5\n"), "x.svm:1:8: found \"5\" without a value, expected index:value");
  EXPECT_EQ(error_of("a:1\n"), "x.svm:1:1: found \"a\", expected a whole number as the index");
  EXPECT_EQ(error_of("1.5:1\n"), "x.svm:1:1: found \"1.5\", expected a whole number as the index");
  EXPECT_EQ(error_of(":1\n"), "x.svm:1:1: found \"\", expected a whole number as the index");
  EXPECT_EQ(error_of("3:x\n"), "x.svm:1:3: found \"x\", expected a number as the value");
  EXPECT_EQ(error_of("3:1:2\n"), "x.svm:1:3: found \"1:2\", expected a number as the value");
  EXPECT_EQ(error_of("3:+-2\n"), "x.svm:1:3: found \"+-2\", expected a number as the value");
  EXPECT_EQ(error_of("# N=many\n"), "x.svm:1:3: found \"N=many\", expected N= and a whole number");
  EXPECT_EQ(error_of("# N=4294967297\n"),
            "x.svm:1:3: dimension 4294967297 is above 2^32, the limit of 32-bit indices");
}

TEST(Svmlight, NamesAFileThatIsMissing) {
  for (const auto& path : {std::filesystem::path("/nowhere/x.svm"), std::filesystem::temp_directory_path()}) {
    try {
      read_svmlight(path);
      FAIL() << path;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()), path.string() + ": cannot open the file");
    }
  }
}

struct DataFile {
  const char* name;
  std::uint64_t dimension, rows, nonzeros;
};

class SvmlightFiles : public testing::TestWithParam<DataFile> {};

TEST_P(SvmlightFiles, HaveTheKnownShape) {
  const auto path = std::filesystem::path(SPARSEWIRE_SOURCE_DIR) / "../shared/data/sparse" / GetParam().name;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto data = read_svmlight(path);
  EXPECT_EQ(data.dimension, GetParam().dimension);
  EXPECT_EQ(data.rows.size(), GetParam().rows);
  std::uint64_t nonzeros = 0;
  for (const auto& row : data.rows) nonzeros += row.size();
  EXPECT_EQ(nonzeros, GetParam().nonzeros);
}

INSTANTIATE_TEST_SUITE_P(Data, SvmlightFiles,
                         testing::Values(DataFile{"rcv1_small_VW.svm", 47237, 1000, 77739},
                                         DataFile{"wikitext2_valid_700_token_batch.svm", 13776, 305, 89079},
                                         DataFile{"criteo_sample2_PaddleRec_feat_idx.svm", 1086460, 100,
                                                  3202},
                                         DataFile{"bcsstk13_FEM_LAGraph.svm", 2003, 2003, 83883}),
                         [](const auto& test) {
                           const std::string name = test.param.name;
                           return name.substr(0, name.find('_'));
                         });

}  // namespace
}  // namespace sparsewire
