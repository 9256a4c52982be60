// SPDX-License-Identifier: Apache-2.0
#include "server/registry/definition_outline.h"

#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "api/codec/protobuf.h"
#include "api/codec/protobuf_outline.h"
#include "api/object.h"
#include "server/registry/custom_version.h"

namespace dray::server::registry {
namespace {

namespace v1 = api::apiextensions_v1;

// Three versions: with a schema, without one, and with a schema that says nothing.
v1::CustomResourceDefinition Definition() {
  v1::CustomResourceDefinition definition;
  definition.metadata.name = "things.example.com";
  definition.metadata.uid = "u";
  for (const char* name : {"v1", "v2", "v3"}) definition.spec.versions.emplace_back().name = name;
  v1::JSONSchemaProps schema;
  schema.type = "object";
  schema.properties.emplace("size", v1::JSONSchemaProps()).first->second.type = "integer";
  definition.spec.versions[0].schema.emplace().open_apiv3_schema = schema;
  definition.spec.versions[2].schema.emplace();
  return definition;
}

std::string MessageOf(const v1::CustomResourceDefinition& definition) {
  std::string message;
  api::EncodeProtobuf(
      api::TypeOf<v1::CustomResourceDefinition>(), &definition, message, {.stored = true});
  return message;
}

std::optional<DefinitionOutline> OutlineOfMessage(const std::string& message) {
  const auto found = api::DecodeProtobufOutline(
      api::Reflected<v1::CustomResourceDefinition>::kKind, SchemaPart(), message, {.stored = true});
  if (!found.has_value()) return std::nullopt;
  return JoinOutline(api::FrozenOf<v1::CustomResourceDefinition>(found->object),
                     {found->parts.begin(), found->parts.end()});
}

TEST(DefinitionOutline, IsTheSameOfAMessageAndOfADefinition) {
  const v1::CustomResourceDefinition definition = Definition();
  const DefinitionOutline whole =
      OutlineOf(std::make_shared<const v1::CustomResourceDefinition>(definition));
  const std::optional<DefinitionOutline> read = OutlineOfMessage(MessageOf(definition));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->schemas, whole.schemas);
  ASSERT_EQ(read->schemas.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    const SchemaVersion version(read->definition->spec.versions[i], read->schemas[i]);
    const auto schema = version.DecodeSchema();
    EXPECT_EQ(schema.has_value(), i == 0) << i;
    if (schema.has_value()) {
      EXPECT_EQ(*schema, *definition.spec.versions[0].schema->open_apiv3_schema);
    }
    EXPECT_TRUE(version.IsOf(whole.definition->spec.versions[i], whole.schemas[i])) << i;
    EXPECT_FALSE(version.IsOf(whole.definition->spec.versions[i], "else")) << i;
  }
}

// A message may occur twice, and a decoder merges both.
TEST(DefinitionOutline, ASchemaInTwoPiecesIsLeftToTheDecoder) {
  const std::string version("\x22\x02\x0a\x00\x22\x00", 6);  // two messages of its schema
  const std::string message = "\x12\x08\x3a\x06" + version;  // spec.versions
  EXPECT_FALSE(OutlineOfMessage(message).has_value());
}

}  // namespace
}  // namespace dray::server::registry
