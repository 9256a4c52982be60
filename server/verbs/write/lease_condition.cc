// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/write/lease_condition.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/coordination_v1.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"

namespace dray::server::verbs::inline write {

using api::coordination_v1::Lease;

Result<> AddLeaseCondition(const Call& call, const store::Snapshot& snapshot, store::Txn& txn) {
  const std::optional<LeaseCondition>& condition = call.request->under_lease;
  if (!condition.has_value()) return {};
  const api::KindInfo& kind = api::Reflected<Lease>::kKind;
  std::string key = storage::ObjectKey(kind, condition->namespace_, condition->name);
  const store::Record* record = snapshot.Find(key);
  bool is_held = false;
  if (record != nullptr) {
    DRAY_TRY(const std::optional<storage::Item> lease,
             storage::ItemOf(storage::View::OfStorage(kind), *record));
    if (lease.has_value()) {
      const auto& spec = lease->object.As<Lease>().spec;
      is_held = spec.holder_identity == condition->holder &&
                spec.lease_transitions.value_or(0) == condition->transitions;
    }
  }
  if (!is_held) {
    return Fail(errors::Conflict(call.kind(),
                                 call.request->name,
                                 fmt::format("{} does not hold the lease {}/{} any more",
                                             condition->holder,
                                             condition->namespace_,
                                             condition->name)));
  }
  txn.compares.push_back({.key = std::move(key), .modified = record->modified});
  return {};
}

}  // namespace dray::server::verbs::inline write
