// SPDX-License-Identifier: Apache-2.0
// How objects are put into the store.
#pragma once

#include <string>

#include "base/published.h"
#include "base/world.h"
#include "server/storage/stored_object.h"
#include "store/store.h"

namespace dray::server::storage {

/// The put of `stored`. Events tell what happened lately: one lasts until `event_end`.
store::Put PutOf(std::string key, Frozen<StoredObject> stored, WallTime event_end);

}  // namespace dray::server::storage
