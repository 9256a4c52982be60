// SPDX-License-Identifier: Apache-2.0
// What a decision writes: finalizer, allocation with reservation, binding; and how it is undone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/core_v1/pod_status.h"
#include "api/object.h"
#include "api/resource_v1/allocation.h"
#include "api/resource_v1/claim.h"
#include "api/value/time.h"
#include "base/task.h"
#include "client/client.h"
#include "client/write_rounds.h"
#include "scheduler/cluster/node_allocatable.h"

namespace dray::scheduler::inline bind {

struct ClaimToBind {
  api::Object claim;                                          // as last seen
  api::Maybe<api::resource_v1::AllocationResult> allocation;  // none: reserve what is allocated
  /// A write on top of `claim` was not answered: it may have been carried out, or may still be.
  bool unsure = false;
  /// Made for the pod's extended resources: created first if it has no name yet, and deleted when
  /// the pod cannot be bound.
  bool is_extended = false;
  /// For whom it is reserved, if not for the pod: for its group.
  api::Maybe<api::resource_v1::ResourceClaimConsumerReference> consumer = {};
  /// Other pods of the group have been decided on with the same allocation: who is first writes it.
  bool is_pending = false;
};

struct BindTask {
  std::string pod_key;
  api::Object pod;
  std::string node;
  std::vector<ClaimToBind> claims;
  /// By what name the scheduler holds the devices of each allocation that is to be written.
  std::vector<std::string> holds{};
  /// What the status of the pod says about its extended claim.
  std::vector<api::core_v1::ContainerExtendedResourceRequest> extended_mappings{};
  /// What the status of the pod says about resources that devices take of the node.
  NodeAllocatableStatuses taken{};
  /// What allocations say when they were made; none: the release has no word for that.
  std::optional<api::Time> allocated_at;
  /// Some devices have to be made ready first: the pod is nominated for the node, its claims are
  /// written, and the binding is left for another call.
  bool waits = false;
  bool unsure = false;    // the same of the binding
  std::string refusal{};  // set: it has failed, and what is left is to take reservations back
  bool pod_goes = false;  // then devices that no other pod uses are freed with the reservation
};

struct BindOutcome {
  std::string pod_key;
  api::Object pod;
  std::string node;
  std::vector<std::string> holds;    // that end, unless the outcome is unknown
  std::vector<api::Object> written;  // claims as stored by our last writes
  std::string error;                 // empty: the pod is bound, or waits
  /// Everything but the binding is written; Bind continues with this task when the devices are
  /// ready, and BindTask::waits is not set any more.
  std::optional<BindTask> waiting = std::nullopt;
  /// Not known how it ended: what is in flight must stay so, and Bind be called with this task
  /// until it is.
  std::optional<BindTask> unknown = std::nullopt;
};

/// Limit of the attempts to write a claim that other clients write too: the number of users that it
/// may have, because each conflict means that one of them has succeeded.
inline constexpr int kClaimTriesMax = 256;

/// Writes everything, in the order every reader may rely on: the nomination of a pod that will wait
/// for its devices; per claim in the pod's order first the finalizer, then allocation and
/// reservation in one status update with the resource version; the name of the claim for extended
/// resources, which is created here, in the pod's status; there too what devices take of the node;
/// then the binding. After a failure, the reservations made here are taken back unless another
/// scheduler has bound the pod. Allocations stay for the next pods that use the claims, unless the
/// pod is being deleted (BindTask::pod_goes). A claim that was created here is deleted. The
/// reservations of a group stay, because its other pods may need them.
///
/// A write that is not answered is neither done nor undone. The claim is read until it shows
/// another version than the one written on: then the write has been carried out or never will be.
/// While it does not, the same write is tried again, of which one at most succeeds; if that is
/// refused for good, the finalizer is taken back, which makes a new version too. A pod is read
/// until it is bound, gone or going. Taking a reservation back is such a write as well: it must not
/// arrive when the pod is being bound anew. What cannot be found out now is BindOutcome::unknown.
///
/// Where the client takes sequences and nothing is in doubt, all of this is one, in that order:
/// either all of it is written or it is gone through step by step.
///
/// Writes in rounds, each time one; what follows from a failure is written at once. `rounds`
/// and `task` outlive it. Never fails: without memory the process ends.
Task<BindOutcome> Bind(client::WriteRounds* rounds, BindTask* task);
/// The same alone; an outcome in any case. Blocks; safe on any thread.
BindOutcome Bind(client::Client& client, BindTask task);

/// Deletes a claim that was made for extended resources, its finalizer first. One that is gone, or
/// has been made anew, is fine. Errors: those of the API, kConflict among them.
Result<> DeleteExtendedClaim(client::Client& client, const api::Object& claim);

/// Removes an allocation that no pod uses. Errors: those of the API; kConflict  another client
/// changed the claim.
Result<api::Object> Deallocate(client::Client& client, const api::Object& claim);

}  // namespace dray::scheduler::inline bind
