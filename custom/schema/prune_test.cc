// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/prune.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/codec/tree_json.h"
#include "custom/testing/schemas.h"

namespace dray::custom::schema {
namespace {

using testing::SchemaOf;
using testing::TreeOf;

constexpr const char* kPrunedSchema = R"({"type":"object","properties":{
  "spec":{"type":"object","properties":{
    "a":{"type":"string"},
    "n":{"type":"integer","nullable":true},
    "d":{"type":"integer","default":1},
    "l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"}}}},
    "m":{"type":"object","additionalProperties":{"type":"object","properties":{"x":{"type":"integer"}}}},
    "open":{"type":"object","additionalProperties":true},
    "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
            "properties":{"known":{"type":"object","properties":{"x":{"type":"integer"}}}}},
    "frees":{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"object",
             "properties":{"known":{"type":"object"}}}},
    "any":{"x-kubernetes-preserve-unknown-fields":true},
    "pod":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"spec":{"type":"object"}}}
  }}}})";

struct PruneCase {
  const char* given;
  const char* left;
  std::vector<std::string> unknown;
};

TEST(Prune, RemovesWhatTheSchemaDoesNotHave) {
  const PruneCase cases[] = {
      {R"({"kind":"W","apiVersion":"v","metadata":{"z":1},"spec":{"a":"x"}})",
       R"({"apiVersion":"v","kind":"W","metadata":{"z":1},"spec":{"a":"x"}})",
       {}},
      {R"({"extra":true,"spec":{"bogus":1,"a":"x","l":[{"x":1},{"y":{"z":2}}]}})",
       R"({"spec":{"a":"x","l":[{"x":1},{}]}})",
       {"extra", "spec.bogus", "spec.l[1].y"}},
      {R"({"spec":{"m":{"k":{"x":1,"y":2}},"a":{"kept":1}}})",
       R"({"spec":{"a":{},"m":{"k":{"x":1}}}})",
       {"spec.a.kept", "spec.m.k.y"}},
      // additionalProperties: true keeps members, not what lies in them.
      {R"({"spec":{"open":{"s":1,"o":{"x":1},"l":[[{"y":1},2],{"z":3}]}}})",
       R"({"spec":{"open":{"l":[[{},2],{}],"o":{},"s":1}}})",
       {"spec.open.l[0][0].y", "spec.open.l[1].z", "spec.open.o.x"}},
      {R"({"spec":{"free":{"q":{"deep":[1]},"known":{"x":1,"y":2}},"any":[{"b":1}]}})",
       R"({"spec":{"any":[{"b":1}],"free":{"known":{"x":1},"q":{"deep":[1]}}}})",
       {"spec.free.known.y"}},
      {R"({"spec":{"frees":[{"q":1,"known":{"y":1}}]}})",
       R"({"spec":{"frees":[{"known":{},"q":1}]}})",
       {"spec.frees[0].known.y"}},
      {R"({"spec":{"pod":{"kind":"P","metadata":{"any":1},"spec":{"x":1},"status":{}}}})",
       R"({"spec":{"pod":{"kind":"P","metadata":{"any":1},"spec":{}}}})",
       {"spec.pod.spec.x", "spec.pod.status"}},
      // Nulls without a default go, unless they are nullable; elements stay.
      {R"({"spec":{"a":null,"n":null,"d":null,"m":{"k":null},"l":[null],"any":null,"free":{"q":null}}})",
       R"({"spec":{"d":null,"free":{"q":null},"l":[null],"m":{},"n":null}})",
       {}},
  };
  const auto schema = SchemaOf(kPrunedSchema);
  for (const PruneCase& c : cases) {
    api::Tree tree = TreeOf(c.given);
    const api::Tree before = tree;
    std::vector<std::string> unknown = {"metadata.first"};
    Prune(tree, *schema, &unknown);
    EXPECT_EQ(ToJson(tree), c.left);
    EXPECT_EQ(before, TreeOf(c.given));
    unknown.erase(unknown.begin());
    EXPECT_EQ(unknown, c.unknown) << c.given;
  }
}

TEST(Prune, KeepsNullsOnRequest) {
  api::Tree tree = TreeOf(R"({"a":null,"b":1})");
  PruneValue(tree, SchemaOf(R"({"type":"object","properties":{"a":{"type":"string"}}})")->root());
  EXPECT_EQ(ToJson(tree), R"({"a":null})");
}

TEST(Prune, ReportsTheFirstUnknownMembers) {
  std::string json = "{";
  for (size_t i = 0; i <= kUnknownMembersMax; ++i) {
    json += (i == 0 ? "\"k" : ",\"k") + std::to_string(1000 + i) + "\":0";
  }
  std::vector<std::string> unknown;
  api::Tree tree = TreeOf(json + "}");
  Prune(tree, *SchemaOf(R"({"type":"object"})"), &unknown);
  EXPECT_EQ(tree.size(), 0U);
  ASSERT_EQ(unknown.size(), kUnknownMembersMax);
  EXPECT_EQ(unknown.back(), "k1099");
}

TEST(Prune, DeepListsDoNotRecurse) {
  constexpr size_t kDepth = 9'000;
  const std::string json = R"({"spec":{"open":{"l":)" + std::string(kDepth, '[') + R"({"x":1})" +
                           std::string(kDepth, ']') + "}}}";
  api::Tree tree = TreeOf(json);
  std::vector<std::string> unknown;
  Prune(tree, *SchemaOf(kPrunedSchema), &unknown);
  EXPECT_EQ(unknown.size(), 1U);
  EXPECT_EQ(ToJson(tree).size(), json.size() - 5);
}

}  // namespace
}  // namespace dray::custom::schema
