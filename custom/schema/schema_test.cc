// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/schema.h"

#include <string>

#include <gtest/gtest.h>

#include "custom/testing/schemas.h"

namespace dray::custom::schema {
namespace {

using testing::SchemaOf;

TEST(CompileSchema, KeepsWhatADefinitionSays) {
  const auto schema = SchemaOf(R"({"type":"object","properties":{
    "b":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"maxItems":3,
         "items":{"type":"object","properties":{"k":{"type":"string","default":"x"}}}},
    "a":{"x-kubernetes-int-or-string":true,"pattern":"^a","format":"date","nullable":true},
    "c":{"type":"object","additionalProperties":{"type":"integer","format":"int32","enum":[1,2]},
         "x-kubernetes-map-type":"atomic"},
    "d":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-embedded-resource":true},
    "e":{"type":"object","additionalProperties":false}}})");
  const Node& root = schema->root();
  EXPECT_EQ(root.type, ValueType::kObject);
  ASSERT_EQ(root.properties.size(), 5U);
  EXPECT_EQ(root.FindProperty("f"), nullptr);
  const Node& list = *root.FindProperty("b");
  EXPECT_EQ(list.list_type, ListType::kMap);
  EXPECT_EQ(list.list_keys, std::vector<std::string>{"k"});
  EXPECT_EQ(list.rules->items.max, 3);
  EXPECT_EQ(list.items->FindProperty("k")->default_value.text(), "x");
  EXPECT_TRUE(list.has_defaults && list.has_list_rules && !list.has_embedded);
  const Node& either = *root.FindProperty("a");
  EXPECT_TRUE(either.is_int_or_string && either.is_nullable);
  EXPECT_EQ(either.type, ValueType::kAny);
  EXPECT_EQ(either.rules->checked_format, formats::ValueFormat::kDate);
  const Node& map = *root.FindProperty("c");
  EXPECT_EQ(map.other_members, OtherMembers::kOfSchema);
  EXPECT_EQ(map.FindMember("anything")->rules->checked_format, formats::ValueFormat::kInt32);
  EXPECT_EQ(map.map_type, MapType::kAtomic);
  EXPECT_TRUE(root.FindProperty("d")->keeps_unknown_members);
  EXPECT_EQ(root.FindProperty("e")->other_members, OtherMembers::kForbidden);
  EXPECT_TRUE(root.has_defaults && root.has_list_rules && root.has_embedded);
}

TEST(CompileSchema, FormatsAreCheckedForTheirTypesOnly) {
  const auto format_of = [](const std::string& json) {
    return SchemaOf(json)->root().rules->checked_format;
  };
  using formats::ValueFormat;
  EXPECT_EQ(format_of(R"({"type":"string","format":"int32"})"), ValueFormat::kNone);
  EXPECT_EQ(format_of(R"({"type":"integer","format":"date"})"), ValueFormat::kNone);
  EXPECT_EQ(format_of(R"({"type":"number","format":"int32"})"), ValueFormat::kNone);
  EXPECT_EQ(format_of(R"({"type":"number","format":"double"})"), ValueFormat::kDouble);
  EXPECT_EQ(format_of(R"({"type":"array","format":"date"})"), ValueFormat::kNone);
  EXPECT_EQ(format_of(R"({"format":"uuid"})"), ValueFormat::kUuid);
}

TEST(CompileSchema, LogicHasNodesOfItsOwn) {
  const auto schema = SchemaOf(R"({"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],
    "not":{"properties":{"c":{"enum":["x"]}}},"allOf":[{}],"anyOf":[{},{}]})");
  const ValueRules& rules = *schema->root().rules;
  EXPECT_EQ(rules.one_of.size(), 2U);
  EXPECT_EQ(rules.one_of[1]->rules->required, std::vector<std::string>{"b"});
  EXPECT_TRUE(
      rules.negated->FindProperty("c")->rules->enumeration.Allows(testing::TreeOf("\"x\"")));
  EXPECT_EQ(rules.any_of.size(), 2U);
  EXPECT_EQ(rules.all_of[0]->rules, nullptr);
  EXPECT_EQ(schema->size(), 8U);
}

}  // namespace
}  // namespace dray::custom::schema
