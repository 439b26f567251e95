#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/json_check.hpp"
#include "experiments/json_parse.hpp"

namespace sparsewire {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ParseJson, MakesWholeNumbersIntegers) {
  const auto parsed = parse_json(R"({"a": [1e6, 4.0, -2.0, 0.5, 1e17, 18446744073709551615, -3]})");
  EXPECT_THAT(parsed.problems, IsEmpty());
  const json& list = parsed.value["a"];
  EXPECT_TRUE(list[0].is_number_integer());
  EXPECT_EQ(list[0], 1000000);
  EXPECT_TRUE(list[1].is_number_integer());
  EXPECT_EQ(list[2], -2);
  EXPECT_TRUE(list[2].is_number_integer());
  EXPECT_TRUE(list[3].is_number_float());
  EXPECT_TRUE(list[4].is_number_float());
  EXPECT_EQ(list[5], 18446744073709551615u);
  EXPECT_EQ(list[6], -3);
}

TEST(ParseJson, BuildsWhatTheLibraryBuilds) {
  for (const char* text : {"null", "true", "[]", "{}", R"([[], {}, [{"a": [null, false, "x"]}], 2])",
                           R"({"a": {"b": {"c": []}}, "d": "é\n"})", "0.25"})
    EXPECT_EQ(parse_json(text).value, json::parse(text)) << text;
}

TEST(ParseJson, ReportsEveryDuplicateKeyWithItsPointer) {
  const auto parsed = parse_json(R"({"a": 1, "b/c": [0, {"x": 1, "x": {"y": 1, "y": 2}}], "a": 2})");
  EXPECT_THAT(parsed.problems,
              ElementsAre(Problem{"/b~1c/1/x", "found the key \"x\" again, expected it once"},
                          Problem{"/b~1c/1/x/y", "found the key \"y\" again, expected it once"},
                          Problem{"/a", "found the key \"a\" again, expected it once"}));
}

TEST(ParseJson, AllowsTheSameKeyInDifferentObjects) {
  EXPECT_THAT(parse_json(R"([{"a": 1}, {"a": {"a": 2}}])").problems, IsEmpty());
}

TEST(ParseJson, NamesLineAndColumnOfASyntaxError) {
  const auto parsed = parse_json("{\n  \"a\": 1,\n  }");
  ASSERT_EQ(parsed.problems.size(), 1u);
  EXPECT_EQ(parsed.problems[0].pointer, "");
  EXPECT_THAT(parsed.problems[0].message, HasSubstr("line 3, column 3"));
  EXPECT_TRUE(parsed.value.is_null());
}

TEST(ParseJson, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "[1,]", "{} {}", "NaN", "[Infinity]", "{'a': 1}", "\"\xff\"", "1e999"})
    EXPECT_EQ(parse_json(text).problems.size(), 1u) << text;
}

TEST(ParseJson, SaysThatCommentsAreNotAccepted) {
  for (const char* text : {"{\n// no\n}", "{} /* no */", "[1, # no\n 2]"}) {
    const auto parsed = parse_json(text);
    ASSERT_EQ(parsed.problems.size(), 1u) << text;
    EXPECT_THAT(parsed.problems[0].message, HasSubstr("comments are not accepted")) << text;
  }
}

TEST(Describe, NamesAnyValue) {
  EXPECT_EQ(describe("a\"b"), "\"a\\\"b\"");
  EXPECT_EQ(describe(0.5), "0.5");
  EXPECT_EQ(describe(json::array()), "an empty list");
  EXPECT_EQ(describe({1, 2, 3}), "a list of 3");
  EXPECT_EQ(describe(json::object()), "an object");
  EXPECT_EQ(describe(nullptr), "null");
}

const json kSchema = json::parse(R"({
  "type": "object", "additionalProperties": false, "required": ["shape"],
  "properties": {
    "shape": {"oneOf": [{"$ref": "#/definitions/circle"}, {"$ref": "#/definitions/box"}]},
    "note": {"type": "string", "pattern": "^x"}
  },
  "definitions": {
    "circle": {"type": "object", "additionalProperties": false, "required": ["kind", "radius"],
               "properties": {"kind": {"const": "circle"}, "radius": {"type": "number", "exclusiveMinimum": 0}}},
    "box": {"type": "object", "additionalProperties": false, "required": ["kind"],
            "properties": {"kind": {"const": "box"}, "sides": {"type": "array", "items": {"type": "integer"}}}}
  }
})");

TEST(CheckJson, FollowsTheAlternativeThatIsMeant) {
  EXPECT_THAT(check_json({{"shape", {{"kind", "circle"}, {"radius", 1.5}}}}, kSchema), IsEmpty());
  EXPECT_THAT(check_json({{"shape", {{"kind", "circle"}, {"radius", 0}}}}, kSchema),
              ElementsAre(Problem{"/shape/radius", "found 0, expected a number above 0"}));
  EXPECT_THAT(
      check_json({{"shape", {{"kind", "box"}, {"radius", 1}}}}, kSchema),
      ElementsAre(Problem{"/shape/radius", "unknown key \"radius\", expected one of \"kind\", \"sides\""}));
  EXPECT_THAT(check_json({{"shape", {{"kind", "bux"}}}}, kSchema),
              ElementsAre(Problem{"/shape/kind",
                                  "found \"bux\", expected one of \"circle\", \"box\"; did you mean "
                                  "\"box\"?"}));
  EXPECT_THAT(check_json({{"shape", json::object()}}, kSchema),
              ElementsAre(Problem{"/shape", "missing key \"kind\", expected one of \"circle\", \"box\""}));
  EXPECT_THAT(check_json({{"shape", 1}}, kSchema),
              ElementsAre(Problem{"/shape", "found 1, expected an object"}));
}

TEST(CheckJson, ChecksAgainstADefinition) {
  EXPECT_THAT(check_json({{"kind", "box"}, {"sides", {1, 2}}}, kSchema, "box"), IsEmpty());
  EXPECT_THAT(check_json({{"kind", "box"}, {"sides", {1, 2.5}}}, kSchema, "box"),
              ElementsAre(Problem{"/sides/1", "found 2.5, expected an integer"}));
}

TEST(CheckJson, ReportsWhatOnlyTheValidatorFinds) {
  const auto problems = check_json({{"shape", {{"kind", "box"}}}, {"note", "y"}}, kSchema);
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].pointer, "/note");
  EXPECT_THAT(problems[0].message, HasSubstr("pattern"));
}

}  // namespace
}  // namespace sparsewire
