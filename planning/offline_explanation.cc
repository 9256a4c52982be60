// SPDX-License-Identifier: Apache-2.0
// What OfflineCluster has to say of one pod or claim.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/claims/pod_claims.h"
#include "controllers/claim_sync.h"
#include "planning/explanation.h"
#include "planning/offline_cluster.h"
#include "scheduler/pod_claims.h"
#include "scheduler/unschedulable.h"

namespace dray::planning {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

constexpr std::string_view kPod = "pod ";
constexpr std::string_view kClaim = "claim ";
constexpr size_t kReservedMax = 256;  // consumers of a claim: the API's limit

/// Why nobody decides about the pod; empty: it waits.
std::string StateOf(const core::Pod& pod) {
  if (controllers::IsDone(pod)) return fmt::format("is done: its phase is {}", pod.status.phase);
  if (!pod.spec.node_name.empty()) return "is on node " + pod.spec.node_name;
  if (pod.metadata.deletion_timestamp.has_value()) return "is being deleted";
  if (pod.spec.resource_claims.empty()) return "uses no claim";
  return {};
}

std::string StateOf(const v1::ResourceClaim& claim) {
  if (claim.metadata.deletion_timestamp.has_value()) return "is being deleted";
  if (!claim.status.allocation.has_value()) return {};
  std::vector<std::string> devices;
  for (const auto& result : claim.status.allocation->devices.results)
    devices.push_back(fmt::format("{}/{}/{}", result.driver, result.pool, result.device));
  return fmt::format("has devices: {}", fmt::join(devices, ", "));
}

/// The claim of the pod that no further pod may use; nothing when there is none.
const api::Object* FullClaim(std::span<const api::Object> claims, const core::Pod& pod) {
  const auto full = std::ranges::find_if(claims, [&](const api::Object& object) {
    const auto& claim = object.As<v1::ResourceClaim>();
    return claim.status.reserved_for.size() >= kReservedMax &&
           !api::claims::IsReservedFor(claim, pod.metadata.uid);
  });
  return full == claims.end() ? nullptr : &*full;
}

}  // namespace

std::vector<std::string> OfflineCluster::Waiting() {
  std::vector<std::string> waiting;
  std::set<std::string> of_pods;
  for (const PlacedObject& placed : objects_.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    if (!IsMeant(placed.object) || !StateOf(pod).empty()) continue;
    for (std::string& key : api::claims::KeysOf(pod)) of_pods.insert(std::move(key));
    for (const std::string& key : generated_[pod.metadata.uid]) of_pods.insert(key);
    waiting.push_back(std::string(kPod) + api::ObjectKey(placed.object.metadata()));
  }
  for (const std::string& key : objects_.claim_order) {
    const api::Object& claim = objects_.claims.at(key).object;
    if (IsMeant(claim) && StateOf(claim.As<v1::ResourceClaim>()).empty() && !of_pods.contains(key))
      waiting.push_back(std::string(kClaim) + key);
  }
  return waiting;
}

std::optional<OfflineExplanation> OfflineCluster::Explain(const std::string& what) {
  if (what.starts_with(kPod)) {
    const std::string key = what.substr(kPod.size());
    const auto placed = std::ranges::find(objects_.pods, key, [](const PlacedObject& pod) {
      return api::ObjectKey(pod.object.metadata());
    });
    if (placed == objects_.pods.end()) return std::nullopt;
    return ExplainPod(*placed);
  }
  const std::string key = what.substr(kClaim.size());
  if (!objects_.claims.contains(key)) return std::nullopt;
  return ExplainClaim(key);
}

OfflineExplanation OfflineCluster::ExplainPod(const PlacedObject& placed) {
  api::Object pod = placed.object.Clone();
  OfflineExplanation answer{.what = std::string(kPod) + api::ObjectKey(pod.metadata()),
                            .place = placed.place};
  answer.state = StateOf(pod.As<core::Pod>());
  if (!answer.state.empty()) return answer;
  PrepareClaims(pod.Mutable<core::Pod>());
  const auto refuse = [&](std::string why) {
    answer.verdict = Verdict::kRefused;
    answer.reason = std::move(why);
    return answer;
  };
  const auto resolved = scheduler::ResolveClaims(
      pod.As<core::Pod>(), [this](std::string_view key) { return FindClaim(key); });
  if (const auto* gated = std::get_if<scheduler::Gated>(&resolved)) return refuse(gated->message);
  const auto& claims = std::get<Claims>(resolved);
  if (const api::Object* full = FullClaim(claims, pod.As<core::Pod>())) {
    return refuse(
        fmt::format("claim {} is reserved for {} consumers, the maximum; the pod can use "
                    "it when one of them is gone",
                    api::ObjectKey(full->metadata()),
                    kReservedMax));
  }
  PodAttempt attempt;
  const Decided decided = DecideOn(looked_at_, pod, claims, attempt);
  answer.fix = FixOf(claims);
  if (const auto* failed = std::get_if<scheduler::AttemptFailed>(&decided.decision)) {
    answer.verdict = decided.gave_up ? Verdict::kUndecided : Verdict::kRefused;
    answer.reason = failed->message;
  } else if (const auto* nowhere = std::get_if<scheduler::Unschedulable>(&decided.decision)) {
    answer.verdict = nowhere->claim_reason.empty() ? Verdict::kDoesNotFit : Verdict::kRefused;
    answer.reason = scheduler::ReasonsOf(*nowhere);
  }
  ExplainDevices(claims, CandidatesFor(pod, claims), answer);
  return answer;
}

OfflineExplanation OfflineCluster::ExplainClaim(const std::string& key) {
  const PlacedObject& placed = objects_.claims.at(key);
  OfflineExplanation answer{.what = std::string(kClaim) + key, .place = placed.place};
  answer.state = StateOf(placed.object.As<v1::ResourceClaim>());
  if (!answer.state.empty()) return answer;
  const Claims claims{placed.object};
  answer.fix = FixOf(claims);
  std::vector<CandidateNode> nodes;
  for (const scheduler::NodeState* state : looked_at_) nodes.push_back({.node = &state->value()});
  ExplainDevices(claims, nodes, answer);
  if (answer.explanation.fits()) return answer;
  answer.verdict = answer.explanation.refusal.empty() ? Verdict::kDoesNotFit : Verdict::kRefused;
  answer.reason = answer.explanation.refusal.empty() ? "no node has the devices it asks for"
                                                     : answer.explanation.refusal;
  return answer;
}

/// Nodes, and what the scheduler has against them besides their devices.
std::vector<CandidateNode> OfflineCluster::CandidatesFor(const api::Object& pod,
                                                         const Claims& claims) const {
  const scheduler::PodNeeds needs = scheduler::NeedsOf(pod.As<core::Pod>());
  const bool any_allocated = std::ranges::any_of(claims, [](const api::Object& claim) {
    return claim.As<v1::ResourceClaim>().status.allocation.has_value();
  });
  std::vector<CandidateNode> nodes;
  for (const scheduler::NodeState* state : looked_at_) {
    CandidateNode candidate{.node = &state->value()};
    if (const auto rejection = scheduler::FilterNode(needs, *state)) {
      candidate.objection = fmt::format("{}", fmt::join(rejection->reasons, ", "));
    } else if (any_allocated) {
      candidate.objection = ObjectionOf(*state, pod, claims);
    }
    nodes.push_back(std::move(candidate));
  }
  return nodes;
}

/// Why the claims of the pod that have devices already keep it from the node; empty: they do not.
std::string OfflineCluster::ObjectionOf(const scheduler::NodeState& node,
                                        const api::Object& pod,
                                        const Claims& claims) const {
  Claims allocated;
  for (const api::Object& claim : claims) {
    if (claim.As<v1::ResourceClaim>().status.allocation.has_value()) allocated.push_back(claim);
  }
  PodAttempt attempt;
  const scheduler::NodeState* const only = &node;
  const Decided decided = DecideOn({&only, 1}, pod, allocated, attempt);
  const auto* const nowhere = std::get_if<scheduler::Unschedulable>(&decided.decision);
  return nowhere == nullptr ? "" : fmt::format("{}", fmt::join(nowhere->node_reasons, ", "));
}

void OfflineCluster::ExplainDevices(const Claims& claims,
                                    std::span<const CandidateNode> nodes,
                                    OfflineExplanation& answer) const {
  WantedClaims wanted;
  std::set<std::string> own;
  for (const api::Object& claim : claims) {
    own.insert(claim.metadata().uid);
    if (!claim.As<v1::ResourceClaim>().status.allocation.has_value())
      wanted.push_back(api::FrozenOf<v1::ResourceClaim>(claim));
  }
  std::vector<Frozen<v1::ResourceClaim>> allocated;
  for (const std::string& key : objects_.claim_order) {
    const api::Object& claim = objects_.claims.at(key).object;
    if (claim.As<v1::ResourceClaim>().status.allocation.has_value())
      allocated.push_back(api::FrozenOf<v1::ResourceClaim>(claim));
  }
  const Holders holders(std::move(allocated));
  answer.explanation = planning::Explain({.snapshot = snapshot_,
                                          .holders = holders,
                                          .claims = wanted,
                                          .nodes = nodes,
                                          .own_claims = std::move(own),
                                          .budget = options_.budget});
}

}  // namespace dray::planning
