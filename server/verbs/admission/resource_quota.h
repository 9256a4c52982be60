// SPDX-License-Identifier: Apache-2.0
// Plugin ResourceQuota: ResourceQuotas as new objects meet them. The quota is written with the
// object, in one transaction that fails if another write used the quota meanwhile: what is used is
// never more than the limit, and nothing has to be given back when a create fails.
#pragma once

#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Charges the quotas of its namespace for a new object: write.txn gets their new records, and
/// compares those they are made from. While the kind's rules have DRAExtendedResource, claims and
/// classes stand for extended resources (KEP-5004). O(quotas of the namespace × their names), and
/// O(claims of the namespace) for the claim of a pod's extended resources when there are quotas.
///
/// Errors: kForbidden  in upstream's words: it would be too much, or nobody has counted yet;
///         what cannot be read is no quota.
Result<> ChargeQuotas(const Call& call, const store::Snapshot& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission
