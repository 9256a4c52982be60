// SPDX-License-Identifier: Apache-2.0
#include "server/registry/definition_outline.h"

#include <utility>

#include "api/codec/protobuf.h"
#include "api/object.h"

namespace dray::server::registry {

namespace v1 = api::apiextensions_v1;

const api::Type& SchemaPart() {
  return api::TypeOf<v1::CustomResourceValidation>();
}

std::optional<DefinitionOutline> OutlineOf(const api::ProtobufOutline& found) {
  DefinitionOutline outline{.definition = api::FrozenOf<v1::CustomResourceDefinition>(found.object),
                            .schemas = {}};
  auto part = found.parts.begin();
  for (const v1::CustomResourceDefinitionVersion& version : outline.definition->spec.versions) {
    std::string& message = outline.schemas.emplace_back();
    if (!version.schema.has_value()) continue;
    if (part == found.parts.end()) return std::nullopt;
    message = *part++;
  }
  if (part != found.parts.end()) return std::nullopt;
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
