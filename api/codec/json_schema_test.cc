// SPDX-License-Identifier: Apache-2.0
// Schemas of definitions, which contain themselves and have members of several forms.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/apiextensions_v1.h"
#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "base/try.h"

namespace dray::api {
namespace {

using apiextensions_v1::JSONSchemaProps;
using ::testing::HasSubstr;

Result<JSONSchemaProps> Read(const std::string& json) {
  JSONSchemaProps schema;
  DRAY_TRY_VOID(DecodeJson(TypeOf<JSONSchemaProps>(), json, &schema, nullptr));
  return schema;
}

std::string Written(const JSONSchemaProps& schema) {
  std::string json;
  EncodeJson(TypeOf<JSONSchemaProps>(), &schema, json);
  return json;
}

struct SchemaCase {
  const char* given;
  const char* written;
};

constexpr SchemaCase kSchemaCases[] = {
    {R"({"$schema":"s","$ref":"r","x-kubernetes-list-type":"map"})",
     R"({"$schema":"s","$ref":"r","x-kubernetes-list-type":"map"})"},
    {R"({"default":5,"enum":["a",null,{"b":1}],"example":null})",
     R"({"default":5,"enum":["a",null,{"b":1}]})"},
    {R"({"maximum":1e2,"exclusiveMaximum":false,"minimum":-0.5,"multipleOf":1e-9})",
     R"({"maximum":100,"minimum":-0.5,"multipleOf":1e-9})"},
    {R"({"minimum":1e-999})", R"({"minimum":0})"},
    {R"({"items":{"type":"string"}})", R"({"items":{"type":"string"}})"},
    {R"({"items":[{"type":"string"},{}]})", R"({"items":[{"type":"string"},{}]})"},
    {R"({"items":7})", R"({"items":null})"},
    {R"({"additionalProperties":true,"additionalItems":false})",
     R"({"additionalProperties":true,"additionalItems":false})"},
    {R"({"additionalProperties":{"type":"string"}})",
     R"({"additionalProperties":{"type":"string"}})"},
    {R"({"dependencies":{"a":["b"],"c":{"not":{"not":{}}}}})",
     R"({"dependencies":{"a":["b"],"c":{"not":{"not":{}}}}})"},
    {R"({"properties":{"a":{"properties":{"b":{"nullable":true}}}}})",
     R"({"properties":{"a":{"properties":{"b":{"nullable":true}}}}})"},
};

TEST(JsonSchema, IsTheSameThroughJsonAndProtobuf) {
  for (const SchemaCase& c : kSchemaCases) {
    SCOPED_TRACE(c.given);
    const Result<JSONSchemaProps> schema = Read(c.given);
    ASSERT_TRUE(schema) << schema.error().message;
    EXPECT_EQ(Written(*schema), c.written);
    std::string raw;
    EncodeProtobuf(TypeOf<JSONSchemaProps>(), &*schema, raw);
    JSONSchemaProps back;
    const Result<> read = DecodeProtobuf(TypeOf<JSONSchemaProps>(), raw, &back);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(Written(back), c.written);
    EXPECT_TRUE(Equal(TypeOf<JSONSchemaProps>(), &*schema, &back));
  }
}

// Upstream's generated.proto: field 9 is a double, field 30 a message of a bool and a schema.
TEST(JsonSchema, HasUpstreamsNumbers) {
  JSONSchemaProps read;
  ASSERT_TRUE(DecodeProtobuf(TypeOf<JSONSchemaProps>(),
                             std::string("\x49\0\0\0\0\0\0\xf8\x3f", 9) + "\xf2\x01\x02\x08\x01",
                             &read));
  EXPECT_EQ(Written(read), R"({"maximum":1.5,"additionalProperties":true})");
}

TEST(JsonSchema, OtherFormsAreRefused) {
  const SchemaCase cases[] = {
      {R"({"additionalProperties":"x"})", "boolean or JSON schema expected"},
      {R"({"maximum":1e999})", "cannot unmarshal number 1e999"},
      {R"({"not":[]})", "cannot unmarshal array"},
  };
  for (const SchemaCase& c : cases) {
    const Result<JSONSchemaProps> schema = Read(c.given);
    ASSERT_FALSE(schema) << c.given;
    EXPECT_THAT(schema.error().message, HasSubstr(c.written));
  }
}

TEST(JsonSchema, LiesInItselfToALimit) {
  const auto nested = [](size_t depth) {
    std::string json = "{}";
    for (size_t i = 1; i < depth; ++i) json = fmt::format(R"({{"not":{}}})", json);
    return json;
  };
  EXPECT_TRUE(Read(nested(kNestedStructsMax)));
  const Result<JSONSchemaProps> deeper = Read(nested(kNestedStructsMax + 1));
  ASSERT_FALSE(deeper);
  EXPECT_THAT(deeper.error().message, HasSubstr("is nested too deep"));
}

TEST(Box, CopiesWhatItHolds) {
  JSONSchemaProps outer;
  outer.not_.emplace().title = "inner";
  JSONSchemaProps copy = outer;
  EXPECT_EQ(copy, outer);
  copy.not_->title = "other";
  EXPECT_NE(copy, outer);
  outer.not_->not_.emplace();
  outer = JSONSchemaProps(*outer.not_);  // replaces a value by a part of itself
  EXPECT_EQ(outer.title, "inner");
}

}  // namespace
}  // namespace dray::api
