// SPDX-License-Identifier: Apache-2.0
#include "api/codec/tree_json.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace dray::api::inline codec {
namespace {

std::string Again(std::string_view json) {
  const Result<Tree> tree = ReadTree(json);
  return tree ? ToJson(*tree) : tree.error().message;
}

std::string Nested(size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(TreeJson, IsWrittenAsGoWritesIt) {
  const std::pair<const char*, const char*> cases[] = {
      {" null ", "null"},
      {R"([true,false,"",{},[],[[]]])", R"([true,false,"",{},[],[[]]])"},
      {R"({"b":1,"a":{"d":[{"z":1,"y":2}],"c":null}})",
       R"({"a":{"c":null,"d":[{"y":2,"z":1}]},"b":1})"},
      {"[5.0, 1e3, 0.25, 1e21, 1e-7, 1e-400]", "[5,1000,0.25,1e+21,1e-7,0]"},
      {"[9223372036854775807, -9223372036854775808, 9223372036854775808, -0]",
       "[9223372036854775807,-9223372036854775808,9223372036854776000,0]"},
      {R"("<a & \"b\"> \u00e4\ud83d\ude00\n")", R"("\u003ca \u0026 \"b\"\u003e ä😀\n")"},
      {R"({"a":1,"a":{"b":2}})", R"({"a":{"b":2}})"},
      {R"({"\u0061 name with an escape":1,"a name with an escape":2})",
       R"({"a name with an escape":2})"},
      {"", "json: line 1, column 1: unexpected end of JSON input"},
      {"{\"a\":1", "json: line 1, column 7: unexpected end of JSON input"},
      {"[1,]", "json: line 1, column 4: invalid character ']' looking for beginning of value"},
      {"1 2", "json: line 1, column 3: invalid character '2' after top-level value"},
      {"[1e400]", "json: cannot unmarshal number 1e400 into Go value of type float64"},
  };
  for (const auto& [json, expected] : cases) EXPECT_EQ(Again(json), expected) << json;
}

TEST(TreeJson, IntegersStayWhole) {
  const Result<Tree> tree = ReadTree("[1, 1.0, 9223372036854775808]");
  ASSERT_TRUE(tree);
  EXPECT_TRUE(tree->elements()[0].is_integer());
  EXPECT_TRUE(tree->elements()[1].is_double());
  EXPECT_TRUE(tree->elements()[2].is_double());
}

TEST(TreeJson, DuplicatesAreNoted) {
  DecodeIssues issues;
  const Result<Tree> tree =
      ReadTree(R"({"m":{"n":{"k":1,"k":2}},"l":[{"x":1},{"x":1,"x":2}],"m":{}})", {}, &issues);
  ASSERT_TRUE(tree);
  EXPECT_EQ(
      issues,
      (DecodeIssues{
          R"(duplicate field "m.n.k")", R"(duplicate field "l[1].x")", R"(duplicate field "m")"}));
  issues = {"another"};
  ASSERT_TRUE(ReadTree(R"({"a":1,"b":2})", {}, &issues));
  EXPECT_EQ(issues.size(), 1U);
  std::string many = R"({"a":0)";
  for (size_t i = 0; i < kDecodeIssuesMax; ++i) many += R"(,"a":0)";
  ASSERT_TRUE(ReadTree(many + "}", {}, &issues));
  EXPECT_EQ(issues.size(), kDecodeIssuesMax);
}

TEST(TreeJson, LimitsHold) {
  EXPECT_EQ(Again(Nested(JsonReader::kDepthMax)), Nested(JsonReader::kDepthMax));
  EXPECT_EQ(Again(Nested(JsonReader::kDepthMax + 1)), "exceeded max depth");
  EXPECT_TRUE(ReadTree("[[1]]", {.depth_max = 2}));
  EXPECT_FALSE(ReadTree("[[[]]]", {.depth_max = 2}));
  EXPECT_TRUE(ReadTree("[1,2,{\"a\":3}]", {.values_max = 5}));
  const Result<Tree> over = ReadTree("[1,2,{\"a\":3},4]", {.values_max = 5});
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().message, "too many values");
}

TEST(TreeJson, BeginningsAreBounded) {
  const Result<Tree> tree = ReadTree(R"({"a":[1,2,{"b":"text"}]})");
  ASSERT_TRUE(tree);
  EXPECT_EQ(BeginningOf(*tree, 24), R"({"a":[1,2,{"b":"text"}]})");
  EXPECT_EQ(BeginningOf(*tree, 7), R"({"a":[1,)");
  const std::string text(100'000, 'x');
  EXPECT_EQ(BeginningOf(Tree(text), 10).size(), 12U);
  EXPECT_EQ(BeginningOf(Tree::Object({{text, Tree(text)}}), 10).size(), 14U);
}

TEST(TreeJson, ManyMembersAndElements) {
  std::string json = "{";
  for (size_t i = 0; i < 10'000; ++i) {
    json += (i == 0 ? "\"" : ",\"") + std::to_string(i * 7919 % 10'000) + "\":[" +
            std::to_string(i) + "]";
  }
  const Result<Tree> tree = ReadTree(json + "}");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->size(), 10'000U);
  for (size_t i = 0; i < 10'000; ++i) {
    const Tree* found = tree->Find(std::to_string(i * 7919 % 10'000));
    ASSERT_NE(found, nullptr);
    ASSERT_EQ(found->elements()[0].integer(), static_cast<int64_t>(i));
  }
  EXPECT_EQ(Again(ToJson(*tree)), ToJson(*tree));
}

}  // namespace
}  // namespace dray::api::inline codec
