// SPDX-License-Identifier: Apache-2.0
// The devices of slices.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/resource_v1/slice.h"
#include "api/validation/collections.h"
#include "api/validation/devices/device_rules.h"
#include "api/validation/devices/resource_slice.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;

constexpr std::string_view kNodeChoices = "`nodeName`, `nodeSelector`, or `allNodes`";

void CheckTaints(const v1::Device& device, const v1::Device* old, const Path& path, Findings& out) {
  if (out.Since(34) && old != nullptr && old->taints == device.taints) return;
  CheckItems(
      device.taints.items(),
      out.Since(35) ? kTaintsMax : kTaintsMaxBefore35,
      Pass::kWritten,
      path,
      out,
      [&](const v1::DeviceTaint& taint, const Path& at) { CheckTaint(taint, nullptr, at, out); });
}

void CheckConsumption(const v1::DeviceCounterConsumption& consumption,
                      const Path& path,
                      Findings& out) {
  const Path set = path.Child("counterSet");
  if (consumption.counter_set.empty()) {
    out.covered().Required(set);
  } else if (out.Since(35)) {
    // Before, the set stood in the same slice, so this was a matter of being there.
    CheckCoveredLabel(consumption.counter_set, set, out);
  }
  CheckCounters(consumption.counters, path.Child("counters"), out);
  const auto check = [&](const std::string& group, const Path& at) {
    CheckDeclaredLabel(group, at, out.declared);
  };
  CheckStringSet(consumption.compatibility_groups,
                 kCompatibilityGroupsMax,
                 path.Child("compatibilityGroups"),
                 out,
                 check);
}

// Up to 1.34 a device consumed counters of its own slice.
void CheckCounterReferences(const v1::Device& device,
                            const CounterNames& known,
                            const Path& path,
                            FieldErrors& errors) {
  size_t counters = 0;
  for (const auto& consumption : device.consumes_counters) counters += consumption.counters.size();
  if (counters > kCountersMax) {
    errors.Invalid(path,
                   std::to_string(counters),
                   fmt::format("the total number of counters must not exceed {}", kCountersMax));
  }
  const Path list = path.Child("consumesCounters");
  for (size_t i = 0; i < device.consumes_counters.size(); ++i) {
    const v1::DeviceCounterConsumption& consumption = device.consumes_counters[i];
    const Path at = list.Index(i);
    const auto set = known.find(consumption.counter_set);
    if (set == known.end()) {
      errors.Invalid(at.Child("counterSet"),
                     Shown(consumption.counter_set),
                     "must reference a counterSet defined in the ResourceSlice sharedCounters");
      continue;
    }
    for (const auto& [name, counter] : consumption.counters) {
      if (set->second->contains(name)) continue;
      errors.Invalid(at.Child("counters"),
                     Shown(name),
                     "must reference a counter defined in the ResourceSlice sharedCounters");
    }
  }
}

void CheckConsumedCounters(const v1::Device& device, const Path& path, Findings& out) {
  const auto& sets = device.consumes_counters.items();
  const auto check = [&](const v1::DeviceCounterConsumption& consumption, const Path& at) {
    CheckConsumption(consumption, at, out);
  };
  const size_t max = out.Since(35) ? kConsumedSetsMax : sets.size();
  if (!CheckItems(sets, max, Pass::kCovered, path, out, check)) return;
  CheckDistinctNames(sets, {.member = "counterSet"}, path, out, [](const auto& consumption) {
    return std::string_view(consumption.counter_set);
  });
}

void CheckOwnNodes(const v1::Device& device, const Path& path, Findings& out) {
  std::vector<std::string_view> chosen;
  if (device.node_name.has_value()) {
    const Path name = path.Child("nodeName");
    if (device.node_name->empty()) {
      out.written.Invalid(name, Shown(""), "must not be empty");
    } else {
      chosen.emplace_back("`nodeName`");
      CheckSubdomainShaped(*device.node_name, name, out.written);
    }
  }
  if (device.node_selector.has_value()) {
    chosen.emplace_back("`nodeSelector`");
    CheckNodeSelector(*device.node_selector, path.Child("nodeSelector"), out.written);
  }
  if (device.all_nodes.has_value()) {
    if (*device.all_nodes) {
      chosen.emplace_back("`allNodes`");
    } else {
      out.written.Invalid(path.Child("allNodes"), "false", "must be either unset or set to true");
    }
  }
  const std::string rule = fmt::format(
      "exactly one of {} is required when `perDeviceNodeSelection` is set to true in the "
      "ResourceSlice spec",
      kNodeChoices);
  if (chosen.empty()) {
    out.written.Required(path, rule);
  } else if (chosen.size() > 1) {
    out.written.Invalid(path, Shown(fmt::format("{{{}}}", fmt::join(chosen, ", "))), rule);
  }
}

void CheckNodes(const v1::Device& device,
                NodeSelection node_selection,
                const Path& path,
                Findings& out) {
  if (node_selection == NodeSelection::kPerDevice) {
    CheckOwnNodes(device, path, out);
  } else if (device.node_name.has_value() || device.node_selector.has_value() ||
             device.all_nodes.has_value()) {
    out.written.Invalid(path,
                        "null",
                        "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                        "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
  }
}

// Everything but the name.
void CheckContent(const v1::Device& device,
                  const v1::Device* old,
                  const DeviceContext& context,
                  const Path& path,
                  Findings& out) {
  CheckAttributes(device, path, out);
  CheckCapacities(device, old, path.Child("capacity"), out);
  // The first pass checks taints before counters, the second one after.
  Findings counters = out.Part();
  CheckConsumedCounters(device, path.Child("consumesCounters"), counters);
  if (context.counters.has_value()) {
    CheckCounterReferences(device, *context.counters, path, counters.written);
  }
  out.declared.Append(std::move(counters.declared));
  CheckTaints(device, old, path.Child("taints"), out);
  out.written.Append(std::move(counters.written));
  CheckNodes(device, context.node_selection, path, out);
  CheckBindingConditions(device.binding_conditions, device.binding_failure_conditions, path, out);
  CheckNodeAllocatable(device, path, out);
}

}  // namespace

void CheckCounters(const Map<v1::Counter>& counters, const Path& path, Findings& out) {
  if (counters.empty()) {
    out.covered().Required(path);
    return;
  }
  if (out.Since(35) && !IsWithin(counters.size(), kCountersMax, path, out.written)) return;
  for (const auto& [name, counter] : counters) {
    const Path entry = path.Key(name, kCounterNameMax);
    CheckCoveredLabel(name, KeyPath(path, entry, out), out);
  }
}

void CheckDevice(const v1::Device& device,
                 const v1::Device* old,
                 const DeviceContext& context,
                 const Path& path,
                 Findings& out) {
  CheckLabelShaped(device.name, path.Child("name"), out.written);
  if (out.Since(33)) {
    CheckContent(device, old, context, path, out);
    return;
  }
  const Path basic = path.Child("basic");
  if (device.no_basic) {
    out.written.Required(basic);
  } else {
    CheckContent(device, old, context, basic, out);
  }
}

}  // namespace dray::api::validation::inline devices
