// SPDX-License-Identifier: Apache-2.0
#include "scheduler/classic_scheduler.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "api/claims/either_claim.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "scheduler/classic/classic_claims.h"
#include "scheduler/classic/classic_dialogue.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;

/// The messages for users after a write for the drivers.
constexpr const char* kToldDrivers30 = "waiting for resource driver";
constexpr const char* kToldDrivers = "0/1 nodes are available: 1 waiting for resource driver.";
constexpr const char* kWaitsForDrivers =
    "0/1 nodes are available: 1 waiting for resource driver to provide information.";

constexpr const char* kPreBind = "running PreBind plugin \"DynamicResources\": ";

/// The indexes, among all claims of the pod, of those that the device search handles.
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

ClassicScheduler::Next ClassicScheduler::Schedule(const std::string& key,
                                                  const api::Object& pod,
                                                  std::span<const api::Object> claims) {
  const Result<bool> settled = uses_.classic.SettleUnanswered(claims);
  if (settled && *settled) return Next::kTryAgain;
  if (settled) {
    Attempt(key, pod, claims);
  } else {
    uses_.unplaced.HandleFailure(key, pod, kPreBind + settled.error().message);
  }
  return Next::kDone;
}

void ClassicScheduler::Attempt(const std::string& key,
                               const api::Object& pod,
                               std::span<const api::Object> claims) {
  const Result<ClassicAttempt> attempt =
      uses_.classic.Begin(pod, claims, [this](std::string_view name) {
        return uses_.cluster.objects().classes.Find(name);
      });
  if (!attempt) {
    return uses_.unplaced.HandleFailure(
        key, pod, "running PreFilter plugin \"DynamicResources\": " + attempt.error().message);
  }
  if (const ClassicClaim* obstacle = FindObstacle(attempt->claims)) {
    const size_t nodes = uses_.cluster.use().nodes().size();
    return uses_.unplaced.HandleUnschedulable(
        key,
        pod,
        claims,
        {.nodes = nodes,
         .claim_reason = obstacle->why_nowhere,
         .unresolvable_nodes = nodes,
         .waits_for = uses_.classic.WaitsForDrivers(pod, claims)});
  }
  Decision decision = Decide(pod, claims, *attempt);
  if (auto* placement = std::get_if<Placement>(&decision)) {
    return GoOnWithDialogue(key, pod, claims, *attempt, std::move(*placement));
  }
  if (auto* nowhere = std::get_if<Unschedulable>(&decision)) {
    return uses_.unplaced.HandleUnschedulable(key, pod, claims, std::move(*nowhere));
  }
  uses_.unplaced.HandleFailure(key, pod, std::get<AttemptFailed>(decision));
}

/// Decides where the pod fits, with the drivers' answers so far.
Decision ClassicScheduler::Decide(const api::Object& pod,
                                  std::span<const api::Object> claims,
                                  const ClassicAttempt& attempt) {
  const std::vector<size_t> searched = SearchedFor(claims, attempt);
  std::vector<api::Object> known;
  known.reserve(searched.size());
  for (const size_t index : searched) known.push_back(claims[index]);
  std::vector<ClassicClaim> others;
  std::vector<size_t> places;  // indexes among all claims
  for (size_t i = 0; i < claims.size(); ++i) {
    if (std::ranges::binary_search(searched, i)) continue;
    others.push_back(attempt.claims[i]);
    places.push_back(i);
  }
  std::set<size_t> unavailable;
  const OtherClaims objections{.objection = [&](const core_v1::Node& node) {
    auto instances = uses_.classic.InstancesOn(node.metadata.name);
    NodeObjection objection =
        ObjectionTo(node, others, attempt.said(), uses_.classic.generation(), instances);
    for (const size_t index : objection.unavailable) {
      // A driver would allocate an immediate claim again at once, on any node.
      if (!others[index].is_immediate) unavailable.insert(places[index]);
    }
    return std::move(objection.reason);
  }};
  Decision decision = uses_.decider.Decide(pod.As<core_v1::Pod>(), known, {}, &objections);
  auto* nowhere = std::get_if<Unschedulable>(&decision);
  if (nowhere == nullptr) return decision;
  for (const size_t index : nowhere->unavailable_claims) unavailable.insert(searched[index]);
  nowhere->unavailable_claims.assign(unavailable.begin(), unavailable.end());
  WaitsFor waits_for = uses_.classic.WaitsForDrivers(pod, claims);
  nowhere->waits_for.events.merge(waits_for.events);
  std::ranges::move(waits_for.claims, std::back_inserter(nowhere->waits_for.claims));
  return decision;
}

void ClassicScheduler::GoOnWithDialogue(const std::string& key,
                                        const api::Object& pod,
                                        std::span<const api::Object> claims,
                                        const ClassicAttempt& attempt,
                                        Placement placement) {
  const NextStep step =
      NextStepOf(attempt.claims, attempt.said(), placement.fitting, placement.node);
  if (step.kind == NextStep::Kind::kBind) {
    return Bind(key, pod, claims, attempt, std::move(placement));
  }
  uses_.queue.AddUnschedulable(
      key, uses_.classic.WaitsForDrivers(pod, claims), uses_.clock.Monotonic());
  const char* message = kWaitsForDrivers;
  if (step.kind == NextStep::Kind::kSay) {
    const bool is_1_30 = uses_.classic.generation() == ClassicClaims::kAll;
    message = is_1_30 ? kToldDrivers30 : kToldDrivers;
    if (const Result<> said = uses_.classic.SayTo(pod, attempt, step.spec); !said) {
      uses_.claims.DropReservations(pod, claims);
      return uses_.unplaced.HandleFailure(key, pod, kPreBind + said.error().message);
    }
  }
  uses_.outcomes.ReportFailure(
      pod, {.reason = "Unschedulable", .message = message, .nomination = std::nullopt});
  uses_.claims.DropReservations(pod, claims);
}

/// Binds a pod whose remaining claims the scheduler allocates.
void ClassicScheduler::Bind(const std::string& key,
                            const api::Object& pod,
                            std::span<const api::Object> claims,
                            const ClassicAttempt& attempt,
                            Placement placement) {
  if (uses_.classic.generation() != ClassicClaims::kAll) {
    uses_.decider.GoOnAfter(placement);
    return uses_.binder.Place(pod, claims, std::move(placement));
  }
  const Result<> done = uses_.classic.AllocateAndReserve(pod, claims, attempt, placement.node);
  if (!done) {
    uses_.claims.DropReservations(pod, claims);
    return uses_.unplaced.HandleFailure(key, pod, kPreBind + done.error().message);
  }
  uses_.decider.GoOnAfter(placement);
  uses_.binder.Place(pod, std::span<const api::Object>(), std::move(placement));
}

}  // namespace dray::scheduler
