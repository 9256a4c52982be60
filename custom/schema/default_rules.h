// SPDX-License-Identifier: Apache-2.0
// Defaults in a definition: whether each is a value that its own schema takes.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "custom/schema/metadata.h"
#include "custom/schema/schema.h"

namespace dray::custom::schema {

enum class UnknownMembers : uint8_t { kRefused, kAllowed };

/// What the layers above know and these rules need.
struct DefaultRules {
  UnknownMembers unknown_members = UnknownMembers::kRefused;
  /// Null: metadata only has to have the right types.
  MetadataRules metadata = nullptr;
  /// Returns what the rules of `node` (x-kubernetes-validations, here and below) find in
  /// `node.default_value`; `path` is the field of the default. Asked only where nothing else was
  /// found. Null: not asked.
  std::function<std::vector<ErrorCause>(const Node& node, std::string_view path)> validations =
      nullptr;
};

/// What is wrong with the defaults of a schema at `path` ("spec.validation.openAPIV3Schema"), in
/// upstream's order: of a node before those of its items and properties; none inside
/// additionalProperties. Each must not lose members to pruning, must have valid metadata where it
/// is an embedded resource or lies in the metadata of one, and must be valid itself: inner defaults
/// are not filled in. For a definition whose schema is otherwise valid.
///
/// Linear in the schema and the sum of its defaults times their depths. At most
/// api::validation::kCausesMax and one causes.
std::vector<ErrorCause> CheckDefaults(const Schema& schema,
                                      std::string_view path,
                                      const DefaultRules& rules);

/// Whether pruning would take something from a default.
bool HasUnprunedDefaults(const Schema& schema);

}  // namespace dray::custom::schema
