// SPDX-License-Identifier: Apache-2.0
// The status of a pod may contain only claims of the pod and resources that its containers request.
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "api/core_v1/pod.h"
#include "api/validation/name_rules.h"
#include "api/validation/workloads/container_states.h"
#include "api/validation/workloads/core.h"
#include "api/validation/workloads/pod_addresses.h"

namespace dray::api::validation::inline workloads {
namespace {

using Names = std::set<std::string_view>;

void CheckGeneration(int64_t generation, const Path& path, FieldErrors& errors) {
  if (generation >= 0) return;
  errors.Invalid(path, std::to_string(generation), "must be a non-negative integer");
}

void CheckConditions(std::span<const core_v1::PodCondition> conditions,
                     const Path& path,
                     FieldErrors& errors) {
  for (size_t i = 0; i < conditions.size() && !errors.is_full(); ++i) {
    const Path at = path.Index(i);
    CheckGeneration(conditions[i].observed_generation, at.Child("observedGeneration"), errors);
    CheckKeyShaped(conditions[i].type, at.Child("Type"), errors);
  }
}

void CheckNominated(const core_v1::Pod& pod,
                    const core_v1::Pod& old,
                    const Path& path,
                    FieldErrors& errors) {
  const std::string& name = pod.status.nominated_node_name;
  if (name.empty() || name == old.status.nominated_node_name) return;
  CheckSubdomainShaped(name, path, errors);
  if (errors.Since(35) && !old.spec.node_name.empty()) {
    errors.Forbidden(path, "may not be set on pods that are already bound to a node");
  }
}

void CheckClaims(const core_v1::Pod& pod, const Path& path, FieldErrors& errors) {
  Names claims;
  for (const core_v1::PodResourceClaim& claim : pod.spec.resource_claims) claims.insert(claim.name);
  Names seen;
  for (size_t i = 0; i < pod.status.resource_claim_statuses.size() && !errors.is_full(); ++i) {
    const core_v1::PodResourceClaimStatus& claim = pod.status.resource_claim_statuses[i];
    const Path at = path.Index(i);
    const Path name = at.Child("name");
    if (!claims.contains(claim.name)) {
      errors.Invalid(
          name, Shown(claim.name), "must match the name of an entry in `spec.resourceClaims`");
    }
    if (!seen.insert(claim.name).second) errors.Duplicate(name, Shown(claim.name));
    if (claim.resource_claim_name.has_value()) {
      // Up to 1.35 errors about the claim stood at the name.
      const Path claim_name = at.Child("resourceClaimName");
      CheckSubdomainShaped(
          *claim.resource_claim_name, errors.Since(36) ? claim_name : name, errors);
    }
  }
}

using Containers = std::map<std::string_view, const core_v1::Container*>;

Containers ContainersOf(const core_v1::PodSpec& spec) {
  Containers containers;
  for (const auto& one : spec.init_containers) containers.insert_or_assign(one.name, &one);
  for (const auto& one : spec.containers) containers.insert_or_assign(one.name, &one);
  return containers;
}

void CheckRequestMapping(const core_v1::ContainerExtendedResourceRequest& mapping,
                         const Containers& containers,
                         const Path& path,
                         FieldErrors& errors) {
  const auto container = containers.find(mapping.container_name);
  if (container == containers.end()) {
    errors.Invalid(path.Child("containerName"),
                   Shown(mapping.container_name),
                   "must match the name of an entry in spec.initContainers.name or "
                   "spec.containers.name");
  } else if (const auto& requests = container->second->resources.requests;
             requests.find(mapping.resource_name) == requests.end()) {
    errors.Invalid(path.Child("resourceName"),
                   Shown(mapping.resource_name),
                   "must match the extended resource name of an entry in "
                   "spec.initContainers.resources.requests or spec.containers.resources.requests");
  }
}

void CheckExtendedClaim(const core_v1::PodExtendedResourceClaimStatus& claim,
                        const core_v1::PodSpec& spec,
                        const Path& path,
                        FieldErrors& errors) {
  const Path mappings = path.Child("requestMappings");
  const Path request_name = path.Child("requestName");
  if (claim.request_mappings.empty()) {
    errors.Required(mappings, "at least one request mapping is required");
  }
  const Containers containers = ContainersOf(spec);
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
  for (size_t i = 0; i < claim.request_mappings.size() && !errors.is_full(); ++i) {
    const auto& mapping = claim.request_mappings[i];
    const Path at = mappings.Index(i);
    CheckRequestMapping(mapping, containers, at, errors);
    CheckLabelShaped(mapping.request_name, request_name, errors);
    const bool is_new =
        seen.emplace(mapping.container_name, mapping.resource_name, mapping.request_name).second;
    if (is_new) continue;
    errors.Duplicate(at.Child("containerName"), Shown(mapping.container_name));
    errors.Duplicate(at.Child("resourceName"), Shown(mapping.resource_name));
    errors.Duplicate(at.Child("requestName"), Shown(mapping.request_name));
  }
  const Path name = path.Child("resourceClaimName");
  if (claim.resource_claim_name.empty()) {
    errors.Required(name);
  } else {
    CheckSubdomainShaped(claim.resource_claim_name, name, errors);
  }
}

}  // namespace

std::vector<ErrorCause> ValidatePodStatusUpdate(const core_v1::Pod& pod,
                                                const core_v1::Pod& old,
                                                const Profile& profile) {
  FieldErrors errors(profile.release);
  const Path status("status");
  CheckConditions(pod.status.conditions, status.Child("conditions"), errors);
  if (pod.spec.node_name != old.spec.node_name) {
    errors.Forbidden(status.Child("nodeName"), "may not be changed directly");
  }
  CheckNominated(pod, old, status.Child("nominatedNodeName"), errors);
  CheckGeneration(pod.status.observed_generation, status.Child("observedGeneration"), errors);
  if (pod.status.qos_class != old.status.qos_class) {
    errors.Invalid(status.Child("qosClass"), Shown(pod.status.qos_class), kImmutable);
  }
  CheckContainerStates(pod, old, status, errors);
  CheckClaims(pod, status.Child("resourceClaimStatuses"), errors);
  const auto& extended = pod.status.extended_resource_claim_status;
  if (extended.has_value()) {
    const Path path = status.Child("extendedResourceClaimStatus");
    CheckExtendedClaim(*extended, pod.spec, path, errors);
  }
  CheckPodAddresses(pod.status, old.status, status, errors);
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline workloads
