// SPDX-License-Identifier: Apache-2.0
// An attempt for a pod with claims that drivers' own controllers allocate (classic DRA): the part
// of the scheduler that leads the dialogue. What it reads and writes is classic_scheduling.h's.
#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "api/claims/either_claim.h"
#include "scheduler/classic_dialogue.h"
#include "scheduler/classic_writes.h"
#include "scheduler/scheduler.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;

/// Said to users when something was said to drivers.
constexpr const char* kToldDrivers30 = "waiting for resource driver";
constexpr const char* kToldDrivers = "0/1 nodes are available: 1 waiting for resource driver.";
constexpr const char* kWaitsForDrivers =
    "0/1 nodes are available: 1 waiting for resource driver to provide information.";

constexpr const char* kPreBind = "running PreBind plugin \"DynamicResources\": ";

/// Which of a pod's claims the search for devices looks at, by their place among all.
std::vector<size_t> SearchedFor(std::span<const api::Object> claims,
                                const ClassicAttempt& attempt) {
  std::vector<size_t> searched;
  for (size_t i = 0; i < claims.size(); ++i) {
    const ClassicClaim& claim = attempt.claims[i];
    const bool is_known = !api::claims::IsClassic(claims[i]);
    if (is_known && (claim.is_allocated || claim.by_scheduler)) searched.push_back(i);
  }
  return searched;
}

}  // namespace

void Scheduler::ScheduleClassic(const std::string& key,
                                const api::Object& pod,
                                std::span<const api::Object> claims) {
  const Result<bool> settled = classic_->SettleUnanswered(claims);
  if (!settled) return HandleFailure(key, pod, kPreBind + settled.error().message);
  if (*settled) return ScheduleOne(key, Now());
  const Result<ClassicAttempt> attempt = classic_->Begin(
      pod, claims, [this](std::string_view name) { return cluster_.objects().classes.Find(name); });
  if (!attempt) {
    return HandleFailure(
        key, pod, "running PreFilter plugin \"DynamicResources\": " + attempt.error().message);
  }
  if (const ClassicClaim* obstacle = FindObstacle(attempt->claims)) {
    const size_t nodes = cluster_.use().nodes().size();
    return HandleUnschedulable(key,
                               pod,
                               claims,
                               {.nodes = nodes,
                                .claim_reason = obstacle->why_nowhere,
                                .unresolvable_nodes = nodes,
                                .waits_for = classic_->WaitsForDrivers(pod, claims)});
  }
  Decision decision = DecideClassic(pod, claims, *attempt);
  if (auto* placement = std::get_if<Placement>(&decision)) {
    return GoOnWithDialogue(key, pod, claims, *attempt, std::move(*placement));
  }
  if (auto* nowhere = std::get_if<Unschedulable>(&decision)) {
    return HandleUnschedulable(key, pod, claims, std::move(*nowhere));
  }
  HandleFailure(key, pod, std::get<AttemptFailed>(decision));
}

/// Where the pod fits, with what is known of its drivers' claims.
Decision Scheduler::DecideClassic(const api::Object& pod,
                                  std::span<const api::Object> claims,
                                  const ClassicAttempt& attempt) {
  const std::vector<size_t> searched = SearchedFor(claims, attempt);
  std::vector<api::Object> known;
  known.reserve(searched.size());
  for (const size_t index : searched) known.push_back(claims[index]);
  std::vector<ClassicClaim> others;
  std::vector<size_t> places;  // of those among all
  for (size_t i = 0; i < claims.size(); ++i) {
    if (std::ranges::binary_search(searched, i)) continue;
    others.push_back(attempt.claims[i]);
    places.push_back(i);
  }
  std::set<size_t> unavailable;
  const OtherClaims objections{.objection = [&](const core_v1::Node& node) {
    auto instances = classic_->InstancesOn(node.metadata.name);
    NodeObjection objection =
        ObjectionTo(node, others, attempt.said(), classic_->generation(), instances);
    for (const size_t index : objection.unavailable) {
      // One that did not wait for a pod would just be allocated again, anywhere.
      if (!others[index].is_immediate) unavailable.insert(places[index]);
    }
    return std::move(objection.reason);
  }};
  Decision decision = SchedulePod(pod.As<core_v1::Pod>(), known, {}, &objections);
  auto* nowhere = std::get_if<Unschedulable>(&decision);
  if (nowhere == nullptr) return decision;
  for (const size_t index : nowhere->unavailable_claims) unavailable.insert(searched[index]);
  nowhere->unavailable_claims.assign(unavailable.begin(), unavailable.end());
  WaitsFor waits_for = classic_->WaitsForDrivers(pod, claims);
  nowhere->waits_for.events.merge(waits_for.events);
  std::ranges::move(waits_for.claims, std::back_inserter(nowhere->waits_for.claims));
  return decision;
}

void Scheduler::GoOnWithDialogue(const std::string& key,
                                 const api::Object& pod,
                                 std::span<const api::Object> claims,
                                 const ClassicAttempt& attempt,
                                 Placement placement) {
  const NextStep step =
      NextStepOf(attempt.claims, attempt.said(), placement.fitting, placement.node);
  if (step.kind == NextStep::Kind::kBind) {
    return BindClassic(key, pod, claims, attempt, std::move(placement));
  }
  queue_.AddUnschedulable(key, classic_->WaitsForDrivers(pod, claims), Now());
  const char* message = kWaitsForDrivers;
  if (step.kind == NextStep::Kind::kSay) {
    const bool is_1_30 = classic_->generation() == ClassicClaims::kAll;
    message = is_1_30 ? kToldDrivers30 : kToldDrivers;
    if (const Result<> said = classic_->SayTo(pod, attempt, step.spec); !said) {
      DropReservations(pod, claims);
      return HandleFailure(key, pod, kPreBind + said.error().message);
    }
  }
  RecordFailure(pod, {.reason = "Unschedulable", .message = message, .nomination = std::nullopt});
  DropReservations(pod, claims);
}

/// All is allocated, or the scheduler's to allocate.
void Scheduler::BindClassic(const std::string& key,
                            const api::Object& pod,
                            std::span<const api::Object> claims,
                            const ClassicAttempt& attempt,
                            Placement placement) {
  if (classic_->generation() != ClassicClaims::kAll) {
    return Reserve(pod, claims, std::move(placement));
  }
  const Result<> done = classic_->AllocateAndReserve(pod, claims, attempt, placement.node);
  if (!done) {
    DropReservations(pod, claims);
    return HandleFailure(key, pod, kPreBind + done.error().message);
  }
  Reserve(pod, {}, std::move(placement));
}

/// An attempt that failed takes the pod's reservations back, those by drivers too; the allocations
/// stay. What is refused is repaired by the next attempt, or by the claim controller.
void Scheduler::DropReservations(const api::Object& pod, std::span<const api::Object> claims) {
  for (const api::Object& claim : claims) {
    const api::Object* newest = FindClaim(api::ObjectKey(claim.metadata()));
    if (newest == nullptr || newest->metadata().uid != claim.metadata().uid) continue;
    const bool is_held = api::claims::VisitClaim(*newest, [&](const auto& value) {
      return value.status.allocation.has_value() &&
             api::claims::IsReservedFor(value, pod.metadata().uid);
    });
    if (!is_held) continue;
    const Result<api::Object> written =
        DropReservation(client_, api::Object(*newest), pod.metadata().uid);
    if (written) {
      AssumeClaim(*written);
    } else {
      log_.Warning("cannot take a reservation back",
                   "claim",
                   api::ObjectKey(claim.metadata()),
                   "error",
                   written.error().message);
    }
  }
}

void Scheduler::DropReservations(const api::Object& pod) {
  std::vector<api::Object> claims;
  for (const std::string& key : api::claims::KeysOf(pod.As<core_v1::Pod>())) {
    if (const api::Object* claim = FindClaim(key)) claims.push_back(*claim);
  }
  DropReservations(pod, claims);
}

const api::Object* Scheduler::FindClaim(std::string_view key) const {
  const bool is_classic = classic_.has_value() && classic_->generation() == ClassicClaims::kAll;
  return is_classic ? classic_->FindClaim(key) : cluster_.FindClaim(key);
}

void Scheduler::AssumeClaim(const api::Object& claim) {
  if (api::claims::IsClassic(claim)) {
    classic_->AssumeClaim(claim);
  } else {
    feed_.Assume(claim);
  }
}

/// Gives up what a driver has allocated where the pod cannot go. First the driver must not be told
/// any more to allocate there.
Result<Scheduler::Room> Scheduler::GiveUpForClassic(const api::Object& pod,
                                                    const api::Object& claim) {
  DRAY_TRY_VOID(classic_->UnselectNode(pod));
  DRAY_TRY(api::Object freed, GiveUpAllocation(client_, claim));
  return Room{.given_up = GivenUp::kAllocation, .freed = std::move(freed)};
}

/// What is said beside the reasons when nothing was given up: 1.30 and 1.31 told that too.
GivenUp Scheduler::NothingGivenUp(const Unschedulable& result,
                                  std::span<const api::Object> claims) const {
  if (!classic_.has_value()) return GivenUp::kNothing;
  const bool looked = !claims.empty() && result.claim_reason.empty();
  return looked ? GivenUp::kStillNothing : GivenUp::kNoNewClaims;
}

}  // namespace dray::scheduler
