// SPDX-License-Identifier: Apache-2.0
#include "scheduler/bind/binding_waits.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/claims/pod_groups.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "scheduler/cluster/binding_state.h"

namespace dray::scheduler::inline bind {
namespace {

namespace resource_v1 = api::resource_v1;
using Kind = BindingState::Kind;

std::string InPreBind(std::string_view text) {
  return fmt::format("running PreBind plugin \"DynamicResources\": {}", text);
}

/// The progress of the claims of a waiting pod. Updates the claims in the task.
BindingState StateOfTask(BindTask& task, const api::claims::Lookup& find_claim) {
  for (ClaimToBind& known : task.claims) {
    const std::string key = api::ObjectKey(known.claim.metadata());
    const api::Object* found = find_claim(key);
    if (found == nullptr || found->metadata().uid != known.claim.metadata().uid) {
      return {.kind = Kind::kFailed,
              .failure = fmt::format("claim {} got deleted in the meantime", key)};
    }
    known.claim = *found;
    const auto& claim = found->As<resource_v1::ResourceClaim>();
    // The claim was allocated before, so the task never writes its allocation again.
    known.allocation.reset();
    if (!claim.status.allocation.has_value() ||
        !api::claims::IsKeptFor(claim, task.pod.As<api::core_v1::Pod>())) {
      return {.kind = Kind::kFailed,
              .failure = fmt::format("claim {} got deallocated elsewhere in the meantime", key)};
    }
    if (!HasBindingConditions(*claim.status.allocation)) continue;
    BindingState state = BindingStateOf(claim);
    if (state.kind != Kind::kReady) return state;
  }
  return {};
}

/// Whether the task is due. Sets its refusal if its devices failed.
bool IsDue(BindTask& task,
           bool time_is_up,
           const api::claims::Lookup& find_pod,
           const api::claims::Lookup& find_claim) {
  const api::Object* pod = find_pod(task.pod_key);
  if (pod != nullptr && pod->metadata().deletion_timestamp.has_value()) {
    task.refusal = InPreBind("the pod is being deleted");
    task.pod_goes = true;
    return true;
  }
  const BindingState state = StateOfTask(task, find_claim);
  if (state.kind == Kind::kFailed) task.refusal = InPreBind(state.failure);
  if (state.kind == Kind::kWaits) {
    if (!time_is_up) return false;
    task.refusal = InPreBind("device binding timeout: context deadline exceeded");
  }
  task.waits = false;
  return true;
}

}  // namespace

MonotonicTime EndOfWait(const BindTask& task,
                        std::chrono::nanoseconds timeout,
                        WallTime wall_now,
                        MonotonicTime now) {
  std::chrono::nanoseconds left = timeout;
  for (const ClaimToBind& known : task.claims) {
    const auto& allocation = known.claim.As<resource_v1::ResourceClaim>().status.allocation;
    if (known.allocation.has_value() || !allocation.has_value()) continue;
    if (!allocation->allocation_timestamp.has_value() || !HasBindingConditions(*allocation)) {
      continue;
    }
    left = std::min(left, timeout - AgeOf(*allocation, wall_now));
  }
  return now + std::max(left, std::chrono::nanoseconds(0));
}

void BindingWaits::Add(BindTask task, MonotonicTime until) {
  const std::string uid = task.pod.metadata().uid;
  Remove(uid);
  stirred_.insert(uid);
  ends_.emplace(until, uid);
  waiting_.emplace(uid, Waiting{.task = std::move(task), .until = until});
}

void BindingWaits::Remove(std::string_view pod_uid) {
  const auto found = waiting_.find(pod_uid);
  if (found == waiting_.end()) return;
  ends_.erase({found->second.until, found->first});
  stirred_.erase(found->first);
  waiting_.erase(found);
}

void BindingWaits::Stir(std::string_view pod_uid) {
  if (waiting_.contains(pod_uid)) stirred_.emplace(pod_uid);
}

void BindingWaits::StirUsers(std::string_view claim_uid) {
  for (const auto& [uid, wait] : waiting_) {
    const auto is_it = [&](const ClaimToBind& claim) {
      return claim.claim.metadata().uid == claim_uid;
    };
    if (std::ranges::any_of(wait.task.claims, is_it)) stirred_.insert(uid);
  }
}

void BindingWaits::ClaimChanged(const api::Object* before, const api::Object* after) {
  if (waiting_.empty()) return;
  for (const api::Object* claim : {before, after}) {
    if (claim == nullptr) continue;
    for (const auto& user : claim->As<resource_v1::ResourceClaim>().status.reserved_for) {
      if (api::claims::KindOf(user) == api::claims::ConsumerKind::kPodGroup) {
        StirUsers(claim->metadata().uid);
      } else {
        Stir(user.uid);
      }
    }
  }
}

std::vector<BindTask> BindingWaits::TakeDue(MonotonicTime now,
                                            const api::claims::Lookup& find_pod,
                                            const api::claims::Lookup& find_claim) {
  for (auto end = ends_.begin(); end != ends_.end() && end->first <= now; ++end) {
    stirred_.insert(end->second);
  }
  std::vector<BindTask> due;
  for (const std::string& uid : std::exchange(stirred_, {})) {
    Waiting& waiting = waiting_.find(uid)->second;
    if (!IsDue(waiting.task, waiting.until <= now, find_pod, find_claim)) continue;
    due.push_back(std::move(waiting.task));
    Remove(uid);
  }
  return due;
}

std::optional<MonotonicTime> BindingWaits::Next(MonotonicTime now) const {
  if (!stirred_.empty()) return now;
  if (ends_.empty()) return std::nullopt;
  return ends_.begin()->first;
}

}  // namespace dray::scheduler::inline bind
