// SPDX-License-Identifier: Apache-2.0
// Signs in slices, classes and taint rules.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "api/core_v1/node.h"
#include "api/resource_v1/device_taint_rule.h"
#include "planning/lint/defect_signs.h"

namespace dray::planning::inline lint::signs {
namespace {

namespace v1 = api::resource_v1;
using Evidence = std::optional<DefectEvidence>;

bool MayBeShared(const v1::Device& device) {
  return device.allow_multiple_allocations.value_or(false);
}

bool HasDraws(const v1::Device& device) {
  return !device.consumes_counters.empty();
}

/// The first device of the slice for which `what_of` returns evidence.
template <class WhatOf>
Evidence FirstDevice(const api::Object& object, WhatOf what_of) {
  const auto* const slice = object.If<v1::ResourceSlice>();
  if (slice == nullptr) return {};
  for (size_t i = 0; i < slice->spec.devices.size(); ++i) {
    const v1::Device& device = slice->spec.devices[i];
    const std::optional<DefectEvidence> found = what_of(
        *slice,
        device,
        allocator::DeviceIdView{
            .driver = slice->spec.driver, .pool = slice->spec.pool.name, .device = device.name});
    if (!found.has_value()) continue;
    return DefectEvidence{.field = fmt::format("spec.devices[{}]{}", i, found->field),
                          .what = fmt::format("device {} {}", device.name, found->what),
                          .is_seen = found->is_seen};
  }
  return {};
}

}  // namespace

Evidence SharedWithCounters(const api::Object& object, DefectFacts& facts) {
  return FirstDevice(
      object, [&](const auto& slice, const v1::Device& device, const auto& /*id*/) -> Evidence {
        if (!MayBeShared(device) || !HasDraws(device)) return {};
        const bool is_seen = facts.IsOverdrawn(slice.spec.driver, slice.spec.pool.name);
        return DefectEvidence{.what = is_seen ? "may be shared and draws from counters, and claims "
                                                "have more of a counter than there is"
                                              : "may be shared and draws from counters",
                              .is_seen = is_seen};
      });
}

Evidence SharedWithoutCapacity(const api::Object& object, DefectFacts& facts) {
  return FirstDevice(
      object, [&](const auto& /*slice*/, const v1::Device& device, const auto& id) -> Evidence {
        if (!MayBeShared(device) || !HasDraws(device) || !device.capacity.empty()) return {};
        const bool is_seen = std::ranges::any_of(facts.GivenOf(id), [](const auto& given) {
          return given.result->share_id.has_value() && given.result->consumed_capacity.empty();
        });
        return DefectEvidence{.what = is_seen ? "is shared, draws from counters and has no capacity"
                                              : "may be shared, draws from counters and has no "
                                                "capacity",
                              .is_seen = is_seen};
      });
}

Evidence PoolNameOfTwoDrivers(const api::Object& object, DefectFacts& facts) {
  const auto* const slice = object.If<v1::ResourceSlice>();
  if (slice == nullptr) return {};
  const auto draws = [](const v1::ResourceSlice& one) {
    return std::ranges::any_of(one.spec.devices, HasDraws);
  };
  if (!draws(*slice)) return {};
  for (const PopulationPool* const pool : facts.PoolsNamed(slice->spec.pool.name)) {
    if (pool->driver == slice->spec.driver) continue;
    const bool has_draws =
        std::ranges::any_of(pool->usage->slices, [&](const auto& other) { return draws(*other); });
    if (!has_draws) continue;
    return DefectEvidence{
        .field = "spec.pool.name",
        .what = fmt::format("driver {} has a pool {} with counters too", pool->driver, pool->name)};
  }
  return {};
}

Evidence SharingSwitchedOff(const api::Object& object, DefectFacts& facts) {
  return FirstDevice(
      object, [&](const auto& /*slice*/, const v1::Device& device, const auto& id) -> Evidence {
        if (MayBeShared(device)) return {};
        const auto& given = facts.GivenOf(id);
        const auto has_share = [](const auto& one) { return one.result->share_id.has_value(); };
        if (std::ranges::none_of(given, has_share)) return {};
        const bool is_seen = std::ranges::any_of(given, [&](const auto& one) {
          return !has_share(one) && !one.result->admin_access.value_or(false);
        });
        return DefectEvidence{
            .field = ".allowMultipleAllocations",
            .what = is_seen ? "is not for several claims, but one has a share and another all"
                            : "is not for several claims, but one has a share of it",
            .is_seen = is_seen};
      });
}

Evidence CountersBesideDevices(const api::Object& object, DefectFacts& /*facts*/) {
  const auto* const slice = object.If<v1::ResourceSlice>();
  if (slice == nullptr || slice->spec.devices.empty() || slice->spec.shared_counters.empty())
    return {};
  return DefectEvidence{.field = "spec.sharedCounters", .what = "it has counters and devices"};
}

Evidence StepOfNothing(const api::Object& object, DefectFacts& /*facts*/) {
  return FirstDevice(
      object, [&](const auto& /*slice*/, const v1::Device& device, const auto& /*id*/) -> Evidence {
        for (const auto& [name, capacity] : device.capacity) {
          const auto& policy = capacity.request_policy;
          if (!policy.has_value() || !policy->valid_range.has_value()) continue;
          const auto& step = policy->valid_range->step;
          if (!step.has_value() || !(*step == api::Quantity())) continue;
          return DefectEvidence{
              .field = fmt::format(".capacity[{}].requestPolicy.validRange.step", name),
              .what = fmt::format("gives shares of {} in steps of 0", name)};
        }
        return {};
      });
}

Evidence NameOfDevicePlugin(const api::Object& object, DefectFacts& facts) {
  const auto* const device_class = object.If<v1::DeviceClass>();
  if (device_class == nullptr) return {};
  const std::string name = device_class->spec.extended_resource_name.value_or("");
  if (name.empty()) return {};
  for (const auto& [node, node_object] : facts.cluster().nodes) {
    if (!node_object.As<api::core_v1::Node>().status.capacity.contains(name)) continue;
    return DefectEvidence{
        .field = "spec.extendedResourceName",
        .what = fmt::format("node {} has {} of a device plug-in in its capacity", node, name)};
  }
  return {};
}

Evidence AnyTaintRule(const api::Object& object, DefectFacts& /*facts*/) {
  if (object.If<v1::DeviceTaintRule>() == nullptr) return {};
  return DefectEvidence{.field = "spec", .what = "it is such a rule"};
}

Evidence RuleWithoutSelector(const api::Object& object, DefectFacts& /*facts*/) {
  const auto* const rule = object.If<v1::DeviceTaintRule>();
  if (rule == nullptr || rule->spec.device_selector.has_value()) return {};
  if (rule->spec.taint.effect != "NoSchedule") return {};
  return DefectEvidence{.field = "spec.deviceSelector",
                        .what = "it has effect NoSchedule and no deviceSelector",
                        .is_seen = true};
}

}  // namespace dray::planning::inline lint::signs
