// SPDX-License-Identifier: Apache-2.0
// Pods that wait until their devices are ready for the chosen node (binding_state.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/claims/pod_claims.h"
#include "api/object.h"
#include "base/world.h"
#include "scheduler/bind/bind.h"

namespace dray::scheduler::inline bind {

/// Pods whose claims are written and whose binding waits for their devices. Not thread-safe.
class BindingWaits {
 public:
  /// Adds a task. It is due when its devices are ready or have failed, and at `until` at the
  /// latest.
  void Add(BindTask task, MonotonicTime until);
  /// Removes the task of a pod that is gone.
  void Remove(std::string_view pod_uid);
  /// The next TakeDue checks this pod, if it waits.
  void Stir(std::string_view pod_uid);
  /// The next TakeDue checks the pods for which the claim is reserved, directly or through their
  /// group. Null `before`: the claim was created; null `after`: it was deleted.
  void ClaimChanged(const api::Object* before, const api::Object* after);

  /// Returns the tasks that are due, with their claims as they are now. The caller binds the pod,
  /// or takes the reservations back if BindTask::refusal is set. `find_pod` and `find_claim` take
  /// "namespace/name". O(pods whose claims changed or whose time has come).
  std::vector<BindTask> TakeDue(MonotonicTime now,
                                const api::claims::Lookup& find_pod,
                                const api::claims::Lookup& find_claim);
  /// When to call TakeDue next.
  std::optional<MonotonicTime> Next(MonotonicTime now) const;
  size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    BindTask task;
    MonotonicTime until;
  };

  void StirUsers(std::string_view claim_uid);

  std::map<std::string, Waiting, std::less<>> waiting_;  // by uid of the pod
  std::set<std::string, std::less<>> stirred_;           // pods to check
  std::set<std::pair<MonotonicTime, std::string>> ends_;
};

/// When a wait that begins now ends: after `timeout`, or earlier if another pod allocated a claim
/// and its devices have used up a part of that time already.
MonotonicTime EndOfWait(const BindTask& task,
                        std::chrono::nanoseconds timeout,
                        WallTime wall_now,
                        MonotonicTime now);

}  // namespace dray::scheduler::inline bind
