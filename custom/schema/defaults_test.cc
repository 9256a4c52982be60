// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/defaults.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "api/codec/tree_json.h"
#include "custom/testing/schemas.h"

namespace dray::custom::schema {
namespace {

using testing::SchemaOf;
using testing::TreeOf;

TEST(ApplyDefaults, FromTheTopDown) {
  const auto schema = SchemaOf(R"({"type":"object","properties":{
    "spec":{"type":"object","properties":{
      "n":{"type":"integer","default":1},
      "s":{"type":"string","nullable":true,"default":"x"},
      "o":{"type":"object","default":{},"properties":{"in":{"type":"integer","default":2}}},
      "none":{"type":"object","properties":{"in":{"type":"integer","default":3}}},
      "l":{"type":"array","items":{"type":"object","properties":{"p":{"type":"string","default":"TCP"}}}},
      "m":{"type":"object","additionalProperties":{"type":"string","default":"v"}},
      "i":{"type":"array","items":{"type":"integer","default":7}}}},
    "status":{"type":"object","properties":{"phase":{"type":"string","default":"New"}}}}})");
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", R"({})"},
      {R"({"spec":{}})", R"({"spec":{"n":1,"o":{"in":2},"s":"x"}})"},
      {R"({"spec":{"n":5,"s":null,"o":{"in":null}}})", R"({"spec":{"n":5,"o":{"in":2},"s":null}})"},
      {R"({"spec":{"n":null,"o":null}})", R"({"spec":{"n":1,"o":{"in":2},"s":"x"}})"},
      {R"({"spec":{"l":[{},{"p":"UDP"},{"p":null},null],"m":{"a":null,"b":"c"},"i":[1,null]}})",
       R"({"spec":{"i":[1,7],"l":[{"p":"TCP"},{"p":"UDP"},{"p":"TCP"},null],"m":{"a":"v","b":"c"},)"
       R"("n":1,"o":{"in":2},"s":"x"}})"},
      {R"({"spec":{"none":{}},"status":{}})",
       R"({"spec":{"n":1,"none":{"in":3},"o":{"in":2},"s":"x"},"status":{"phase":"New"}})"},
      {R"({"spec":"no object"})", R"({"spec":"no object"})"},
  };
  for (const auto& [given, expected] : cases) {
    api::Tree tree = TreeOf(given);
    const api::Tree before = tree;
    EXPECT_TRUE(ApplyDefaults(tree, *schema));
    EXPECT_EQ(ToJson(tree), expected);
    EXPECT_EQ(before, TreeOf(given));
    api::Tree again = tree;
    EXPECT_TRUE(ApplyDefaults(again, *schema));
    EXPECT_TRUE(again.SharesAllWith(tree) || again == tree);
  }
}

TEST(ApplyDefaults, AddsNoMoreThanItsLimit) {
  // Each element gets 1 MiB and a little.
  const std::string text(1U << 20U, 'x');
  const auto schema = SchemaOf(R"({"type":"object","properties":{"l":{"type":"array","items":{
    "type":"object","properties":{"big":{"type":"string","default":")" +
                               text + R"("}}}}}})");
  std::string list = R"({"l":[{})";
  for (size_t i = 1; i < 15; ++i) list += ",{}";
  api::Tree fits = TreeOf(list + "]}");
  EXPECT_TRUE(ApplyDefaults(fits, *schema));
  EXPECT_EQ(fits.Find("l")->elements()[14].Find("big")->text().size(), text.size());
  api::Tree over = TreeOf(list + ",{}]}");
  const Result<> refused = ApplyDefaults(over, *schema);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, StatusReason::kRequestEntityTooLarge);
}

}  // namespace
}  // namespace dray::custom::schema
