// SPDX-License-Identifier: Apache-2.0
// Plugin ResourceQuota: charges ResourceQuotas for new objects. The quota is written in the
// transaction that creates the object. The transaction fails if another write used the quota
// meanwhile, so usage never exceeds the limit, and a failed create needs no refund.
#pragma once

#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Charges the quotas of the namespace for a new object: write.txn gets their new records, and
/// compares the old ones. While the kind's rules have DRAExtendedResource, claims and classes are
/// also counted as extended resources (KEP-5004). O(quotas of the namespace × their names), and
/// O(claims of the namespace) for the claim of a pod's extended resources when there are quotas.
///
/// Errors: kForbidden  in upstream's words: the object exceeds a quota, or no controller has yet
///         computed its usage. A quota that cannot be read is ignored.
Result<> ChargeQuotas(const Call& call, const store::Snapshot& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission
