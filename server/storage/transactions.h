// SPDX-License-Identifier: Apache-2.0
// The calls of a store as coroutines await them, and how objects are put there.
#pragma once

#include <string>

#include "base/published.h"
#include "base/task.h"
#include "base/world.h"
#include "server/storage/stored_object.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::storage {

/// A commit, awaited. A conflict is a value, as in store/store.h.
Task<store::CommitOutcome> Commit(store::Store* store, store::Txn txn);

/// The newest state, including all that was acknowledged before the call.
Task<Frozen<store::Snapshot>> ReadNewest(store::Store* store);

/// The put of `stored`. Events tell what happened lately: one lasts until `event_end`.
store::Put PutOf(std::string key, Frozen<StoredObject> stored, WallTime event_end);

}  // namespace dray::server::storage
