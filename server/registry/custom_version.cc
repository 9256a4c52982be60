// SPDX-License-Identifier: Apache-2.0
#include "server/registry/custom_version.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "custom/schema/defaults.h"
#include "custom/schema/metadata.h"
#include "custom/schema/prune.h"

namespace dray::server::registry {
namespace {

using api::apiextensions_v1::CustomResourceDefinitionVersion;
using api::apiextensions_v1::JSONSchemaProps;

// Null: there is none.
const JSONSchemaProps* SchemaOf(const CustomResourceDefinitionVersion& version) {
  const bool has_schema =
      version.schema.has_value() && version.schema->open_apiv3_schema.has_value();
  return has_schema ? &*version.schema->open_apiv3_schema : nullptr;
}

// A version without a schema keeps everything.
Frozen<custom::schema::Schema> CompiledSchema(const CustomResourceDefinitionVersion& version) {
  const JSONSchemaProps* said = SchemaOf(version);
  if (said != nullptr) return custom::schema::CompileSchema(*said);
  JSONSchemaProps free;
  free.type = "object";
  free.x_kubernetes_preserve_unknown_fields = true;
  return custom::schema::CompileSchema(free);
}

Frozen<custom::rules::RuleSet> CompiledRules(const CustomResourceDefinitionVersion& version) {
  const JSONSchemaProps* said = SchemaOf(version);
  return said == nullptr ? nullptr : custom::rules::CompileRules(*said);
}

}  // namespace

SchemaVersion::SchemaVersion(api::apiextensions_v1::CustomResourceDefinitionVersion said)
    : said_(std::move(said)),
      shape_(SchemaOf(said_)),
      schema_(CompiledSchema(said_)),
      rules_(CompiledRules(said_)) {}

void SchemaVersion::Prune(api::CustomObject& object, std::vector<std::string>* unknown) const {
  custom::schema::Prune(object.content, *schema_, unknown);
  std::vector<std::string> embedded;
  (void)custom::schema::CoerceEmbedded(object.content,
                                       *schema_,
                                       custom::schema::Malformed::kDrop,
                                       unknown == nullptr ? nullptr : &embedded);
  if (unknown != nullptr) std::ranges::move(embedded, std::back_inserter(*unknown));
}

Result<> SchemaVersion::SetDefaults(api::CustomObject& object) const {
  return custom::schema::ApplyDefaults(object.content, *schema_);
}

Frozen<SchemaVersion> RulesOf(const api::KindInfo& kind) {
  const api::CustomKind* custom = api::CustomOf(kind);
  // The server makes no other rules.
  return custom == nullptr ? nullptr
                           : std::static_pointer_cast<const SchemaVersion>(custom->now.Load());
}

}  // namespace dray::server::registry
