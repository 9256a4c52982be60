// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/list_rules.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "custom/testing/schemas.h"

namespace dray::custom::schema {
namespace {

using testing::SchemaOf;
using testing::TreeOf;

std::string Duplicates(const char* now, const char* old = nullptr) {
  static const auto kLists = SchemaOf(R"({"type":"object","properties":{
    "set":{"type":"array","x-kubernetes-list-type":"set","items":{"x-kubernetes-preserve-unknown-fields":true}},
    "one":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object",
           "properties":{"k":{"type":"string"},"in":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}},
    "two":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],
           "items":{"type":"object"}},
    "m":{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}},
    "plain":{"type":"array","items":{"type":"string"}}}})");
  const api::Tree before = old == nullptr ? api::Tree() : TreeOf(old);
  std::string text;
  for (const ErrorCause& cause :
       CheckLists(TreeOf(now), old == nullptr ? nullptr : &before, *kLists)) {
    text += cause.field + ": " + cause.message + "\n";
  }
  return text;
}

TEST(CheckLists, SetsHaveNoElementTwice) {
  EXPECT_EQ(Duplicates(R"({"set":["a","b","a","a"],"plain":["a","a"]})"),
            "set[2]: Duplicate value: \"a\"\n");
  EXPECT_EQ(Duplicates(R"({"set":[2,1,2,1]})"),
            "set[2]: Duplicate value: 2\nset[3]: Duplicate value: 1\n");
  EXPECT_EQ(Duplicates(R"({"set":[1,1.0,"1",null,true]})"), "");
  EXPECT_EQ(Duplicates(R"({"set":[1.0,1,1,1.0,1.0]})"),
            "set[2]: Duplicate value: 1\nset[3]: Duplicate value: 1\n");
  EXPECT_EQ(Duplicates(R"({"set":[{"a":1,"b":2},[1],{"b":2,"a":1.0},[1],null,null]})"),
            "set[2]: Duplicate value: {\"a\":1,\"b\":2}\nset[3]: Duplicate value: [1]\nset[5]: "
            "Duplicate value: null\n");
  EXPECT_EQ(Duplicates(R"({"m":{"k":["a","a"]}})"), "m[k][1]: Duplicate value: \"a\"\n");
}

TEST(CheckLists, ElementsHaveKeysOfTheirOwn) {
  EXPECT_EQ(Duplicates(R"({"one":[{"k":"a"},{"k":"b"},{"k":"a","in":["x","x"]}]})"),
            "one[2]: Duplicate value: {\"k\":\"a\"}\none[2].in[1]: Duplicate value: \"x\"\n");
  EXPECT_EQ(Duplicates(R"({"one":[{},null,{"k":null}]})"), "one[1]: Duplicate value: {}\n");
  EXPECT_EQ(Duplicates(R"({"one":[{"k":1},{"k":1.0}]})"), "");
  EXPECT_EQ(Duplicates(R"({"one":[{"k":"a"},"b"]})"),
            "one[1]: Invalid value: \"b\": must be an object for an array of list-type map\n");
  EXPECT_EQ(
      Duplicates(
          R"({"two":[{"port":1,"protocol":"TCP"},{"port":1},{"port":1,"protocol":"TCP","x":1},{"port":1}]})"),
      "two[2]: Duplicate value: {\"port\":1,\"protocol\":\"TCP\"}\ntwo[3]: Duplicate value: "
      "{\"port\":1}\n");
}

TEST(CheckLists, OldDuplicatesForgiveAll) {
  EXPECT_EQ(Duplicates(R"({"set":["a","a"]})", R"({"one":[{},{}]})"), "");
  EXPECT_EQ(Duplicates(R"({"set":["a","a"]})", R"({"set":["a"]})"),
            "set[1]: Duplicate value: \"a\"\n");
}

}  // namespace
}  // namespace dray::custom::schema
