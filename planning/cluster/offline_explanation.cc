// SPDX-License-Identifier: Apache-2.0
// OfflineCluster's explanations of pods and claims.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/claims/pod_claims.h"
#include "api/validation/devices/claim.h"
#include "planning/cluster/claim_users.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/cluster/pod_likeness.h"
#include "planning/explain/explanation.h"
#include "planning/explain/objection_details.h"
#include "planning/objects/published_devices.h"
#include "planning/objects/waiting.h"
#include "scheduler/cluster/extended_resources.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/cycle/pod_claims.h"
#include "scheduler/cycle/unschedulable.h"

namespace dray::planning::inline cluster {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

constexpr std::string_view kPodPrefix = "pod ";
constexpr std::string_view kClaim = "claim ";

/// Names a device whose nodeSelector no allocator takes, if that is why the claims are refused.
std::string FixOfSelector(std::string_view refusal, const client::Mirror& slices) {
  if (!refusal.contains("unsupported ResourceSlice.NodeSelector")) return {};
  for (const auto& [key, object] : slices.objects()) {
    const auto& slice = object.As<v1::ResourceSlice>();
    for (const v1::Device& device : slice.spec.devices) {
      if (SelectorTermsOf(device) < 2) continue;
      return fmt::format(
          "ResourceSlice {}: write one term into the nodeSelector of device {}/{}/{}, with several "
          "values of operator In (kubernetes#141212); dray lint names all such devices",
          slice.metadata.name,
          slice.spec.driver,
          slice.spec.pool.name,
          device.name);
    }
  }
  return {};
}

/// Renames the requests of the claim for extended resources for users: to the resource, and the
/// container if several containers request that resource.
void NameAsResources(std::span<const core::ContainerExtendedResourceRequest> mappings,
                     v1::ResourceClaim& claim) {
  std::map<std::string_view, size_t> counts;  // requests, by resource
  std::map<std::string_view, const core::ContainerExtendedResourceRequest*> of_request;
  for (const auto& mapping : mappings) {
    const bool is_new = of_request.try_emplace(mapping.request_name, &mapping).second;
    if (is_new) ++counts[mapping.resource_name];
  }
  for (v1::DeviceRequest& request : claim.spec.devices.requests) {
    const auto found = of_request.find(request.name);
    if (found == of_request.end()) continue;
    const auto& mapping = *found->second;
    request.name = counts[mapping.resource_name] == 1
                       ? mapping.resource_name
                       : fmt::format("{} of {}", mapping.resource_name, mapping.container_name);
  }
}

}  // namespace

std::vector<std::string> OfflineCluster::Waiting() {
  std::vector<std::string> waiting;
  std::set<std::string> of_pods;
  for (const PlacedObject& placed : objects_.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    if (!IsMeant(placed.object) || !StateOfPod(pod).empty()) continue;
    for (std::string& key : api::claims::KeysOf(pod)) of_pods.insert(std::move(key));
    for (const std::string& key : generated_[pod.metadata.uid]) of_pods.insert(key);
    waiting.push_back(std::string(kPodPrefix) + api::ObjectKey(placed.object.metadata()));
  }
  for (const std::string& key : WaitingClaims(of_pods))
    waiting.push_back(std::string(kClaim) + key);
  return waiting;
}

std::optional<OfflineExplanation> OfflineCluster::Explain(const std::string& what) {
  const Admission before = *admission_;  // those that wait before it have taken nothing
  std::optional<OfflineExplanation> answer = Explain(what, {});
  admission_ = before;
  const bool is_cancelled = options_.budget.IsCancelled();
  if (!is_cancelled || !answer.has_value() || !answer->state.empty()) return answer;
  return OfflineExplanation{.what = std::move(answer->what),
                            .place = std::move(answer->place),
                            .verdict = Verdict::kUndecided,
                            .reason = "the search was ended before it had an answer"};
}

const PlacedObject* OfflineCluster::FindPod(std::string_view key) const {
  for (; pods_known_ < objects_.pods.size(); ++pods_known_) {
    pod_places_.try_emplace(api::ObjectKey(objects_.pods[pods_known_].object.metadata()),
                            pods_known_);
  }
  const auto place = pod_places_.find(key);
  return place == pod_places_.end() ? nullptr : &objects_.pods[place->second];
}

std::optional<OfflineExplanation> OfflineCluster::Explain(const std::string& what,
                                                          const std::set<std::string>& stays) {
  if (what.starts_with(kPodPrefix)) {
    const PlacedObject* const placed = FindPod(what.substr(kPodPrefix.size()));
    if (placed == nullptr) return std::nullopt;
    return ExplainPod(*placed, stays);
  }
  const std::string key = what.substr(kClaim.size());
  if (FindClaim(key) == nullptr) return std::nullopt;
  return ExplainClaim(key, stays);
}

OfflineExplanation OfflineCluster::ExplainPod(const PlacedObject& placed,
                                              const std::set<std::string>& stays) {
  api::Object pod = placed.object.Clone();
  OfflineExplanation answer{.what = std::string(kPodPrefix) + api::ObjectKey(pod.metadata()),
                            .place = placed.place};
  answer.state = StateOfPod(pod.As<core::Pod>());
  if (!answer.state.empty()) return answer;
  answer.note = NoteAbout(pod.As<core::Pod>());
  PrepareClaims(pod);
  const auto refuse = [&](Refusal refusal) {
    answer.verdict = Verdict::kRefused;
    answer.hindrance = refusal.hindrance;
    answer.reason = std::move(refusal.reason);
    answer.fix = std::move(refusal.fix);
    return answer;
  };
  if (Refusal refusal = WhyNotLetIn(pod); !refusal.reason.empty())
    return refuse(std::move(refusal));
  const auto resolved = scheduler::ResolveClaims(
      pod.As<core::Pod>(), [this](std::string_view key) { return FindClaim(key); });
  if (const auto* gated = std::get_if<scheduler::Gated>(&resolved))
    return refuse(RefusalOf(pod.As<core::Pod>(), *gated));
  const auto& claims = std::get<Claims>(resolved);
  if (std::string why = WhyNoMoreUsers(claims, pod.As<core::Pod>()); !why.empty())
    return refuse({.reason = std::move(why)});
  if (std::string why = ForbiddenAdminAccess(claims); !why.empty())
    return refuse({.reason = std::move(why)});
  answer.fix = FixOf(claims);
  if (answer.fix.empty()) answer.fix = UnservedResource(pod.As<core::Pod>());
  std::vector<std::string> objections;
  if (IsOfGroup(pod.As<core::Pod>())) {  // the scheduler tries the whole group
    DecideInGroup(pod.As<core::Pod>(), answer);
    objections = ObjectionsTo(pod, claims);
  } else {
    Said said = DecideAlike(pod, claims);
    answer.verdict = said.verdict;
    answer.hindrance = said.hindrance;
    answer.reason = std::move(said.reason);
    answer.evicts = std::move(said.evicts);
    if (!said.note.empty()) answer.note += (answer.note.empty() ? "" : "; ") + said.note;
    objections = std::move(said.objections);
  }
  std::set<std::string> own = stays;
  for (const api::Object& claim : claims) own.insert(claim.metadata().uid);
  ExplainDevices(
      WantedOf(pod, claims), CandidatesWith(std::move(objections)), std::move(own), answer);
  AddObjectionDetails(pod.As<core::Pod>(), LookedAt(), answer.explanation);
  return answer;
}

OfflineCluster::Said OfflineCluster::DecideAlone(const api::Object& pod,
                                                 const Claims& claims) const {
  PodSearches searches;
  const Decided decided = Decide(pod, claims, only(), searches);
  Said said{.objections = ObjectionsTo(pod, claims)};
  if (const auto* failed = std::get_if<scheduler::AttemptFailed>(&decided.decision)) {
    said.verdict = decided.gave_up ? Verdict::kUndecided : Verdict::kRefused;
    said.reason = failed->message;
  } else if (const auto* nowhere = std::get_if<scheduler::Unschedulable>(&decided.decision)) {
    said.verdict = nowhere->claim_reason.empty() ? Verdict::kDoesNotFit : Verdict::kRefused;
    said.hindrance = RefusalOf(pod.As<core::Pod>(), *nowhere).hindrance;
    said.reason = scheduler::ReasonsOf(*nowhere);
    if (nowhere->preemption.has_value()) {
      for (const scheduler::PodOnNode& victim : nowhere->preemption->victims)
        said.evicts.push_back(victim.key);
    }
    const auto useless = scheduler::ClaimToDeallocate(*nowhere, claims, pod.metadata().uid);
    if (useless.has_value()) {
      said.note = fmt::format(
          "no pod uses claim {}: the scheduler takes its devices back and then tries again",
          api::ObjectKey(claims[*useless].metadata()));
    }
  }
  return said;
}

std::string OfflineCluster::LikenessOf(const core::Pod& pod, const Claims& claims) const {
  if (cluster_.indexes().LeftOverOf(pod.metadata.uid) != nullptr) return {};
  return planning::LikenessOf(pod, claims);
}

OfflineCluster::Said OfflineCluster::DecideAlike(const api::Object& pod, const Claims& claims) {
  std::string likeness = LikenessOf(pod.As<core::Pod>(), claims);
  if (const auto known = said_.find(likeness); known != said_.end()) return known->second;
  Said said = DecideAlone(pod, claims);
  // A refusal names its own claims, and a search that was given up may be repeated.
  const bool is_of_all = (said.verdict == Verdict::kFits || said.verdict == Verdict::kDoesNotFit) &&
                         IsOfAllAlike(said.reason, claims) && said.note.empty();
  if (likeness.empty() || !is_of_all || said_.size() >= kLikenessesMax) return said;
  return said_.emplace(std::move(likeness), std::move(said)).first->second;
}

Frozen<v1::ResourceClaim> OfflineCluster::ClaimForResources(const core::Pod& pod) const {
  std::set<std::string, std::less<>> served;
  for (std::string& name : ExtendedResources(pod)) {
    if (cluster_.ClassOf(name) != nullptr) served.insert(std::move(name));
  }
  if (served.empty()) return nullptr;
  auto requests = scheduler::RequestsForResources(
      pod, served, [this](std::string_view resource) { return cluster_.ClassOf(resource); });
  v1::ResourceClaim claim = scheduler::MakeExtendedClaim(pod, std::move(requests.requests));
  claim.metadata.name = scheduler::kExtendedClaimName;
  NameAsResources(requests.mappings, claim);
  return std::make_shared<const v1::ResourceClaim>(std::move(claim));
}

/// A message about the first resource that neither a node nor a class has; empty: there is none.
std::string OfflineCluster::UnservedResource(const core::Pod& pod) const {
  for (const std::string& name : ExtendedResources(pod)) {
    const bool is_there = std::ranges::any_of(LookedAt(), [&](const scheduler::NodeState* node) {
      return node->allocatable.contains(name);
    });
    if (is_there || cluster_.ClassOf(name) != nullptr) continue;
    return fmt::format(
        "no node has the resource {0}, and no DeviceClass serves it: none has the "
        "extendedResourceName "
        "{0}",
        name);
  }
  return {};
}

/// Why the API server would reject the claims; empty: it would not, as far as is known.
std::string OfflineCluster::ForbiddenAdminAccess(const Claims& claims) const {
  for (const api::Object& object : claims) {
    const auto& claim = object.As<v1::ResourceClaim>();
    const auto found = objects_.namespaces.find(claim.metadata.namespace_);
    if (found == objects_.namespaces.end() || claim.status.allocation.has_value()) continue;
    const auto& labels = found->second.metadata().labels;
    const auto label = labels.find(api::validation::kAdminAccessLabel);
    if (label != labels.end() && label->second == "true") continue;
    for (const v1::DeviceRequest& request : claim.spec.devices.requests) {
      if (!request.exactly.has_value() || !request.exactly->admin_access.value_or(false)) continue;
      return fmt::format(
          "request {} of claim {} wants admin access, for which namespace {} lacks the label {}: "
          "\"true\"",
          request.name,
          api::ObjectKey(claim.metadata),
          claim.metadata.namespace_,
          api::validation::kAdminAccessLabel);
    }
  }
  return {};
}

OfflineExplanation OfflineCluster::ExplainClaim(const std::string& key,
                                                const std::set<std::string>& stays) {
  const Claims claims{*FindClaim(key)};
  OfflineExplanation answer{.what = std::string(kClaim) + key, .place = PlaceOf(key)};
  answer.state = StateOf(claims.front().As<v1::ResourceClaim>());
  if (!answer.state.empty()) return answer;
  answer.fix = FixOf(claims);
  std::vector<CandidateNode> nodes;
  nodes.reserve(LookedAt().size());
  for (const scheduler::NodeState* state : LookedAt()) nodes.push_back({.node = &state->value()});
  if (std::string why = ForbiddenAdminAccess(claims); !why.empty()) {
    answer.verdict = Verdict::kRefused;
    answer.reason = std::move(why);
    return answer;
  }
  std::set<std::string> own = stays;
  own.insert(claims.front().metadata().uid);
  ExplainDevices({api::FrozenOf<v1::ResourceClaim>(claims.front())}, nodes, std::move(own), answer);
  if (answer.explanation.fits()) return answer;
  const bool gave_up = std::ranges::any_of(answer.explanation.groups, [](const NodeGroup& group) {
    return group.trouble == Trouble::kUndecided;
  });
  if (!answer.explanation.refusal.empty()) {
    answer.verdict = Verdict::kRefused;
    answer.reason = answer.explanation.refusal;
  } else if (gave_up) {
    answer.verdict = Verdict::kUndecided;
    answer.reason = "the search was given up";
  } else {
    answer.verdict = Verdict::kDoesNotFit;
    answer.reason = "no node has the devices it asks for";
  }
  return answer;
}

/// The candidate nodes with the scheduler's objections, devices aside.
std::vector<CandidateNode> OfflineCluster::CandidatesWith(
    std::vector<std::string> objections) const {
  std::vector<CandidateNode> nodes;
  nodes.reserve(objections.size());
  for (size_t i = 0; i < objections.size(); ++i)
    nodes.push_back({.node = &LookedAt()[i]->value(), .objection = std::move(objections[i])});
  return nodes;
}

const Holders& OfflineCluster::HoldersNow() {
  if (!holders_.has_value()) {
    std::vector<Frozen<v1::ResourceClaim>> allocated;
    for (const std::string& key : AllocatedClaims())
      allocated.push_back(api::FrozenOf<v1::ResourceClaim>(*FindClaim(key)));
    holders_.emplace(std::move(allocated));
  }
  return *holders_;
}

void OfflineCluster::ExplainDevices(const WantedClaims& claims,
                                    std::span<const CandidateNode> nodes,
                                    std::set<std::string> own_claims,
                                    OfflineExplanation& answer) {
  const Holders& holders = HoldersNow();
  // Without claims that need devices, no holder is in the way.
  if (options_.detail == Detail::kLine && !claims.empty()) {
    for (size_t i = 0; i < holders.size(); ++i) {
      const v1::ResourceClaim& claim = holders.ClaimAt(i);
      if (claim.metadata.namespace_ != claims.front()->metadata.namespace_)
        own_claims.insert(claim.metadata.uid);
    }
  }
  answer.explanation = explained_.Explain({.snapshot = cluster_.Devices(),
                                           .holders = holders,
                                           .claims = claims,
                                           .nodes = nodes,
                                           .own_claims = std::move(own_claims),
                                           .budget = options_.budget,
                                           .detail = options_.detail});
  if (answer.fix.empty())
    answer.fix = FixOfSelector(answer.explanation.refusal, cluster_.objects().slices);
}

}  // namespace dray::planning::inline cluster
