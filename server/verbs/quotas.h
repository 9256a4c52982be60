// SPDX-License-Identifier: Apache-2.0
// ResourceQuotas as new objects meet them (upstream's admission plug-in ResourceQuota). The quota
// is written with the object, in one transaction that fails if anybody else used it meanwhile: what
// is used is never more than the limit, and nothing has to be given back when a create fails.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "base/world.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::verbs {

/// Charges the quotas of its namespace for the new `object`: `txn` gets their new records, and
/// compares those they are made from. With `extended`, claims and classes stand for extended
/// resources (KEP-5004). O(quotas of the namespace × their names), and O(claims of the namespace)
/// for the claim of a pod's extended resources when there are quotas.
///
/// Errors: kForbidden  in upstream's words: it would be too much, or nobody has counted yet;
///         what cannot be read is no quota.
Result<> ChargeQuotas(const api::Object& object,
                      bool extended,
                      WallTime now,
                      const store::Snapshot& snapshot,
                      store::Txn& txn);

}  // namespace dray::server::verbs
