// SPDX-License-Identifier: Apache-2.0
#include "scheduler/bind/binder.h"

#include <list>
#include <string>
#include <utility>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/value/time.h"
#include "base/check.h"
#include "base/out_of_memory.h"
#include "base/task.h"
#include "client/write_rounds.h"
#include "scheduler/cluster/binding_state.h"
#include "scheduler/cycle/placed_so_far.h"

namespace dray::scheduler::inline bind {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

Binder::Binder(const Uses& uses, Options options)
    : uses_(uses),
      options_(std::move(options)),
      tasks_(options_.bindings_max),
      outcomes_(options_.bindings_max) {}

// ------------------------------------------------------------------------------------------------
// From a placement to a task.

void Binder::Place(const api::Object& pod,
                   std::span<const api::Object> claims,
                   Placement placement) {
  std::vector<ClaimToBind> to_bind;
  to_bind.reserve(claims.size());
  for (size_t i = 0; i < claims.size(); ++i) {
    to_bind.push_back({.claim = claims[i], .allocation = std::move(placement.allocations[i])});
  }
  Place(pod, std::move(to_bind), std::move(placement));
}

void Binder::Place(const api::Object& pod, std::vector<ClaimToBind> claims, Placement placement) {
  BindTask task{.pod_key = api::ObjectKey(pod.metadata()),
                .pod = pod,
                .node = placement.node,
                .claims = {},
                .allocated_at = std::nullopt};
  if (uses_.cluster.options().features.device_binding_and_status) {
    task.allocated_at = api::Time::Of(uses_.clock.Now());
  }
  for (ClaimToBind& claim : claims) Hold(task, std::move(claim));
  if (placement.extended.has_value()) {
    task.extended_mappings = std::move(placement.extended->mappings);
    Hold(task,
         {.claim = api::Object::Of(std::move(placement.extended->claim)),
          .allocation = std::move(placement.extended->allocation),
          .is_extended = true});
  }
  uses_.outcomes.KeepStory(task.pod.As<core_v1::Pod>());
  uses_.cluster.AssumePod(task.pod, placement.node, placement.taken);
  task.taken = std::move(placement.taken);
  Begin(std::move(task));
}

/// Adds the claim to the task and puts its devices in flight.
void Binder::Hold(BindTask& task, ClaimToBind claim) {
  const auto& allocated = claim.claim.As<resource_v1::ResourceClaim>().status.allocation;
  const auto& chosen = claim.allocation ? claim.allocation : allocated;
  if (claim.allocation) {
    std::string hold =
        HoldOf(task.pod.As<core_v1::Pod>(), claim.claim.As<resource_v1::ResourceClaim>());
    // Decide rejects claims in flight, and each claim is here once, except those that pods of a
    // group share.
    const bool is_new = uses_.cluster.taken().Reserve(hold, *claim.allocation);
    DRAY_CHECK(is_new || claim.is_pending);
    if (!is_new) uses_.cluster.taken().Share(hold);
    task.holds.push_back(std::move(hold));
  }
  const bool has_conditions = uses_.cluster.options().features.device_binding_and_status;
  task.waits = task.waits || (has_conditions && HasBindingConditions(*chosen));
  task.claims.push_back(std::move(claim));
}

// ------------------------------------------------------------------------------------------------
// Writing.

void Binder::Run() {
  client::WriteRounds rounds(uses_.client);
  std::list<BindTask> under_way;
  bool has_outcome = false;
  const auto note = [&](BindOutcome outcome) {
    // The queue has room for the outcome of every accepted task.
    DRAY_CHECK(outcomes_.TryPush(std::move(outcome)));
    has_outcome = true;
  };
  const auto begin = [&](BindTask task) {
    const auto kept = under_way.insert(under_way.end(), std::move(task));
    Start(Bind(&rounds, &*kept), [&under_way, &note, kept](Result<BindOutcome> outcome) {
      if (!outcome) EndOutOfMemory();  // the task fails for no other reason
      note(*std::move(outcome));
      under_way.erase(kept);
    });
  };
  while (true) {
    std::optional<BindTask> task = rounds.idle() ? tasks_.Pop() : tasks_.TryPop();
    for (; task && !uses_.loop.stopping(); task = tasks_.TryPop()) {
      begin(*std::move(task));
    }
    if (rounds.idle() && !has_outcome) return;  // closed
    if (!rounds.idle()) rounds.Run();
    if (std::exchange(has_outcome, false)) uses_.loop.wakeup().Wake();
  }
}

void Binder::Begin(BindTask task) {
  if (bindings_ < options_.bindings_max && tasks_.TryPush(task)) {
    ++bindings_;
    return;
  }
  Finish(Bind(uses_.client, std::move(task)));
}

// ------------------------------------------------------------------------------------------------
// Outcomes.

std::optional<MonotonicTime> Binder::Step() {
  while (std::optional<BindOutcome> outcome = outcomes_.TryPop()) {
    --bindings_;
    Finish(*std::move(outcome));
  }
  const std::optional<MonotonicTime> next = AskAboutUnknown();
  return client::Earlier(next, GoOnWithWaiting());
}

void Binder::Finish(BindOutcome outcome) {
  // First the cluster cache takes the allocation; only then release the hold on its devices.
  for (const api::Object& claim : outcome.written) uses_.feed.Assume(claim);
  if (outcome.unknown.has_value()) {
    uses_.log.Warning("it is unknown whether a pod was bound: asks again",
                      "pod",
                      outcome.unknown->pod_key,
                      "error",
                      outcome.error);
    unknown_.emplace(Now() + options_.ask_again, *std::move(outcome.unknown));
    return;
  }
  for (const std::string& hold : outcome.holds) uses_.cluster.taken().Unreserve(hold);
  if (outcome.waiting.has_value()) return Await(*std::move(outcome.waiting));
  options_.on_end(outcome);
}

/// Checks bindings of unknown outcome that are due. Returns when the next one is due.
std::optional<MonotonicTime> Binder::AskAboutUnknown() {
  const MonotonicTime now = Now();
  while (!unknown_.empty() && unknown_.begin()->first <= now && !uses_.loop.stopping()) {
    Begin(std::move(unknown_.extract(unknown_.begin()).mapped()));
  }
  if (unknown_.empty()) return std::nullopt;
  return unknown_.begin()->first;
}

/// The claims of the pod are written; the binding follows when its devices are ready.
void Binder::Await(BindTask task) {
  uses_.outcomes.ReportWaiting(task.pod, task.node);
  // The pod may have gone meanwhile.
  if (!uses_.cluster.IsAssumed(task.pod.metadata().uid)) return;
  const Profile& profile = *ProfileOf(uses_.configuration, task.pod.As<core_v1::Pod>());
  const MonotonicTime end = EndOfWait(task, profile.binding_timeout, uses_.clock.Now(), Now());
  waiting_.Add(std::move(task), end);
}

/// Binds pods whose devices are ready, and gives up on those whose devices failed. Returns when to
/// check again.
std::optional<MonotonicTime> Binder::GoOnWithWaiting() {
  if (waiting_.size() == 0) return std::nullopt;
  std::vector<BindTask> due = waiting_.TakeDue(
      Now(),
      [this](std::string_view pod) { return uses_.cluster.FindPod(pod); },
      [this](std::string_view claim) { return uses_.cluster.FindClaim(claim); });
  for (BindTask& task : due) Begin(std::move(task));
  return waiting_.Next(Now());
}

}  // namespace dray::scheduler::inline bind
