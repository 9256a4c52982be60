// SPDX-License-Identifier: Apache-2.0
// A write that is only good while somebody leads.
#pragma once

#include "base/result.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::verbs {

/// Adds to `txn` what its commit needs besides, if the call names a lease: that the lease is as in
/// `snapshot`, where it is held as the call wants. A renewal in between refuses the commit, too:
/// look again.
///
/// Errors: kConflict  somebody else holds the lease, or had it; or it is gone.
Result<> AddLeaseCondition(const Call& call, const store::Snapshot& snapshot, store::Txn& txn);

}  // namespace dray::server::verbs
