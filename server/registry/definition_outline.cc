// SPDX-License-Identifier: Apache-2.0
#include "server/registry/definition_outline.h"

#include <utility>

#include "api/codec/protobuf.h"

namespace dray::server::registry {

namespace v1 = api::apiextensions_v1;

const api::Type& SchemaPart() {
  return api::TypeOf<v1::CustomResourceValidation>();
}

std::optional<DefinitionOutline> JoinOutline(Frozen<v1::CustomResourceDefinition> definition,
                                             std::vector<std::string> parts) {
  DefinitionOutline outline{.definition = std::move(definition), .schemas = {}};
  auto part = parts.begin();
  for (const v1::CustomResourceDefinitionVersion& version : outline.definition->spec.versions) {
    std::string& message = outline.schemas.emplace_back();
    if (!version.schema.has_value()) continue;
    if (part == parts.end()) return std::nullopt;
    message = std::move(*part++);
  }
  if (part != parts.end()) return std::nullopt;
  return outline;
}

DefinitionOutline OutlineOf(Frozen<v1::CustomResourceDefinition> definition) {
  DefinitionOutline outline{.definition = std::move(definition), .schemas = {}};
  for (const v1::CustomResourceDefinitionVersion& version : outline.definition->spec.versions) {
    std::string& message = outline.schemas.emplace_back();
    if (!version.schema.has_value()) continue;
    api::EncodeProtobuf(SchemaPart(), &*version.schema, message, {.stored = true});
  }
  return outline;
}

}  // namespace dray::server::registry
