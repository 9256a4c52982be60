// SPDX-License-Identifier: Apache-2.0
// What a decision writes: finalizer, allocation with reservation, binding; and how it is undone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "api/resource_v1/allocation.h"
#include "api/value/time.h"
#include "client/client.h"

namespace dray::scheduler {

/// Keeps an allocated claim from vanishing while devices are in use.
inline constexpr const char* kClaimFinalizer = "resource.kubernetes.io/delete-protection";

struct ClaimToBind {
  api::Object claim;                                             // as last seen
  std::optional<api::resource_v1::AllocationResult> allocation;  // none: reserve what is allocated
};

struct BindTask {
  std::string pod_key;
  api::Object pod;
  std::string node;
  std::vector<ClaimToBind> claims;
  api::Time now;
};

struct BindOutcome {
  std::string pod_key;
  api::Object pod;
  std::string node;
  std::vector<std::string> claim_uids;
  std::vector<api::Object> written;  // claims as stored by our last writes
  std::string error;                 // empty: the pod is bound
};

/// Writes everything, in the order every reader may rely on: per claim in the pod's order first the
/// finalizer, then allocation and reservation in one status update with the resource version; then
/// the binding. After a failure the reservations made here are taken back; allocations stay, for
/// whoever uses them next. Blocks; safe on any thread.
BindOutcome Bind(client::Client& client, const BindTask& task);

/// Removes an allocation that nobody uses. Errors: those of the API; kConflict  somebody was
/// faster.
Result<api::Object> Deallocate(client::Client& client, const api::Object& claim);

}  // namespace dray::scheduler
