// SPDX-License-Identifier: Apache-2.0
#include "allocator/admission.h"

#include <algorithm>

#include <fmt/format.h>

#include "allocator/taints.h"

namespace dray::allocator {

Admission::Admission(const SearchSpace& space, std::vector<ClaimPlan>& plans)
    : state_(space.state),
      features_(space.features),
      plans_(plans),
      groups_(space.pools, space.state),
      counters_(space.pools, space.state),
      placements_(plans.size()),
      entered_(plans.size()),
      holders_(space.pools.device_count),
      committed_(space.pools.device_count, Answer::kUnknown) {}

bool Admission::IsCommitted(const DeviceEntry& device) {
  Answer& answer = committed_[device.index];
  if (answer == Answer::kUnknown)
    answer = state_.devices.contains(device.id) ? Answer::kYes : Answer::kNo;
  return answer == Answer::kYes;
}

bool Admission::IsInUse(size_t claim, const Variant& variant, const DeviceEntry& device) {
  const std::vector<size_t>& holders = holders_[device.index];
  if (variant.admin_access) return std::ranges::find(holders, claim) != holders.end();
  return !holders.empty() || IsCommitted(device);
}

Result<bool> Admission::Give(size_t claim, const Variant& variant, const DeviceEntry& device) {
  if (IsInUse(claim, variant, device)) return false;
  const Placement placement{.variant = &variant, .device = &device};
  Entered entered;
  const Result<bool> accepted = Enter(claim, placement, entered);
  if (!accepted || !*accepted) {
    Undo(claim, placement, entered);
    return accepted;
  }
  placements_[claim].push_back(placement);
  entered_[claim].push_back(entered);
  return true;
}

void Admission::TakeBackLast(size_t claim) {
  Undo(claim, placements_[claim].back(), entered_[claim].back());
  placements_[claim].pop_back();
  entered_[claim].pop_back();
}

/// The order of the checks decides which error is seen first.
Result<bool> Admission::Enter(size_t claim, const Placement& placement, Entered& entered) {
  const DeviceEntry& entry = *placement.device;
  const api::resource_v1::Device& device = *entry.device;
  if (features_.consumable_capacity && device.allow_multiple_allocations.value_or(false)) {
    return Fail(StatusReason::kInvalid,
                fmt::format("claim {}, request {}: device {} can be shared between claims, which "
                            "is not supported yet",
                            plans_[claim].key,
                            placement.variant->own_name,
                            entry.id.ToString()));
  }
  if (!device.consumes_counters.empty()) {
    if (!features_.partitionable_devices) return false;
    if (features_.compatibility_groups) {
      if (!groups_.Join(entry)) return false;
      entered.groups = true;
    }
    if (!counters_.Draw(entry)) return false;
    entered.counters = true;
  }
  if (features_.device_taints && BlockingTaint(device, placement.variant->tolerations) != nullptr)
    return false;
  DRAY_TRY(const bool fits, EnterConstraints(claim, placement, entered));
  if (!fits) return false;
  holders_[entry.index].push_back(claim);
  entered.holder = true;
  return true;
}

Result<bool> Admission::EnterConstraints(size_t claim,
                                         const Placement& placement,
                                         Entered& entered) {
  const Variant& variant = *placement.variant;
  for (Constraint& constraint : plans_[claim].constraints) {
    if (constraint.Add(variant.name, *placement.device)) {
      ++entered.constraints;
      continue;
    }
    if (variant.mode == CountMode::kExactCount) return false;
    return Fail(StatusReason::kInvalid,
                fmt::format("claim {}, request {}: cannot add device {} because a claim constraint "
                            "would not be satisfied",
                            plans_[claim].key,
                            variant.own_name,
                            placement.device->id.ToString()));
  }
  return true;
}

void Admission::Undo(size_t claim, const Placement& placement, const Entered& entered) {
  if (entered.holder) std::erase(holders_[placement.device->index], claim);
  for (size_t i = entered.constraints; i-- > 0;)
    plans_[claim].constraints[i].Remove(placement.variant->name);
  if (entered.counters) counters_.GiveBack(*placement.device);
  if (entered.groups) groups_.Leave(*placement.device);
}

}  // namespace dray::allocator
