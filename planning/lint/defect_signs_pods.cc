// SPDX-License-Identifier: Apache-2.0
// Signs in pods.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "api/claims/extended_claim.h"
#include "api/claims/pod_claims.h"
#include "planning/lint/defect_signs.h"

namespace dray::planning::inline lint::signs {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;
using Evidence = std::optional<DefectEvidence>;

bool IsWaiting(const core::Pod& pod) {
  return pod.spec.node_name.empty() && !pod.metadata.deletion_timestamp.has_value() &&
         (pod.status.phase.empty() || pod.status.phase == "Pending");
}

bool IsRunning(const core::Pod& pod) {
  return !pod.spec.node_name.empty() && !pod.metadata.deletion_timestamp.has_value() &&
         pod.status.phase == "Running";
}

/// Whether more than one node may reach the devices.
bool IsOfSeveralNodes(const v1::AllocationResult& allocation) {
  if (!allocation.node_selector.has_value()) return true;
  const auto& terms = allocation.node_selector->node_selector_terms;
  const bool is_one =
      terms.size() == 1 && terms[0].match_expressions.empty() && terms[0].match_fields.size() == 1;
  return !is_one;
}

}  // namespace

Evidence OldAndNewClaim(const api::Object& object, DefectFacts& facts) {
  const auto* const pod = object.If<core::Pod>();
  if (pod == nullptr || !IsWaiting(*pod) || pod->spec.resource_claims.size() < 2) return {};
  const v1::ResourceClaim* old_claim = nullptr;
  size_t with_devices = 0;
  for (const std::string& key : api::claims::KeysOf(*pod)) {
    const v1::ResourceClaim* const claim = facts.ClaimOf(key);
    if (claim == nullptr || !claim->status.allocation.has_value()) continue;
    ++with_devices;
    if (IsOfSeveralNodes(*claim->status.allocation)) old_claim = claim;
  }
  if (old_claim == nullptr || with_devices == pod->spec.resource_claims.size()) return {};
  return DefectEvidence{
      .field = "spec.resourceClaims",
      .what = fmt::format("claim {} has devices for several nodes, another claim has none yet",
                          old_claim->metadata.name)};
}

Evidence NotEvicted(const api::Object& object, DefectFacts& facts) {
  const auto* const pod = object.If<core::Pod>();
  if (pod == nullptr || !IsRunning(*pod)) return {};
  const auto& extended = pod->status.extended_resource_claim_status;
  if (!extended.has_value()) return {};
  const v1::ResourceClaim* const claim =
      facts.ClaimOf(fmt::format("{}/{}", pod->metadata.namespace_, extended->resource_claim_name));
  if (claim == nullptr || !claim->status.allocation.has_value()) return {};
  for (const auto& result : claim->status.allocation->devices.results) {
    const PopulationDevice* const device =
        facts.Find({.driver = result.driver, .pool = result.pool, .device = result.device});
    if (device == nullptr) continue;
    const auto taint =
        std::ranges::find(device->device->taints, "NoExecute", &v1::DeviceTaint::effect);
    if (taint == device->device->taints.end()) continue;
    return DefectEvidence{.field = "status.extendedResourceClaimStatus",
                          .what = fmt::format("it runs with {}, which has the taint {}:NoExecute",
                                              device->id().ToString(),
                                              taint->key),
                          .is_seen = true};
  }
  return {};
}

Evidence ImplicitResource(const api::Object& object, DefectFacts& /*facts*/) {
  const auto* const pod = object.If<core::Pod>();
  if (pod == nullptr) return {};
  for (size_t i = 0; i < pod->spec.containers.size(); ++i) {
    const auto& resources = pod->spec.containers[i].resources;
    for (const auto& [name, amount] : resources.requests) {
      if (!std::string_view(name).starts_with(api::claims::kClassResourcePrefix)) continue;
      return DefectEvidence{.field = fmt::format("spec.containers[{}].resources.requests", i),
                            .what = "it asks for " + name,
                            .is_seen = pod->status.phase == "Failed"};
    }
  }
  return {};
}

Evidence SharedAndOwnClaim(const api::Object& object, DefectFacts& facts) {
  const auto* const pod = object.If<core::Pod>();
  if (pod == nullptr || pod->spec.node_name.empty() || IsRunning(*pod)) return {};
  if (!pod->status.phase.empty() && pod->status.phase != "Pending") return {};
  std::string shared;
  bool has_own = false;
  for (const std::string& key : api::claims::KeysOf(*pod)) {
    const bool is_shared =
        std::ranges::any_of(facts.UsersOf(key), [&](const core::Pod* const other) {
          return other->metadata.uid != pod->metadata.uid && IsRunning(*other) &&
                 other->spec.node_name == pod->spec.node_name;
        });
    if (is_shared) shared = key;
    has_own = has_own || !is_shared;
  }
  if (shared.empty() || !has_own) return {};
  return DefectEvidence{
      .field = "spec.resourceClaims",
      .what = fmt::format("claim {} is also that of a pod that runs on the node, and it has one of "
                          "its own",
                          shared)};
}

Evidence ClaimsOfTwoDrivers(const api::Object& object, DefectFacts& facts) {
  const auto* const pod = object.If<core::Pod>();
  if (pod == nullptr || pod->spec.node_name.empty() || IsRunning(*pod)) return {};
  if (!pod->status.phase.empty() && pod->status.phase != "Pending") return {};
  std::set<std::string_view> drivers;
  for (const std::string& key : api::claims::KeysOf(*pod)) {
    const v1::ResourceClaim* const claim = facts.ClaimOf(key);
    if (claim == nullptr || !claim->status.allocation.has_value()) continue;
    for (const auto& result : claim->status.allocation->devices.results)
      drivers.insert(result.driver);
  }
  if (drivers.size() < 2) return {};
  return DefectEvidence{.field = "spec.resourceClaims",
                        .what = fmt::format("it waits on its node for devices of {} and {}",
                                            *drivers.begin(),
                                            *std::next(drivers.begin()))};
}

}  // namespace dray::planning::inline lint::signs
