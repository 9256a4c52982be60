// SPDX-License-Identifier: Apache-2.0
// A definition of a custom kind with its schemas apart, as messages. Schemas are most of a
// definition, and the server needs none while the kind is idle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/apiextensions_v1.h"
#include "api/reflect.h"
#include "base/frozen.h"

namespace dray::server::registry {

struct DefinitionOutline {
  Frozen<api::apiextensions_v1::CustomResourceDefinition> definition;  // its schemas may be empty
  /// Of each version the message of its CustomResourceValidation; empty: it has no schema.
  std::vector<std::string> schemas;
};

/// The schemas of a definition are of this type (api/codec/protobuf_outline.h).
const api::Type& SchemaPart();

/// `definition` is without its parts of the type SchemaPart(), and these are `parts`. Nothing: some
/// version has several, which only a whole decoder merges. O(size).
std::optional<DefinitionOutline> JoinOutline(
    Frozen<api::apiextensions_v1::CustomResourceDefinition> definition,
    std::vector<std::string> parts);

/// The same of a definition that is decoded. O(size).
DefinitionOutline OutlineOf(Frozen<api::apiextensions_v1::CustomResourceDefinition> definition);

}  // namespace dray::server::registry
