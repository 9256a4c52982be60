// SPDX-License-Identifier: Apache-2.0
#include "allocator/literal/assignment.h"

#include <algorithm>

#include <fmt/format.h>

#include "allocator/rules/release_rules.h"
#include "allocator/rules/share_id.h"
#include "allocator/rules/taints.h"
#include "allocator/rules/work_units.h"
#include "api/claims/node_operations.h"
#include "base/try.h"

namespace dray::allocator::literal {
namespace {

// Cost of assigning a device, in units of Work.
constexpr uint64_t kWorkPerGift = 128;

/// How many values the attribute has, if it is a list.
size_t ValuesIn(const api::resource_v1::DeviceAttribute* attribute) {
  if (attribute == nullptr) return 0;
  return attribute->strings.size() + attribute->ints.size() + attribute->bools.size() +
         attribute->versions.size();
}

}  // namespace

Assignment::Assignment(const SearchSpace& space,
                       Selection& selection,
                       std::vector<rules::ClaimPlan>& plans)
    : state_(space.state),
      features_(space.features),
      rules_(rules::RulesOf(space.features)),
      node_(space.node),
      work_(selection.work()),
      plans_(plans),
      attributes_(selection, space.features),
      groups_(space.pools, space.state),
      counters_(space.pools, space.state, space.features),
      capacity_(space.pools, space.state, space.features),
      placements_(plans.size()),
      entered_(plans.size()),
      holders_(space.pools.device_count),
      committed_(space.pools.device_count, Answer::kUnknown) {}

bool Assignment::IsCommitted(const rules::DeviceEntry& device) {
  Answer& answer = committed_[device.index];
  if (answer == Answer::kUnknown)
    answer = state_.devices.contains(device.id()) ? Answer::kYes : Answer::kNo;
  return answer == Answer::kYes;
}

bool Assignment::IsInUse(size_t claim,
                         const rules::Variant& variant,
                         const rules::DeviceEntry& device) {
  const std::vector<size_t>& holders = holders_[device.index];
  if (variant.admin_access && !rules_.admin_use_counts) return false;
  if (variant.admin_access) return std::ranges::find(holders, claim) != holders.end();
  return !holders.empty() || IsCommitted(device);
}

Result<bool> Assignment::Give(size_t claim,
                              const rules::Variant& variant,
                              const rules::DeviceEntry& device) {
  if (IsInUse(claim, variant, device)) return false;
  work_.Charge(kWorkPerGift + WorkOfItems(4 * variant.tolerations.size()) +
               WorkOfItems(4 * device.device->taints.size()));
  rules::Placement placement{.variant = &variant, .device = &device};
  Entered entered;
  Result<bool> accepted = Enter(claim, placement, entered);
  if (!accepted || !*accepted) {
    Undo(claim, placement, entered);
    return accepted;
  }
  placements_[claim].push_back(std::move(placement));
  entered_[claim].push_back(entered);
  return true;
}

void Assignment::TakeBackLast(size_t claim) {
  Undo(claim, placements_[claim].back(), entered_[claim].back());
  placements_[claim].pop_back();
  entered_[claim].pop_back();
}

/// The order of the checks decides which error is seen first.
Result<bool> Assignment::Enter(size_t claim, rules::Placement& placement, Entered& entered) {
  const rules::DeviceEntry& entry = *placement.device;
  if (!MaySkipNodeOperations(entry)) return false;
  if (!EnterCounters(entry, entered)) return false;
  if (rules::TaintInTheWay(*entry.device, placement.variant->tolerations, features_) != nullptr) {
    return false;
  }
  DRAY_TRY(const bool fits, EnterConstraints(claim, placement, entered));
  if (!fits) return false;
  const bool counts = rules_.admin_use_counts || !placement.variant->admin_access;
  if (counts && !rules::IsShareable(*entry.device, features_)) {
    holders_[entry.index].push_back(claim);
    entered.holder = true;
  }
  return EnterCapacity(claim, placement, entered);
}

/// Whether kubelet may omit the calls that the slice says it can do without (1.37).
bool Assignment::MaySkipNodeOperations(const rules::DeviceEntry& entry) const {
  if (entry.slice->spec.skip_node_operations.empty()) return true;
  if (!rules_.knows_skipped_operations) return true;
  return features_.optional_node_operations && api::claims::MaySkipOperations(node_);
}

/// Only the first share of a device pays for its counters.
bool Assignment::EnterCounters(const rules::DeviceEntry& entry, Entered& entered) {
  if (entry.device->consumes_counters.empty()) return true;
  if (!features_.partitionable_devices) return false;
  if (rules::IsShareable(*entry.device, features_) && capacity_.IsShared(entry)) return true;
  work_.Charge(counters_.WorkOf(entry));
  if (features_.compatibility_groups) {
    if (!groups_.Join(entry)) return false;
    entered.groups = true;
  }
  entered.counters = counters_.Draw(entry);
  return entered.counters;
}

Result<bool> Assignment::EnterConstraints(size_t claim,
                                          const rules::Placement& placement,
                                          Entered& entered) {
  const rules::Variant& variant = *placement.variant;
  for (rules::Constraint& constraint : plans_[claim].constraints) {
    work_.Charge(rules::kWorkPerConstraint + WorkOfItems(8 * constraint.size()));
    bool satisfied = !constraint.Covers(variant.name);
    if (!satisfied) {
      DRAY_TRY(const auto* attribute,
               attributes_.Find(variant, *placement.device, constraint.attribute_name()));
      work_.Charge(rules::kWorkPerValue * ValuesIn(attribute) * (1 + constraint.size()));
      satisfied = constraint.Add(variant.name, attribute);
    }
    if (satisfied) {
      ++entered.constraints;
      continue;
    }
    if (variant.mode == rules::CountMode::kExactCount) return false;
    return Fail(StatusReason::kInvalid,
                rules::ConstraintRefuses(plans_[claim], variant, *placement.device));
  }
  return true;
}

Result<bool> Assignment::FitsCapacity(size_t claim,
                                      const rules::Variant& variant,
                                      const rules::DeviceEntry& device) {
  if (!features_.consumable_capacity) return true;
  work_.Charge(rules::kWorkPerAmount * (1 + device.device->capacity.size()));
  Result<bool> fits = capacity_.Fits(device, variant.capacity);
  if (fits) return fits;
  return Fail(StatusReason::kInvalid,
              fmt::format("claim {}, request {}: checking capacity for device {}: {}",
                          plans_[claim].key,
                          variant.own_name,
                          device.id().ToString(),
                          fits.error().message));
}

/// Checks the capacity again, because members of "all devices" come here unchecked.
Result<bool> Assignment::EnterCapacity(size_t claim,
                                       rules::Placement& placement,
                                       Entered& entered) {
  const rules::DeviceEntry& entry = *placement.device;
  DRAY_TRY(const bool fits, FitsCapacity(claim, *placement.variant, entry));
  if (!fits || !rules::IsShareable(*entry.device, features_)) return fits;
  DRAY_TRY(placement.consumed, capacity_.Amounts(entry, placement.variant->capacity));
  placement.share_id = rules::ShareIdOf(plans_[claim], *placement.variant, entry);
  capacity_.Give(entry, placement.consumed);
  entered.share = true;
  return true;
}

void Assignment::Undo(size_t claim, const rules::Placement& placement, const Entered& entered) {
  if (entered.share) capacity_.TakeBack(*placement.device, placement.consumed);
  if (entered.holder) std::erase(holders_[placement.device->index], claim);
  for (size_t i = entered.constraints; i-- > 0;) {
    rules::Constraint& constraint = plans_[claim].constraints[i];
    if (constraint.Covers(placement.variant->name)) constraint.RemoveLast(placement.variant->name);
  }
  if (entered.counters) counters_.GiveBack(*placement.device);
  if (entered.groups) groups_.Leave(*placement.device);
}

}  // namespace dray::allocator::literal
