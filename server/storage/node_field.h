// SPDX-License-Identifier: Apache-2.0
// The node that an object names in spec.nodeName, out of its durable form: what most watches of a
// large cluster select by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/kind.h"
#include "store/record.h"

namespace dray::server::storage {

/// Where a hub has the field.
struct NodeField {
  const api::KindInfo* hub;
  uint32_t spec = 0;  // numbers of the fields
  uint32_t node_name = 0;
};

/// Nothing for kinds without the field, and for custom kinds.
std::optional<NodeField> NodeFieldOf(const api::KindInfo& hub);

/// The node that the object of `record` names; empty: none. Nothing where that takes a whole
/// decoder, because the durable form is no message of the hub. Decodes nothing else: O(fields of
/// the object and of its spec).
std::optional<std::string> NodeNameIn(const NodeField& field, const store::Record& record);

}  // namespace dray::server::storage
