// SPDX-License-Identifier: Apache-2.0
// Writes that are valid only while a leader holds its lease.
#pragma once

#include "base/result.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::verbs::inline write {

/// If the call names a lease, adds a compare to `txn`: the lease is as in `snapshot`, where its
/// holder is the one the call names. A renewal in between makes the commit conflict, too; the
/// caller then tries again with a newer snapshot.
///
/// Errors: kConflict  another holder has the lease, or had it in between; or it does not exist.
Result<> AddLeaseCondition(const Call& call, const store::Snapshot& snapshot, store::Txn& txn);

}  // namespace dray::server::verbs::inline write
