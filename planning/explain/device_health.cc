// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/device_health.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"

namespace dray::planning::inline explain {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;
using allocator::DeviceId;
using Ids = std::set<DeviceId, allocator::DeviceIdLess>;

constexpr std::string_view kClaimPrefix = "claim:";

void AddOfClaim(const v1::ResourceClaim& claim, Ids& unhealthy) {
  for (const v1::AllocatedDeviceStatus& status : claim.status.devices) {
    const bool is_broken = std::ranges::any_of(status.conditions, [](const auto& condition) {
      return condition.type == "Ready" && condition.status == "False";
    });
    if (is_broken) unhealthy.insert({status.driver, status.pool, status.device});
  }
}

/// Claims by namespace/name.
class PodReports {
 public:
  explicit PodReports(std::span<const Frozen<v1::ResourceClaim>> claims) {
    for (const auto& claim : claims)
      claims_[fmt::format("{}/{}", claim->metadata.namespace_, claim->metadata.name)] = claim.get();
  }

  void Add(const core::Pod& pod, Ids& unhealthy) const {
    for (const auto* statuses : {&pod.status.container_statuses,
                                 &pod.status.init_container_statuses,
                                 &pod.status.ephemeral_container_statuses}) {
      for (const core::ContainerStatus& status : *statuses) {
        for (const core::ResourceStatus& resource : status.allocated_resources_status)
          Add(pod, resource, unhealthy);
      }
    }
  }

 private:
  using Result = v1::DeviceRequestAllocationResult;

  void Add(const core::Pod& pod, const core::ResourceStatus& resource, Ids& unhealthy) const {
    if (!resource.name.starts_with(kClaimPrefix)) return;
    const std::string_view name = std::string_view(resource.name).substr(kClaimPrefix.size());
    const size_t slash = name.find('/');
    const v1::ResourceClaim* const claim = ClaimOf(pod, name.substr(0, slash));
    if (claim == nullptr || !claim->status.allocation.has_value()) return;
    std::vector<const Result*> results;
    for (const Result& result : claim->status.allocation->devices.results) {
      const std::string_view request =
          std::string_view(result.request).substr(0, result.request.find('/'));
      if (slash == std::string_view::npos || request == name.substr(slash + 1))
        results.push_back(&result);
    }
    for (const core::ResourceHealth& health : resource.resources) {
      if (health.health != "Unhealthy") continue;
      const Result* const meant = Meant(health.resource_id, results);
      if (meant != nullptr) unhealthy.insert({meant->driver, meant->pool, meant->device});
    }
  }

  const v1::ResourceClaim* ClaimOf(const core::Pod& pod, std::string_view entry_name) const {
    for (const core::PodResourceClaim& entry : pod.spec.resource_claims) {
      if (entry.name != entry_name) continue;
      const auto target = api::claims::TargetOf(pod, entry);
      if (target.state != api::claims::Target::State::kClaim) return nullptr;
      const auto found = claims_.find(fmt::format("{}/{}", pod.metadata.namespace_, target.name));
      return found == claims_.end() ? nullptr : found->second;
    }
    return nullptr;
  }

  static const Result* Meant(std::string_view id, const std::vector<const Result*>& results) {
    if (results.size() == 1) return results.front();
    for (const Result* result : results) {
      if (id == fmt::format("{}/{}/{}", result->driver, result->pool, result->device))
        return result;
    }
    for (const Result* result : results) {
      if (id.ends_with("=" + result->device)) return result;
    }
    return nullptr;
  }

  std::map<std::string, const v1::ResourceClaim*, std::less<>> claims_;
};

}  // namespace

Ids UnhealthyDevices(std::span<const Frozen<v1::ResourceClaim>> claims,
                     std::span<const core::Pod* const> pods) {
  Ids unhealthy;
  for (const auto& claim : claims) AddOfClaim(*claim, unhealthy);
  const auto reports = [](const core::Pod* pod) { return !pod->spec.resource_claims.empty(); };
  if (std::ranges::none_of(pods, reports)) return unhealthy;
  const PodReports by_pods(claims);
  for (const core::Pod* pod : pods) {
    if (reports(pod)) by_pods.Add(*pod, unhealthy);
  }
  return unhealthy;
}

}  // namespace dray::planning::inline explain
