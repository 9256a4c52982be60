// SPDX-License-Identifier: Apache-2.0
#include "server/registry/custom_version.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "api/codec/protobuf.h"
#include "api/reflect.h"
#include "custom/schema/defaults.h"
#include "custom/schema/metadata.h"
#include "custom/schema/prune.h"

namespace dray::server::registry {
namespace {

using api::apiextensions_v1::CustomResourceValidation;
using api::apiextensions_v1::JSONSchemaProps;

// A version without a schema keeps everything.
Frozen<custom::schema::Schema> CompiledSchema(const JSONSchemaProps* said) {
  if (said != nullptr) return custom::schema::CompileSchema(*said);
  JSONSchemaProps free;
  free.type = "object";
  free.x_kubernetes_preserve_unknown_fields = true;
  return custom::schema::CompileSchema(free);
}

}  // namespace

SchemaVersion::SchemaVersion(Version said, std::string schema)
    : said_(std::move(said)), schema_(std::move(schema)) {
  said_.schema.reset();
}

bool SchemaVersion::IsOf(const Version& other, std::string_view schema) const {
  if (schema != schema_) return false;
  Version bare = other;
  bare.schema.reset();
  return bare == said_;
}

std::optional<JSONSchemaProps> SchemaVersion::DecodeSchema() const {
  if (schema_.empty()) return std::nullopt;
  CustomResourceValidation validation;
  const Result<> decoded = api::DecodeProtobuf(
      api::TypeOf<CustomResourceValidation>(), schema_, &validation, {.stored = true});
  if (!decoded.has_value() || !validation.open_apiv3_schema.has_value()) return std::nullopt;
  return *std::move(validation.open_apiv3_schema);
}

SchemaVersion::Compiled::Compiled(const Schema* said)
    : shape(said),
      schema(CompiledSchema(said)),
      rules(said == nullptr ? nullptr : custom::rules::CompileRules(*said)) {}

const SchemaVersion::Compiled& SchemaVersion::compiled() const {
  return *compiled_.Get([this] {
    const std::optional<Schema> schema = DecodeSchema();
    return std::make_unique<const Compiled>(schema.has_value() ? &*schema : nullptr);
  });
}

void SchemaVersion::Prune(api::CustomObject& object, std::vector<std::string>* unknown) const {
  custom::schema::Prune(object.content, schema(), unknown);
  std::vector<std::string> embedded;
  (void)custom::schema::CoerceEmbedded(object.content,
                                       schema(),
                                       custom::schema::Malformed::kDrop,
                                       unknown == nullptr ? nullptr : &embedded);
  if (unknown != nullptr) std::ranges::move(embedded, std::back_inserter(*unknown));
}

Result<> SchemaVersion::SetDefaults(api::CustomObject& object) const {
  return custom::schema::ApplyDefaults(object.content, schema());
}

Frozen<SchemaVersion> RulesOf(const api::KindInfo& kind) {
  const api::CustomKind* custom = api::CustomOf(kind);
  // The server makes no other rules.
  return custom == nullptr ? nullptr
                           : std::static_pointer_cast<const SchemaVersion>(custom->now.Load());
}

}  // namespace dray::server::registry
