// SPDX-License-Identifier: Apache-2.0
// What must hold for every schema and every object.
#include "custom/testing/random_schema.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/codec/tree_json.h"
#include "custom/schema/correlation.h"
#include "custom/schema/defaults.h"
#include "custom/schema/list_rules.h"
#include "custom/schema/prune.h"
#include "custom/schema/validate.h"
#include "custom/testing/schemas.h"

namespace dray::custom::schema {
namespace {

using api::Tree;

constexpr uint32_t kSeeds = 60;
constexpr size_t kValuesPerSchema = 6;

// Calls `check(schema, value, other value)` for values of many schemas.
void ForRandom(const std::function<void(const Schema&, const Tree&, const Tree&)>& check) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    std::mt19937 random(seed);
    const std::string json = ToJson(testing::RandomSchema(random, 3));
    const auto schema = testing::SchemaOf(json);
    for (size_t i = 0; i < kValuesPerSchema; ++i) {
      const Tree value = testing::RandomValue(random, schema->root());
      const Tree other = testing::RandomValue(random, schema->root());
      SCOPED_TRACE("seed " + std::to_string(seed) + ", schema " + json + ", value " +
                   ToJson(value) + ", " + ToJson(other));
      check(*schema, value, other);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(RandomSchema, PruningIsIdempotent) {
  ForRandom([](const Schema& schema, const Tree& value, const Tree& /*other*/) {
    const std::string before = ToJson(value);
    Tree once = value;
    std::vector<std::string> unknown;
    Prune(once, schema, &unknown);
    EXPECT_EQ(ToJson(value), before);
    // Members that are null go without a report, so the size says nothing.
    EXPECT_TRUE(unknown.empty() || ToJson(once) != before);
    Tree twice = once;
    unknown.clear();
    Prune(twice, schema, &unknown);
    EXPECT_EQ(ToJson(twice), ToJson(once));
    EXPECT_TRUE(unknown.empty());
  });
}

TEST(RandomSchema, DefaultsAreIdempotentAndStay) {
  ForRandom([](const Schema& schema, const Tree& value, const Tree& /*other*/) {
    Tree once = value;
    Prune(once, schema);
    const Tree pruned = once;
    ASSERT_TRUE(ApplyDefaults(once, schema));
    EXPECT_EQ(ToJson(pruned), [&] {
      Tree again = value;
      Prune(again, schema);
      return ToJson(again);
    }());
    Tree twice = once;
    ASSERT_TRUE(ApplyDefaults(twice, schema));
    EXPECT_EQ(ToJson(twice), ToJson(once));
    Tree after = once;
    Prune(after, schema);
    EXPECT_EQ(ToJson(after), ToJson(once));
  });
}

// Whether all parts of a value can be found again in a copy: no member that the schema does not
// name, no element without the keys of its list.
bool IsComparable(const Node& node, const Tree& value) {
  for (const Tree::Member& member : value.members()) {
    const Node* const inner = node.FindMember(member.name());
    if (inner == nullptr || !IsComparable(*inner, member.value)) return false;
  }
  if (node.list_type != ListType::kMap) return true;
  return std::ranges::all_of(value.elements(), [&](const Tree& element) {
    return !KeyOfElement(node, element).empty() && IsComparable(*node.items, element);
  });
}

TEST(RandomSchema, WhatIsUnchangedIsForgiven) {
  size_t forgiven = 0;
  ForRandom([&](const Schema& schema, const Tree& value, const Tree& /*other*/) {
    Tree object = value;
    Prune(object, schema);
    // The first of several elements with the same keys is found.
    if (!IsComparable(schema.root(), object) || !CheckLists(object, nullptr, schema).empty())
      return;
    EXPECT_TRUE(Validate(object, &object, schema).empty());
    // No double is whole: it would be read back as an integer, which is another value to Go.
    const Tree copy = testing::TreeOf(ToJson(object));
    EXPECT_TRUE(Validate(object, &copy, schema).empty());
    if (!Validate(object, nullptr, schema).empty()) ++forgiven;
  });
  EXPECT_GT(forgiven, 20U);
}

TEST(RandomSchema, WhatIsValidIsValidWhateverWasBefore) {
  size_t valid = 0;
  ForRandom([&](const Schema& schema, const Tree& value, const Tree& other) {
    Tree object = value;
    Prune(object, schema);
    ASSERT_TRUE(ApplyDefaults(object, schema));
    const std::vector<ErrorCause> found = Validate(object, nullptr, schema);
    EXPECT_EQ(found, Validate(object, nullptr, schema));
    const std::vector<ErrorCause> left = Validate(object, &other, schema);
    EXPECT_LE(left.size(), found.size());
    for (const ErrorCause& cause : left) {
      EXPECT_NE(std::find(found.begin(), found.end(), cause), found.end())
          << cause.field << cause.message;
    }
    if (found.empty()) ++valid;
  });
  EXPECT_GT(valid, 20U);
}

TEST(RandomSchema, TextsOfTreesAreReadBack) {
  ForRandom([](const Schema& /*schema*/, const Tree& value, const Tree& other) {
    EXPECT_EQ(testing::TreeOf(ToJson(value)), value);
    EXPECT_EQ(ToJson(value) == ToJson(other), value == other);
  });
}

}  // namespace
}  // namespace dray::custom::schema
