// SPDX-License-Identifier: Apache-2.0
// What a hub has beyond its own version.
#pragma once

#include "api/object.h"

namespace dray::server::storage {

/// Whether `object`, one of a hub, has fields that the hub's own version lacks. O(size) for types
/// that have such fields, else O(1).
bool HasHubContent(const api::Object& object);

}  // namespace dray::server::storage
