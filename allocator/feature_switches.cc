// SPDX-License-Identifier: Apache-2.0
#include "allocator/feature_switches.h"

namespace dray::allocator {
namespace {

using api::Gate;
using api::Release;

constexpr FeatureSwitch Simple(std::string_view name,
                               bool Features::* on,
                               Gate gate,
                               Implementation first,
                               bool is_new = false) {
  return {.name = name, .on = on, .gates = {gate, gate}, .first = first, .is_new = is_new};
}

constexpr std::array<FeatureSwitch, 11> kSwitches = {
    {Simple("AdminAccess", &Features::admin_access, Gate::kAdminAccess, Implementation::kStable),
     Simple("CompatibilityGroups",
            &Features::compatibility_groups,
            Gate::kCompatibilityGroups,
            Implementation::kExperimental,
            true),
     Simple("ConsumableCapacity",
            &Features::consumable_capacity,
            Gate::kConsumableCapacity,
            Implementation::kIncubating),
     Simple("DerivedAttributes",
            &Features::derived_attributes,
            Gate::kDerivedAttributes,
            Implementation::kExperimental,
            true),
     {.name = "DeviceBindingAndStatus",
      .on = &Features::device_binding_and_status,
      .gates = {Gate::kBindingConditions, Gate::kDeviceStatus},
      .first = Implementation::kIncubating},
     Simple("DeviceTaints", &Features::device_taints, Gate::kDeviceTaints, Implementation::kStable),
     Simple("FractionalCapacityRange",
            &Features::fractional_capacity_range,
            Gate::kFractionalCapacityRange,
            Implementation::kIncubating,
            true),
     Simple("ListTypeAttributes",
            &Features::list_type_attributes,
            Gate::kListTypeAttributes,
            Implementation::kExperimental),
     Simple("OptionalNodeOperations",
            &Features::optional_node_operations,
            Gate::kOptionalNodeOperations,
            Implementation::kExperimental,
            true),
     Simple("PartitionableDevices",
            &Features::partitionable_devices,
            Gate::kPartitionableDevices,
            Implementation::kStable),
     Simple("PrioritizedList",
            &Features::prioritized_list,
            Gate::kPrioritizedList,
            Implementation::kStable)}};

}  // namespace

std::span<const FeatureSwitch> FeatureSwitches() {
  return kSwitches;
}

bool Exists(const FeatureSwitch& feature, Release release) {
  return !feature.is_new || release == Release::kNewest;
}

Result<Features> FeaturesOf(const Profile& profile, const api::FeatureGates& gates) {
  Features features;
  for (const FeatureSwitch& feature : kSwitches) {
    features.*feature.on = Exists(feature, profile.release) && gates.Has(feature.gates[0]) &&
                           gates.Has(feature.gates[1]);
  }
  return Complete(profile, features);
}

}  // namespace dray::allocator
