// Algorithms with parameters, as users write them.
#include "model/algorithm_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "algorithms/catalogue.hpp"
#include "tests/support/contributions.hpp"
#include "tests/support/error_of.hpp"

namespace sparsewire {
namespace {

using test::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(AlgorithmSpec, IsANameWithOrWithoutParameters) {
  EXPECT_EQ(parse_algorithm("dense-ring").name, "dense-ring");
  EXPECT_THAT(parse_algorithm("dense-ring").parameters, IsEmpty());
  const AlgorithmSpec spec = parse_algorithm("two-level(node=4,inner=kylix(degrees=2x3,x=1),outer=a)");
  EXPECT_EQ(spec.name, "two-level");
  EXPECT_THAT(spec.parameters,
              ElementsAre(Pair("inner", "kylix(degrees=2x3,x=1)"), Pair("node", "4"), Pair("outer", "a")));
  EXPECT_EQ(spec.number("node"), 4u);
  EXPECT_THAT(parse_algorithm(spec.text("inner")).numbers("degrees"), ElementsAre(2, 3));
  EXPECT_EQ(parse_algorithm("a(b=0.25)").real("b"), 0.25);
}

TEST(AlgorithmSpec, IsWrittenAsItIsRead) {
  for (const char* text : {"dense-ring", "two-level(inner=kylix(degrees=2x3,x=1),node=4)"})
    EXPECT_EQ(text_of(parse_algorithm(text)), text);
}

TEST(AlgorithmSpec, RefusesWhatIsNone) {
  for (const char* text : {"", "(", "a(", "a()", "a(b)", "a(b=)", "a(=1)", "a(b=1", "a(b=1))", "a(b=1)c",
                           "a b", "a(b=1,)", "a(b=1,b=2)", "a(b=c(d=1)", "A"})
    EXPECT_THAT(error_of([&] { parse_algorithm(text); }), HasSubstr(std::string("found \"") + text + "\""))
        << text;
  EXPECT_THAT(error_of([] { parse_algorithm("a(b=1,b=2)"); }), HasSubstr("\"b\" stands twice"));
}

TEST(AlgorithmSpec, NamesTheParameterThatDoesNotFit) {
  const Parameter node{"node", ParameterKind::number, "4", "", 2};
  EXPECT_NO_THROW(require_fitting(node, "2"));
  EXPECT_EQ(error_of([&] { require_fitting(node, "1"); }), "node: found \"1\", expected at least 2");
  for (const char* value : {"x", "-1", "4.5", "99999999999999999999", ""})
    EXPECT_EQ(error_of([&] { require_fitting(node, value); }),
              std::string("node: found \"") + value + "\", expected a whole number");
  const Parameter degrees{"degrees", ParameterKind::numbers, "2", "", 2};
  EXPECT_NO_THROW(require_fitting(degrees, "8x4"));
  EXPECT_THAT(error_of([&] { require_fitting(degrees, "8x1"); }), HasSubstr("at least 2"));
  for (const char* value : {"8x", "x8", "8,4", ""})
    EXPECT_THAT(error_of([&] { require_fitting(degrees, value); }), HasSubstr("joined by")) << value;
  const Parameter order{"order", ParameterKind::choice, "a", "", 1, {"rotated", "by-rank"}};
  EXPECT_NO_THROW(require_fitting(order, "by-rank"));
  EXPECT_EQ(error_of([&] { require_fitting(order, "rank"); }),
            "order: found \"rank\", expected rotated or by-rank");
  const Parameter share{"share", ParameterKind::real, "0.5", "", 0};
  EXPECT_NO_THROW(require_fitting(share, "1e-3"));
  for (const char* value : {"nan", "inf", "-1", "x", "1e19"})
    EXPECT_NE(error_of([&] { require_fitting(share, value); }), "no error") << value;
}

TEST(AlgorithmSpec, IsCompletedByTheCatalogue) {
  using test::Contributions;
  AlgorithmSpec seen;
  const AllreduceEntry<Contributions> entry{
      "a",
      Family::sparse,
      "",
      [&](Transport&, Contributions mine, const AlgorithmSpec& spec) {
        seen = spec;
        return mine;
      },
      {.parameters = {{"node", ParameterKind::number, "4", ""},
                      {"order", ParameterKind::choice, "x", "", 1, {"x", "y"}}}}};
  EXPECT_THAT(with_parameters(entry, "a").spec.parameters,
              ElementsAre(Pair("node", "4"), Pair("order", "x")));
  EXPECT_THAT(with_parameters(entry, "a(order=y)").spec.parameters,
              ElementsAre(Pair("node", "4"), Pair("order", "y")));
  EXPECT_EQ(with_parameters(entry, "a(order=y)").name, "a(order=y)");
  EXPECT_EQ(error_of([&] { with_parameters(entry, "a(size=4)"); }), "a has no parameter \"size\"");
  EXPECT_EQ(error_of([&] { with_parameters(entry, "a(node=0)"); }), "node: found \"0\", expected at least 1");
  EXPECT_THAT(error_of([] { allreduce_named<Contributions>("no-such"); }), HasSubstr("no-such"));
  EXPECT_EQ(allreduce_named<Contributions>("dense-ring").spec.name, "dense-ring");
}

}  // namespace
}  // namespace sparsewire
