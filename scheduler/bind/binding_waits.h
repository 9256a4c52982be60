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

/// Pods whose claims are written and whose binding waits for their devices. One thread.
class BindingWaits {
 public:
  /// The task goes on when its devices are ready, or have failed, or at `until`.
  void Add(BindTask task, MonotonicTime until);
  /// The pod is gone: nothing is left to do for it.
  void Remove(std::string_view pod_uid);
  /// Looks at the pod, if it waits, the next time.
  void Stir(std::string_view pod_uid);
  /// Looks at the pods which the claim is reserved for, themselves or as a group, the next time.
  /// Null: it was, or is, not there.
  void ClaimChanged(const api::Object* before, const api::Object* after);

  /// The tasks that go on, with their claims as they are now: to bind the pod, or, with
  /// BindTask::refusal, to take the reservations back. `find_pod` and `find_claim` look by
  /// "namespace/name". O(pods whose claims changed or whose time has come).
  std::vector<BindTask> TakeDue(MonotonicTime now,
                                const api::claims::Lookup& find_pod,
                                const api::claims::Lookup& find_claim);
  /// When TakeDue may have something to say.
  std::optional<MonotonicTime> Next(MonotonicTime now) const;
  size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    BindTask task;
    MonotonicTime until;
  };

  void StirUsers(std::string_view claim_uid);

  std::map<std::string, Waiting, std::less<>> waiting_;  // by uid of the pod
  std::set<std::string, std::less<>> stirred_;           // of those
  std::set<std::pair<MonotonicTime, std::string>> ends_;
};

/// When a wait ends that begins now: after `timeout`, or earlier if the devices of a claim that
/// another pod has allocated had a part of that time already.
MonotonicTime EndOfWait(const BindTask& task,
                        std::chrono::nanoseconds timeout,
                        WallTime wall_now,
                        MonotonicTime now);

}  // namespace dray::scheduler::inline bind
