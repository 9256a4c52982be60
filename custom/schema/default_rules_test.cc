// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/default_rules.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "custom/testing/schemas.h"

namespace dray::custom::schema {
namespace {

using testing::SchemaOf;

std::string Wrong(const std::string& of_spec, const DefaultRules& rules = {}) {
  const auto schema = SchemaOf(R"({"type":"object","properties":{"spec":)" + of_spec + "}}");
  std::string text;
  for (const ErrorCause& cause : CheckDefaults(*schema, "S", rules)) {
    text += cause.field + ": " + cause.message + "\n";
  }
  return text;
}

TEST(CheckDefaults, MustBeValid) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"type":"string","default":1})",
       "S.properties[spec].default: Invalid value: \"integer\":  in body must be of type string: "
       "\"integer\"\n"},
      {R"({"type":"integer","default":1.5})",
       "S.properties[spec].default: Invalid value: \"number\":  in body must be of type integer: "
       "\"number\"\n"
       "S.properties[spec].default: Invalid value: \"\": Checked value must be of type integer "
       "(default format) in \n"},
      {R"({"type":"integer","minimum":5,"default":3})",
       "S.properties[spec].default: Invalid value: 3:  in body should be greater than or equal to "
       "5\n"},
      {R"({"type":"array","items":{"type":"string"},"default":["a",1]})",
       "S.properties[spec].default.[1]: Invalid value: \"integer\": [1] in body must be of type "
       "string: \"integer\"\n"},
      {R"({"type":"object","properties":{"x":{"type":"string","default":"q"}},"required":["x"],"default":{}})",
       "S.properties[spec].default.x: Required value\n"},
      {R"({"type":"object","properties":{"x":{"type":"string"}},"default":{"x":"a","y":"b"}})",
       "S.properties[spec].default: Invalid value: {\"x\":\"a\",\"y\":\"b\"}: must not have "
       "unknown fields\n"},
      {R"({"type":"array","items":{"type":"object","properties":{"x":{"type":"string","default":1}}}})",
       "S.properties[spec].items.properties[x].default: Invalid value: \"integer\":  in body must "
       "be of type string: "
       "\"integer\"\n"},
      {R"({"type":"string","default":null})", ""},
      {R"({"x-kubernetes-int-or-string":true,"default":[1]})", ""},
      {R"({"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set","default":["a","a"]})",
       ""},
      {R"({"type":"object","additionalProperties":{"type":"string","default":1}})", ""},
      // Formats count whatever the type, additionalProperties inside logic do not.
      {R"({"format":"date","default":"x"})",
       "S.properties[spec].default: Invalid value: \"x\":  in body must be of type date: \"x\"\n"},
      {R"({"type":"object","additionalProperties":{"type":"integer"},"default":{"a":1},
          "allOf":[{"additionalProperties":{"minimum":5}}]})",
       ""},
  };
  for (const auto& [schema, wrong] : cases) EXPECT_EQ(Wrong(schema), wrong) << schema;
}

TEST(CheckDefaults, MetadataMustBeGood) {
  constexpr const char* kResource = R"({"type":"object","x-kubernetes-embedded-resource":true,
    "x-kubernetes-preserve-unknown-fields":true,"default":)";
  EXPECT_EQ(Wrong(std::string(kResource) + R"({"apiVersion":"v1"}})"),
            "S.properties[spec].default.kind: Required value\n");
  EXPECT_EQ(Wrong(std::string(kResource) +
                  R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}}})"),
            "");
  EXPECT_EQ(
      Wrong(std::string(kResource) + R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":1}}})"),
      "S.properties[spec].default.metadata: Invalid value: {\"name\":1}: json: cannot unmarshal "
      "number into Go "
      "struct field ObjectMeta.name of type string\n");
  DefaultRules rules;
  rules.metadata = [](const api::meta_v1::ObjectMeta& metadata) {
    if (metadata.name != "bad") return std::vector<ErrorCause>();
    return std::vector<ErrorCause>{
        {.reason = "FieldValueInvalid", .field = "metadata.name", .message = "Invalid value"}};
  };
  constexpr const char* kInside =
      R"({"type":"object","x-kubernetes-embedded-resource":true,"properties":{"metadata":
    {"type":"object","properties":{"name":{"type":"string","default":)";
  EXPECT_EQ(Wrong(std::string(kInside) + R"("good"}}}}})", rules), "");
  EXPECT_EQ(Wrong(std::string(kInside) + R"("bad"}}}}})", rules),
            "S.properties[spec].properties[metadata].properties[name].default: Invalid value: "
            "\"bad\": must result in "
            "valid metadata: metadata.name: Invalid value\n");
}

TEST(CheckDefaults, RulesAreAskedLast) {
  DefaultRules rules;
  rules.validations = [](const Node& node, std::string_view path) {
    return std::vector<ErrorCause>{{.reason = "FieldValueInvalid",
                                    .field = std::string(path),
                                    .message = std::string(node.default_value.text())}};
  };
  EXPECT_EQ(Wrong(R"({"type":"string","default":"x"})", rules), "S.properties[spec].default: x\n");
  EXPECT_EQ(Wrong(R"({"type":"string","default":"x","maxLength":0})", rules),
            "S.properties[spec].default: Too long: may not be more than 0 bytes\n");
}

TEST(CheckDefaults, UnprunedOnesAreFound) {
  constexpr const char* kUnpruned =
      R"({"type":"object","properties":{"s":{"type":"object","default":{"x":1}}}})";
  EXPECT_TRUE(HasUnprunedDefaults(*SchemaOf(kUnpruned)));
  EXPECT_FALSE(HasUnprunedDefaults(
      *SchemaOf(R"({"type":"object","properties":{"s":{"type":"object","default":{}}}})")));
  const std::string spec = R"({"type":"object","default":{"x":1}})";
  EXPECT_EQ(Wrong(spec, {.unknown_members = UnknownMembers::kAllowed}), "");
}

}  // namespace
}  // namespace dray::custom::schema
