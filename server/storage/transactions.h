// SPDX-License-Identifier: Apache-2.0
// Makes the store's operations for objects.
#pragma once

#include <string>

#include "base/frozen.h"
#include "base/world.h"
#include "server/storage/stored_object.h"
#include "store/store.h"

namespace dray::server::storage {

/// The put of `stored` at `key`. An Event expires at `event_end`; other kinds never expire.
store::Put PutOf(std::string key, Frozen<StoredObject> stored, WallTime event_end);

}  // namespace dray::server::storage
