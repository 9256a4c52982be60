// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/metadata.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/codec/tree_json.h"
#include "custom/testing/schemas.h"

namespace dray::custom::schema {
namespace {

using testing::SchemaOf;
using testing::TreeOf;

constexpr const char* kEmbeddingSchema =
    R"({"type":"object","properties":{"spec":{"type":"object","properties":{
  "pod":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
  "pods":{"type":"array","items":{"type":"object","x-kubernetes-embedded-resource":true,
          "x-kubernetes-preserve-unknown-fields":true}},
  "map":{"type":"object","additionalProperties":{"type":"object","x-kubernetes-embedded-resource":true,
         "x-kubernetes-preserve-unknown-fields":true}}}}}})";

std::string Text(const std::vector<ErrorCause>& causes) {
  std::string text;
  for (const ErrorCause& cause : causes) text += cause.field + ": " + cause.message + "\n";
  return text;
}

TEST(CoerceEmbedded, MetadataBecomesWhatItCanBe) {
  const auto schema = SchemaOf(kEmbeddingSchema);
  api::Tree tree =
      TreeOf(R"({"spec":{"pod":{"kind":"P","metadata":{"name":"a","labels":{"x":"y"},"zz":1}},
    "pods":[{"metadata":{"creationTimestamp":null,"odd":{"x":1}}}],"map":{"k":{"metadata":null}}}})");
  std::vector<std::string> unknown;
  EXPECT_EQ(CoerceEmbedded(tree, *schema, Malformed::kRefuse, &unknown), std::nullopt);
  EXPECT_EQ(
      ToJson(tree),
      R"({"spec":{"map":{"k":{"metadata":{}}},"pod":{"kind":"P","metadata":{"labels":{"x":"y"},)"
      R"("name":"a"}},"pods":[{"metadata":{}}]}})");
  EXPECT_EQ(unknown,
            (std::vector<std::string>{"spec.pod.metadata.zz", "spec.pods[0].metadata.odd"}));
}

TEST(CoerceEmbedded, WrongTypesAreRefusedOrDropped) {
  const auto schema = SchemaOf(kEmbeddingSchema);
  const api::Tree given = TreeOf(
      R"({"spec":{"map":{"k":{"kind":5,"metadata":{"name":"a","labels":{"x":1},"finalizers":["f"]}}}}})");
  api::Tree tree = given;
  std::optional<ErrorCause> cause = CoerceEmbedded(tree, *schema, Malformed::kRefuse, nullptr);
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->field, "spec.map[k].kind");
  EXPECT_EQ(cause->message, "Invalid value: 5: must be a string");
  tree = given;
  EXPECT_EQ(CoerceEmbedded(tree, *schema, Malformed::kDrop, nullptr), std::nullopt);
  EXPECT_EQ(ToJson(tree), R"({"spec":{"map":{"k":{"metadata":{"finalizers":["f"],"name":"a"}}}}})");
  tree = TreeOf(R"({"spec":{"pod":{"metadata":{"name":5}}}})");
  cause = CoerceEmbedded(tree, *schema, Malformed::kRefuse, nullptr);
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->field, "spec.pod.metadata");
  EXPECT_EQ(cause->message,
            R"(Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field )"
            "ObjectMeta.name of type string");
}

TEST(CheckEmbedded, KindAndVersionMustBeThere) {
  const auto schema = SchemaOf(kEmbeddingSchema);
  const MetadataRules rules = [](const api::meta_v1::ObjectMeta& metadata) {
    return std::vector<ErrorCause>{
        {.reason = "FieldValueInvalid", .field = "metadata.name", .message = metadata.name}};
  };
  EXPECT_EQ(
      Text(CheckEmbedded(
          TreeOf(R"({"spec":{"pod":{"apiVersion":"a/b/c","kind":"A_b"},"pods":[{},{"apiVersion":"",
                  "kind":1}],"map":{"k":{"apiVersion":"v1","kind":"Pod","metadata":{}}}}})"),
          schema->root(),
          "",
          rules)),
      "spec.map[k].metadata.name: fakename\n"
      "spec.pod.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c\n"
      "spec.pod.kind: Invalid value: \"A_b\": may have mixed case, but should otherwise match: a "
      "DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
      "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
      "'abc-123', "
      "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')\n"
      "spec.pods[0].apiVersion: Required value\n"
      "spec.pods[0].kind: Required value\n"
      "spec.pods[1].apiVersion: Invalid value: \"\": must not be empty\n"
      "spec.pods[1].kind: Invalid value: 1: must be a string\n");
  EXPECT_EQ(
      Text(CheckEmbedded(TreeOf(R"({"metadata":[]})"),
                         *schema->root().FindProperty("spec")->FindProperty("pod"),
                         "x",
                         nullptr)),
      "x.apiVersion: Required value\nx.kind: Required value\nx.metadata: Invalid value: []: json: "
      "cannot unmarshal array into Go struct field ObjectMeta. of type ObjectMeta\n");
}

}  // namespace
}  // namespace dray::custom::schema
