// SPDX-License-Identifier: Apache-2.0
#include "api/validation/devices/disabled_fields.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;

// The fields of one gate in objects of one kind.
template <class T>
struct Feature {
  Gate gate;
  bool (*is_in_use)(const T& object);
  void (*drop)(T& object);
  Releases in = {};  // that drop it
};

bool IsOff(Gate gate, const Profile& profile) {
  return Gates()[static_cast<size_t>(gate)].in.Has(profile.release) && !profile.Has(gate);
}

template <class T>
void DropFeatures(std::span<const Feature<T>> features,
                  T& next,
                  const T* old,
                  const Profile& profile) {
  for (const Feature<T>& feature : features) {
    if (!IsOff(feature.gate, profile) || !feature.in.Rules(profile.release)) continue;
    if (old == nullptr || !feature.is_in_use(*old)) feature.drop(next);
  }
}

template <class Items, class F>
bool Any(const Items& items, F is_one) {
  return std::ranges::any_of(items, is_one);
}

// ----------------------------------------------------------------------------------------- claims

// Visits all exact requests and subrequests of a claim; stops when `visit` returns true.
template <class Claim, class F>
bool VisitRequests(Claim& claim, F visit) {
  for (auto& request : claim.spec.devices.requests) {
    if (request.exactly.has_value() && visit(*request.exactly)) return true;
    for (auto& subrequest : request.first_available) {
      if (visit(subrequest)) return true;
    }
  }
  return false;
}

// Changes all of them.
template <class F>
void ChangeRequests(v1::ResourceClaim& claim, F change) {
  VisitRequests(claim, [&](auto& request) {
    change(request);
    return false;
  });
}

template <class F>
void ChangeResults(v1::ResourceClaim& claim, F change) {
  if (!claim.status.allocation.has_value()) return;
  for (auto& result : claim.status.allocation->devices.results) change(result);
}

template <class F>
bool AnyResult(const v1::ResourceClaim& claim, F is_one) {
  return claim.status.allocation.has_value() &&
         Any(claim.status.allocation->devices.results, is_one);
}

bool UsesAlternatives(const v1::ResourceClaim& claim) {
  return Any(claim.spec.devices.requests,
             [](const auto& request) { return !request.first_available.empty(); });
}

void DropAlternatives(v1::ResourceClaim& claim) {
  for (auto& request : claim.spec.devices.requests) request.first_available = {};
}

bool UsesAdminAccess(const v1::ResourceClaim& claim) {
  return Any(claim.spec.devices.requests,
             [](const auto& request) {
               return request.exactly.has_value() && request.exactly->admin_access.has_value();
             }) ||
         AnyResult(claim, [](const auto& result) { return result.admin_access.has_value(); });
}

void DropAdminAccess(v1::ResourceClaim& claim) {
  for (auto& request : claim.spec.devices.requests) {
    if (request.exactly.has_value()) request.exactly->admin_access.reset();
  }
  ChangeResults(claim, [](auto& result) { result.admin_access.reset(); });
}

bool UsesTolerations(const v1::ResourceClaim& claim) {
  return VisitRequests(claim, [](const auto& request) { return !request.tolerations.empty(); });
}

// A claim that was allocated with tolerations keeps them.
void DropTolerations(v1::ResourceClaim& claim) {
  ChangeRequests(claim, [](auto& request) { request.tolerations = {}; });
}

bool UsesSharedCapacity(const v1::ResourceClaim& claim) {
  return Any(claim.spec.devices.constraints,
             [](const auto& one) { return one.distinct_attribute.has_value(); }) ||
         VisitRequests(claim, [](const auto& request) { return request.capacity.has_value(); }) ||
         AnyResult(claim,
                   [](const auto& result) {
                     return result.share_id.has_value() || !result.consumed_capacity.empty();
                   }) ||
         Any(claim.status.devices, [](const auto& device) { return device.share_id.has_value(); });
}

void DropSharedCapacity(v1::ResourceClaim& claim) {
  for (auto& constraint : claim.spec.devices.constraints) constraint.distinct_attribute.reset();
  ChangeRequests(claim, [](auto& request) { request.capacity.reset(); });
  ChangeResults(claim, [](auto& result) {
    result.share_id.reset();
    result.consumed_capacity = {};
  });
  for (auto& device : claim.status.devices) device.share_id.reset();
}

bool UsesDeviceStatus(const v1::ResourceClaim& claim) {
  return !claim.status.devices.empty();
}

void DropDeviceStatus(v1::ResourceClaim& claim) {
  claim.status.devices = {};
}

bool UsesBindingConditions(const v1::ResourceClaim& claim) {
  return AnyResult(claim, [](const auto& result) {
    return !result.binding_conditions.empty() || !result.binding_failure_conditions.empty();
  });
}

// The time of the allocation stays.
void DropBindingConditions(v1::ResourceClaim& claim) {
  ChangeResults(claim, [](auto& result) {
    result.binding_conditions = {};
    result.binding_failure_conditions = {};
  });
}

bool UsesDerivedAttributes(const v1::ResourceClaim& claim) {
  return VisitRequests(claim,
                       [](const auto& request) { return !request.derived_attributes.empty(); });
}

void DropDerivedAttributes(v1::ResourceClaim& claim) {
  ChangeRequests(claim, [](auto& request) { request.derived_attributes = {}; });
}

bool UsesSkippedOperations(const v1::ResourceClaim& claim) {
  return AnyResult(claim, [](const auto& result) { return !result.skip_node_operations.empty(); });
}

void DropSkippedOperations(v1::ResourceClaim& claim) {
  ChangeResults(claim, [](auto& result) { result.skip_node_operations = {}; });
}

bool UsesController(const v1::ResourceClaim& claim) {
  return !claim.spec.controller.empty() || claim.status.deallocation_requested ||
         (claim.status.allocation.has_value() && !claim.status.allocation->controller.empty());
}

void DropController(v1::ResourceClaim& claim) {
  claim.spec.controller.clear();
  claim.status.deallocation_requested = false;
  if (claim.status.allocation.has_value()) claim.status.allocation->controller.clear();
}

constexpr std::array<Feature<v1::ResourceClaim>, 9> kClaimFeatures = {{
    {Gate::kPrioritizedList, UsesAlternatives, DropAlternatives},
    {Gate::kAdminAccess, UsesAdminAccess, DropAdminAccess},
    {Gate::kDeviceTaints, UsesTolerations, DropTolerations, {.first = 34}},
    {Gate::kConsumableCapacity, UsesSharedCapacity, DropSharedCapacity},
    {Gate::kDeviceStatus, UsesDeviceStatus, DropDeviceStatus},
    {Gate::kBindingConditions, UsesBindingConditions, DropBindingConditions},
    {Gate::kDerivedAttributes, UsesDerivedAttributes, DropDerivedAttributes},
    {Gate::kOptionalNodeOperations, UsesSkippedOperations, DropSkippedOperations},
    {Gate::kControlPlaneController, UsesController, DropController},
}};

// Templates have the same fields in their spec as claims.
void DropFromTemplate(v1::ResourceClaimTemplate& next,
                      const v1::ResourceClaimTemplate* old,
                      const Profile& profile) {
  const auto is_off = [&](const auto& feature) { return IsOff(feature.gate, profile); };
  if (!Any(kClaimFeatures, is_off)) return;
  v1::ResourceClaim claim;
  claim.spec = std::move(next.spec.spec);
  v1::ResourceClaim old_claim;
  if (old != nullptr) old_claim.spec = old->spec.spec;
  DropFeatures<v1::ResourceClaim>(
      kClaimFeatures, claim, old == nullptr ? nullptr : &old_claim, profile);
  next.spec.spec = std::move(claim.spec);
}

// ---------------------------------------------------------------------------------------- classes

constexpr std::array<Feature<v1::DeviceClass>, 2> kClassFeatures = {{
    {Gate::kExtendedResource,
     [](const v1::DeviceClass& one) { return one.spec.extended_resource_name.has_value(); },
     [](v1::DeviceClass& one) { one.spec.extended_resource_name.reset(); }},
    {Gate::kControlPlaneController,
     [](const v1::DeviceClass& one) { return one.spec.suitable_nodes.has_value(); },
     [](v1::DeviceClass& one) { one.spec.suitable_nodes.reset(); }},
}};

// ----------------------------------------------------------------------------------------- slices

template <class F>
void ChangeDevices(v1::ResourceSlice& slice, F change) {
  for (v1::Device& device : slice.spec.devices) change(device);
}

bool UsesTaints(const v1::ResourceSlice& slice) {
  return Any(slice.spec.devices, [](const auto& device) { return !device.taints.empty(); });
}

void DropTaints(v1::ResourceSlice& slice) {
  ChangeDevices(slice, [](auto& device) { device.taints = {}; });
}

bool UsesPartitions(const v1::ResourceSlice& slice) {
  return !slice.spec.shared_counters.empty() || slice.spec.per_device_node_selection.has_value() ||
         Any(slice.spec.devices, [](const auto& device) {
           return !device.consumes_counters.empty() || device.node_name.has_value() ||
                  device.node_selector.has_value() || device.all_nodes.has_value();
         });
}

void DropPartitions(v1::ResourceSlice& slice) {
  slice.spec.shared_counters = {};
  slice.spec.per_device_node_selection.reset();
  ChangeDevices(slice, [](auto& device) {
    device.consumes_counters = {};
    device.node_name.reset();
    device.node_selector.reset();
    device.all_nodes.reset();
  });
}

bool UsesConditions(const v1::ResourceSlice& slice) {
  return Any(slice.spec.devices, [](const auto& device) {
    return !device.binding_conditions.empty() || !device.binding_failure_conditions.empty() ||
           device.binds_to_node.has_value();
  });
}

void DropConditions(v1::ResourceSlice& slice) {
  ChangeDevices(slice, [](auto& device) {
    device.binding_conditions = {};
    device.binding_failure_conditions = {};
    device.binds_to_node.reset();
  });
}

bool UsesSharing(const v1::ResourceSlice& slice) {
  return Any(slice.spec.devices, [](const auto& device) {
    return device.allow_multiple_allocations.has_value() ||
           Any(device.capacity,
               [](const auto& entry) { return entry.second.request_policy.has_value(); });
  });
}

void DropSharing(v1::ResourceSlice& slice) {
  ChangeDevices(slice, [](auto& device) {
    device.allow_multiple_allocations.reset();
    for (auto& [name, capacity] : device.capacity) capacity.request_policy.reset();
  });
}

bool UsesLists(const v1::ResourceSlice& slice) {
  return Any(slice.spec.devices, [](const auto& device) {
    return Any(device.attributes, [](const auto& entry) {
      const v1::DeviceAttribute& attribute = entry.second;
      return attribute.ints.present() || attribute.bools.present() || attribute.strings.present() ||
             attribute.versions.present();
    });
  });
}

void DropLists(v1::ResourceSlice& slice) {
  ChangeDevices(slice, [](auto& device) {
    for (auto& [name, attribute] : device.attributes) {
      attribute.ints = {};
      attribute.bools = {};
      attribute.strings = {};
      attribute.versions = {};
    }
  });
}

bool UsesNodeResources(const v1::ResourceSlice& slice) {
  return Any(slice.spec.devices, [](const auto& device) {
    return !device.node_allocatable_resource_mappings.empty() ||
           !device.node_allocatable_resources.empty();
  });
}

void DropNodeResources(v1::ResourceSlice& slice) {
  ChangeDevices(slice, [](auto& device) {
    device.node_allocatable_resource_mappings = {};
    device.node_allocatable_resources = {};
  });
}

bool UsesGroups(const v1::ResourceSlice& slice) {
  return Any(slice.spec.devices, [](const auto& device) {
    return Any(device.consumes_counters,
               [](const auto& one) { return !one.compatibility_groups.empty(); });
  });
}

void DropGroups(v1::ResourceSlice& slice) {
  ChangeDevices(slice, [](auto& device) {
    for (auto& consumption : device.consumes_counters) consumption.compatibility_groups = {};
  });
}

constexpr std::array<Feature<v1::ResourceSlice>, 9> kSliceFeatures = {{
    {Gate::kDeviceTaints, UsesTaints, DropTaints},
    {Gate::kPartitionableDevices, UsesPartitions, DropPartitions},
    {Gate::kBindingConditions, UsesConditions, DropConditions},
    {Gate::kConsumableCapacity, UsesSharing, DropSharing},
    {Gate::kNodeAllocatableResources, UsesNodeResources, DropNodeResources},
    {Gate::kListTypeAttributes, UsesLists, DropLists},
    {Gate::kPartitionableDevicesType,
     [](const v1::ResourceSlice& one) { return one.spec.partition_type_attribute.has_value(); },
     [](v1::ResourceSlice& one) { one.spec.partition_type_attribute.reset(); }},
    {Gate::kCompatibilityGroups, UsesGroups, DropGroups},
    {Gate::kOptionalNodeOperations,
     [](const v1::ResourceSlice& one) { return !one.spec.skip_node_operations.empty(); },
     [](v1::ResourceSlice& one) { one.spec.skip_node_operations = {}; }},
}};

// ------------------------------------------------------------------------------------------- pods

bool UsesClaims(const core_v1::Pod& pod) {
  return !pod.spec.resource_claims.empty();
}

void DropClaims(core_v1::Pod& pod) {
  pod.spec.resource_claims = {};
  pod.status.resource_claim_statuses = {};
  for (core_v1::Container& container : pod.spec.containers) container.resources.claims = {};
  for (core_v1::Container& container : pod.spec.init_containers) container.resources.claims = {};
  for (auto& container : pod.spec.ephemeral_containers) {
    container.ephemeral_container_common.resources.claims = {};
  }
}

constexpr std::array<Feature<core_v1::Pod>, 1> kPodFeatures = {{
    {Gate::kDynamicResourceAllocation, UsesClaims, DropClaims},
}};

template <class T, size_t N>
void DropFrom(Object& next,
              const Object* old,
              const std::array<Feature<T>, N>& features,
              const Profile& profile) {
  DropFeatures<T>(features, next.Mutable<T>(), old == nullptr ? nullptr : &old->As<T>(), profile);
}

}  // namespace

void DropDisabledFields(Object& next, const Object* old, const Profile& profile) {
  if (next.If<v1::ResourceClaim>() != nullptr) {
    DropFrom(next, old, kClaimFeatures, profile);
  } else if (next.If<v1::ResourceClaimTemplate>() != nullptr) {
    DropFromTemplate(next.Mutable<v1::ResourceClaimTemplate>(),
                     old == nullptr ? nullptr : &old->As<v1::ResourceClaimTemplate>(),
                     profile);
  } else if (next.If<v1::DeviceClass>() != nullptr) {
    DropFrom(next, old, kClassFeatures, profile);
  } else if (next.If<v1::ResourceSlice>() != nullptr) {
    DropFrom(next, old, kSliceFeatures, profile);
  } else if (next.If<core_v1::Pod>() != nullptr) {
    DropFrom(next, old, kPodFeatures, profile);
  }
}

}  // namespace dray::api::validation::inline devices
