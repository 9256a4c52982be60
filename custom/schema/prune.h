// SPDX-License-Identifier: Apache-2.0
// Pruning: members that a schema does not have are removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/value/tree.h"
#include "custom/schema/schema.h"

namespace dray::custom::schema {

/// Paths of unknown members that Prune() reports for one object.
inline constexpr size_t kUnknownMembersMax = 100;

/// What else leaves an object.
enum class Nulls : uint8_t {
  kKeep,
  kDrop,  // members that are null, not nullable and without a default
};

/// Removes the members of an object of a custom kind that `schema` does not have. apiVersion, kind
/// and metadata stay as they are at the root and in embedded resources. Below
/// x-kubernetes-preserve-unknown-fields everything stays, but pruning starts again at members that
/// the schema names. Where `additionalProperties` is true or false instead of a schema, members
/// stay and lose what lies in them, as upstream has it.
///
/// `unknown`, if not null, gets the paths of removed members ("spec.a.b", "spec.l[0].x"), sorted;
/// of more than kUnknownMembersMax the first ones. Long names are cut (api/codec/json_place.h).
///
/// One walk, O(size) times the logarithm of the properties of a node. Recursion is bounded by the
/// depth of the schema. What the tree shares with others is copied along the way.
void Prune(api::Tree& object,
           const Schema& schema,
           std::vector<std::string>* unknown = nullptr,
           Nulls nulls = Nulls::kDrop);

/// The same for a value at `node`; nulls stay.
void PruneValue(api::Tree& value, const Node& node, Resource resource = Resource::kIfMarked);

}  // namespace dray::custom::schema
