// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/validate.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "api/validation/cause_limits.h"
#include "custom/testing/schemas.h"

namespace dray::custom::schema {
namespace {

using testing::SchemaOf;
using testing::TreeOf;

using Texts = std::vector<std::string>;

Texts TextsOf(const std::vector<ErrorCause>& causes) {
  Texts texts;
  for (const ErrorCause& cause : causes) texts.push_back(cause.field + ": " + cause.message);
  return texts;
}

// The errors of an object {"v": value} whose member has `schema`.
Texts Found(std::string_view schema, std::string_view value) {
  const auto compiled =
      SchemaOf(R"({"type":"object","properties":{"v":)" + std::string(schema) + "}}");
  return TextsOf(Validate(TreeOf(R"({"v":)" + std::string(value) + "}"), nullptr, *compiled));
}

struct ValueCase {
  std::string_view schema;
  std::string_view value;
  Texts found;
};

void Check(const std::vector<ValueCase>& cases) {
  for (const ValueCase& c : cases)
    EXPECT_EQ(Found(c.schema, c.value), c.found) << c.schema << " " << c.value;
}

TEST(Validate, Types) {
  Check({
      {R"({"type":"string"})",
       "1",
       {R"(v: Invalid value: "integer": v in body must be of type string: "integer")"}},
      {R"({"type":"string"})",
       "null",
       {R"(v: Invalid value: "null": v in body must be of type string: "null")"}},
      {R"({"type":"string","nullable":true})", "null", {}},
      {R"({"type":"number"})", "1", {}},
      {R"({"type":"integer"})", "1.0", {}},
      {R"({"type":"integer"})",
       "1.5",
       {R"(v: Invalid value: "number": v in body must be of type integer: "number")",
        R"(<nil>: Invalid value: "": Checked value must be of type integer (default format) in v)"}},
      {R"({"type":"array","items":{"type":"boolean"}})",
       R"([true,"x"])",
       {R"(v[1]: Invalid value: "string": v[1] in body must be of type boolean: "string")"}},
      {R"({"type":"object"})",
       "[]",
       {R"(v: Invalid value: "array": v in body must be of type object: "array")"}},
      {R"({"x-kubernetes-int-or-string":true})",
       "true",
       {R"(v: Invalid value: "boolean": v in body must be of type integer,string: "boolean")"}},
      {R"({"x-kubernetes-int-or-string":true})", R"("50%")", {}},
      {R"({"x-kubernetes-int-or-string":true})", "2.0", {}},
      {R"({"x-kubernetes-preserve-unknown-fields":true})", R"([1,{"a":null}])", {}},
  });
}

TEST(Validate, FormatsOfNumbers) {
  Check({
      {R"({"type":"integer","format":"int32"})",
       "2147483648",
       {R"(<nil>: Invalid value: "": Checked value must be of type integer with format int32 in v)"}},
      {R"({"type":"integer","format":"int32"})", "-2147483648", {}},
      {R"({"type":"integer","format":"int64"})", "9223372036854775807", {}},
      {R"({"type":"integer","format":"int64"})",
       "9223372036854775808",
       {R"(v: Invalid value: "float64": v in body must be of type int64: "float64")",
        R"(<nil>: Invalid value: "": Checked value must be of type integer with format int64 in v)"}},
      {R"({"type":"integer"})", "1e3", {}},
      {R"({"type":"number","format":"float"})",
       "3.5e38",
       {R"(<nil>: Invalid value: "": Checked value must be of type number with format float in v)"}},
      {R"({"type":"number","format":"float"})", "3.4e38", {}},
      {R"({"type":"number"})", "100000000000000000000", {}},
      {R"({"type":"number","format":"double"})",
       "true",
       {R"(v: Invalid value: "": v in body must be of type double: "")"}},
  });
}

TEST(Validate, RangesOfNumbers) {
  Check({
      {R"({"type":"integer","minimum":0,"maximum":10,"multipleOf":5})",
       "7",
       {"v: Invalid value: 7: v in body should be a multiple of 5"}},
      {R"({"type":"integer","minimum":0,"maximum":10,"multipleOf":5})",
       "-3",
       {"v: Invalid value: -3: v in body should be a multiple of 5",
        "v: Invalid value: -3: v in body should be greater than or equal to 0"}},
      {R"({"type":"integer","maximum":10})",
       "11",
       {"v: Invalid value: 11: v in body should be less than or equal to 10"}},
      {R"({"type":"integer","maximum":10,"exclusiveMaximum":true})",
       "10",
       {"v: Invalid value: 10: v in body should be less than 10"}},
      {R"({"type":"number","minimum":0,"exclusiveMinimum":true})",
       "0",
       {"v: Invalid value: 0: v in body should be greater than 0"}},
      {R"({"type":"number","maximum":1})",
       "1.25",
       {"v: Invalid value: 1.25: v in body should be less than or equal to 1"}},
      {R"({"type":"number","multipleOf":0.1})", "0.3", {}},
      {R"({"type":"number","multipleOf":0.1})",
       "0.35",
       {"v: Invalid value: 0.35: v in body should be a multiple of 0.1"}},
      // Limits that are no integers, where the type is, and where only the value is.
      {R"({"type":"integer","maximum":2.5})",
       "3",
       {R"(<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in v)",
        "v: Invalid value: 3: v in body should be less than or equal to 2.5"}},
      {R"({"type":"number","maximum":0.5})",
       "1",
       {"v: Invalid value: 1: v in body should be less than or equal to 0"}},
      {R"({"type":"number","multipleOf":0.5})",
       "1",
       {"v: Invalid value: 0: factor MultipleOf declared for v must be positive: 0"}},
      {R"({"type":"number","minimum":1000000})",
       "5.5",
       {"v: Invalid value: 5.5: v in body should be greater than or equal to 1e+06"}},
      {R"({"x-kubernetes-int-or-string":true,"maximum":65535})",
       "70000",
       {"v: Invalid value: 70000: v in body should be less than or equal to 65535"}},
  });
}

TEST(Validate, Texts) {
  Check({
      {R"({"type":"string","minLength":2,"maxLength":4,"pattern":"^[a-z]+$"})",
       R"("a")",
       {R"(v: Invalid value: "a": v in body should be at least 2 chars long)"}},
      {R"({"type":"string","minLength":2,"maxLength":4,"pattern":"^[a-z]+$"})",
       R"("ABCDE")",
       {"v: Too long: may not be more than 4 bytes"}},
      {R"({"type":"string","maxLength":1})",
       R"("äb")",
       {"v: Too long: may not be more than 1 byte"}},
      {R"({"type":"string","maxLength":2})", R"("äb")", {}},
      {R"({"type":"string","maxLength":-1})", R"("")", {"v: Too long: value is too long"}},
      {R"({"type":"string","pattern":"^[a-z]+$"})",
       R"("A")",
       {R"(v: Invalid value: "A": v in body should match '^[a-z]+$')"}},
      {R"({"type":"string","pattern":"("})",
       R"("A")",
       {R"(v: Invalid value: "A": v in body should match '(, but pattern is invalid: error parsing regexp: missing closing ): `(`')"}},
      {R"({"type":"string","format":"date-time"})",
       R"("yesterday")",
       {R"(v: Invalid value: "yesterday": v in body must be of type date-time: "yesterday")"}},
      {R"({"type":"string","format":"unknown"})", R"("x")", {}},
      // A format of texts makes the type of other values be named by it, and lists pass.
      {R"({"type":"string","format":"date"})",
       "1",
       {R"(v: Invalid value: "int64": v in body must be of type date: "int64")"}},
      {R"({"type":"string","format":"date"})", "[]", {}},
      {R"({"type":"string","enum":["Fast","Slow"]})",
       R"("fast")",
       {R"(v: Unsupported value: "fast": supported values: "Fast", "Slow")"}},
      {R"({"type":"string","nullable":true,"enum":["Fast"]})",
       "null",
       {R"(v: Unsupported value: null: supported values: "Fast")"}},
      {R"({"type":"integer","enum":[1,2]})",
       "3",
       {R"(v: Unsupported value: 3: supported values: "1", "2")"}},
  });
}

TEST(Validate, ListsAndObjects) {
  Check({
      {R"({"type":"array","maxItems":1,"items":{"type":"integer"}})",
       "[1,2]",
       {"v: Too many: 2: must have at most 1 item"}},
      {R"({"type":"array","minItems":1,"items":{"type":"integer"}})",
       "[]",
       {"v: Invalid value: 0: v in body should have at least 1 items"}},
      {R"({"type":"array","maxItems":-1,"items":{"type":"integer"}})",
       "[]",
       {"v: Too many: 0: has too many items"}},
      {R"({"type":"object","maxProperties":1,"additionalProperties":{"type":"integer"}})",
       R"({"a":1,"b":"x"})",
       {"v: Too many: 2: must have at most 1 item",
        R"(v.b: Invalid value: "string": v.b in body must be of type integer: "string")"}},
      {R"({"type":"object","minProperties":2})",
       "{}",
       {"v: Invalid value: 0: v in body should have at least 2 properties"}},
      {R"({"type":"object","required":["b","a"]})",
       "{}",
       {"v.b: Required value", "v.a: Required value"}},
      {R"({"type":"object","additionalProperties":false})",
       R"({"a":1})",
       {R"(v: Invalid value: "a": v.a in body is a forbidden property)"}},
  });
}

TEST(Validate, Logic) {
  constexpr std::string_view kEither =
      R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"oneOf":[{"required":["a"]},{"required":["b"]}]})";
  Check({
      {kEither, R"({"a":1})", {}},
      {kEither,
       "{}",
       {R"(<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found none valid)",
        "v.a: Required value"}},
      {kEither,
       R"({"a":1,"b":1})",
       {R"(<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found 2 valid alternatives)"}},
      {R"({"type":"integer","anyOf":[{"minimum":10},{"maximum":5}]})",
       "7",
       {R"(<nil>: Invalid value: "": "v" must validate at least one schema (anyOf))",
        "v: Invalid value: 7: v in body should be greater than or equal to 10"}},
      {R"({"type":"integer","anyOf":[{"minimum":10},{"maximum":5}]})", "5", {}},
      // The alternative that most of matches is shown.
      {R"({"type":"object","anyOf":[{"required":["x"]},{"properties":{"a":{"minimum":5}}}]})",
       R"({"a":1})",
       {R"(<nil>: Invalid value: "": "v" must validate at least one schema (anyOf))",
        "v.a: Invalid value: 1: v.a in body should be greater than or equal to 5"}},
      {R"({"type":"integer","allOf":[{"minimum":10},{"maximum":20}]})",
       "7",
       {"v: Invalid value: 7: v in body should be greater than or equal to 10",
        R"(<nil>: Invalid value: "": "v" must validate all the schemas (allOf))"}},
      {R"({"type":"integer","allOf":[{"minimum":10},{"minimum":11}]})",
       "7",
       {"v: Invalid value: 7: v in body should be greater than or equal to 10",
        "v: Invalid value: 7: v in body should be greater than or equal to 11",
        R"(<nil>: Invalid value: "": "v" must validate all the schemas (allOf). None validated)"}},
      {R"({"type":"string","not":{"enum":["x"]}})",
       R"("x")",
       {R"(<nil>: Invalid value: "": "v" must not validate the schema (not))"}},
      {R"({"type":"string","not":{"enum":["x"]}})", R"("y")", {}},
      // Equal errors count once.
      {R"({"type":"integer","minimum":10,"allOf":[{"minimum":10}]})",
       "7",
       {"v: Invalid value: 7: v in body should be greater than or equal to 10",
        R"(<nil>: Invalid value: "": "v" must validate all the schemas (allOf). None validated)"}},
  });
}

TEST(Validate, TheWholeObjectHasNoName) {
  const auto schema =
      SchemaOf(R"({"type":"object","required":["spec"],"anyOf":[{"required":["a"]}]})");
  EXPECT_EQ(TextsOf(Validate(TreeOf("{}"), nullptr, *schema)),
            (Texts{R"(<nil>: Invalid value: "": "" must validate at least one schema (anyOf))",
                   "a: Required value",
                   "spec: Required value"}));
  EXPECT_EQ(TextsOf(Validate(TreeOf("[]"), nullptr, *SchemaOf(R"({"type":"object"})"))),
            (Texts{R"(<nil>: Invalid value: "array":  in body must be of type object: "array")"}));
}

TEST(Validate, StatusIsNamedFromItself) {
  const auto schema =
      SchemaOf(R"({"type":"object","properties":{"spec":{"type":"string"},"status":{"type":"object",
    "properties":{"phase":{"type":"string"}},"additionalProperties":{"type":"integer"},"required":["n"],
    "oneOf":[{"required":["x"]}]}}})");
  EXPECT_EQ(
      TextsOf(
          ValidateStatus(TreeOf(R"({"spec":1,"status":{"phase":1,"m":"x"}})"), nullptr, *schema)),
      (Texts{
          R"(status: Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid)",
          "status.x: Required value",
          R"(status.m: Invalid value: "string": .m in body must be of type integer: "string")",
          R"(status.phase: Invalid value: "integer": phase in body must be of type string: "integer")",
          "status.n: Required value"}));
  EXPECT_TRUE(ValidateStatus(TreeOf(R"({"spec":1})"), nullptr, *schema).empty());
}

TEST(Validate, UnchangedPartsAreForgiven) {
  const auto schema = SchemaOf(R"({"type":"object","properties":{
    "s":{"type":"string","maxLength":1},
    "o":{"type":"object","required":["r"],"properties":{"a":{"type":"string","maxLength":1},"b":{"type":"string"}}},
    "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string","maxLength":1}},
    "map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"maxItems":2,
           "items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"string","maxLength":1}}}},
    "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"required":["r"]}}})");
  const struct {
    const char* old;
    const char* now;
    Texts found;
  } cases[] = {
      {R"({"s":"long"})", R"({"s":"long","n":1})", {}},
      {R"({"s":"long"})", R"({"s":"longer"})", {"s: Too long: may not be more than 1 byte"}},
      {R"({})", R"({"s":"long"})", {"s: Too long: may not be more than 1 byte"}},
      {R"({"o":{"a":"long"}})", R"({"o":{"a":"long"}})", {}},
      // The node that lacks a member has changed, the member beside has not.
      {R"({"o":{"a":"long"}})", R"({"o":{"a":"long","b":"x"}})", {"o.r: Required value"}},
      {R"({"set":["long","a"]})", R"({"set":["long","a"]})", {}},
      {R"({"set":["long","a"]})",
       R"({"set":["a","long"]})",
       {"set[1]: Too long: may not be more than 1 byte"}},
      {R"({"map":[{"k":"a","v":"long"},{"k":"b"}]})",
       R"({"map":[{"k":"b"},{"k":"a","v":"long"}]})",
       {}},
      {R"({"map":[{"k":"a","v":"long"},{"k":"b"},{"k":"c"}]})",
       R"({"map":[{"k":"c"},{"k":"b"},{"k":"a","v":"long"}]})",
       {}},
      {R"({"map":[{"k":"a","v":"long"}]})",
       R"({"map":[{"k":"c","v":"long"}]})",
       {"map[0].v: Too long: may not be more than 1 byte"}},
      // What the schema does not name cannot be compared.
      {R"({"free":{"x":1}})", R"({"free":{"x":1}})", {"free.r: Required value"}},
      {R"({"free":{}})", R"({"free":{}})", {}},
  };
  for (const auto& c : cases) {
    const api::Tree old = TreeOf(c.old);
    EXPECT_EQ(TextsOf(Validate(TreeOf(c.now), &old, *schema)), c.found) << c.old << " " << c.now;
  }
}

TEST(Validate, SharedPartsAreNotConfused) {
  // All elements of the new list share one body; only the first is what it was.
  const auto schema =
      SchemaOf(R"({"type":"object","properties":{"l":{"type":"object","additionalProperties":
    {"type":"object","properties":{"x":{"type":"object","required":["r"],"properties":{"y":{"type":"integer"}}}}}}}})");
  const api::Tree element = TreeOf(R"({"x":{"y":1}})");
  const api::Tree now =
      api::Tree::Object({{"l", api::Tree::Object({{"a", element}, {"b", element}})}});
  const api::Tree old = TreeOf(R"({"l":{"a":{"x":{"y":1}},"b":{"x":{"y":2}}}})");
  EXPECT_EQ(TextsOf(Validate(now, &old, *schema)), (Texts{"l.b.x.r: Required value"}));
}

TEST(Validate, CausesAreLimited) {
  const auto schema = SchemaOf(
      R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}}})");
  std::string list = "1";
  for (size_t i = 0; i < 10'000; ++i) list += ",1";
  EXPECT_EQ(Validate(TreeOf(R"({"l":[)" + list + "]}"), nullptr, *schema).size(),
            api::validation::kCausesMax + 1);
}

TEST(Validate, StepsAreLimited) {
  // Each element is tried against a hundred alternatives.
  std::string alternatives = R"({"minimum":2})";
  for (size_t i = 1; i < 100; ++i) alternatives += R"(,{"minimum":2})";
  const auto schema = SchemaOf(
      R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"integer","not":{"anyOf":[)" +
      alternatives + "]}}}}}");
  const api::Tree object = TreeOf(R"({"l":[1,1,1]})");
  // The object, the list, and for each element itself, what it must not be, and the alternatives.
  constexpr uint64_t kSteps = 2 + 3 * 102;
  EXPECT_EQ(Texts(), TextsOf(Validate(object, nullptr, *schema, kSteps)));
  const Texts over = TextsOf(Validate(object, nullptr, *schema, kSteps - 1));
  ASSERT_EQ(over.size(), 1U);
  EXPECT_TRUE(over[0].starts_with(R"(<nil>: Invalid value: "": validation ended after 307 steps)"))
      << over[0];
}

}  // namespace
}  // namespace dray::custom::schema
