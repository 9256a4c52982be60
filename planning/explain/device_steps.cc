// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/device_steps.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "allocator/rules/node_match.h"
#include "allocator/rules/release_rules.h"
#include "allocator/rules/taints.h"
#include "cel/api_device.h"
#include "cel/device_activation.h"
#include "planning/objects/spelled_amount.h"

namespace dray::planning::inline explain {
namespace {

namespace rules = allocator::rules;
namespace v1 = api::resource_v1;

constexpr std::array<std::string_view, kSteps> kNames = {"elsewhere",
                                                         "class",
                                                         "selectors",
                                                         "pool",
                                                         "switchedOff",
                                                         "node",
                                                         "tooSmall",
                                                         "taints",
                                                         "inUse",
                                                         "counters",
                                                         "capacity",
                                                         "usable"};

std::string TaintText(const v1::DeviceTaint& taint) {
  const std::string value = taint.value.empty() ? "" : "=" + taint.value;
  return fmt::format("{}{}:{}", taint.key, value, taint.effect);
}

/// Why an unused device is too small.
std::string SizeText(const v1::Device& device, const v1::CapacityRequirements* request) {
  if (request == nullptr) return {};
  for (const auto& [name, wanted] : request->requests) {
    const auto found = device.capacity.find(name);
    if (found == device.capacity.end()) return fmt::format("no capacity {}", name);
    if (wanted > found->second.value) {
      return fmt::format(
          "{} of {} wanted, {} there", wanted.ToString(), name, found->second.value.ToString());
    }
  }
  return "the policy of its capacity does not allow the amount";
}

/// Null: the request does not limit the capacity.
const api::Quantity* AmountAsked(const v1::CapacityRequirements* request, std::string_view name) {
  if (request == nullptr) return nullptr;
  const auto found = std::ranges::find(
      request->requests, name, [](const auto& asked) -> std::string_view { return asked.first; });
  return found == request->requests.end() ? nullptr : &found->second;
}

}  // namespace

std::string_view StepName(Step step) {
  return kNames[static_cast<size_t>(step)];
}

size_t LeftAfter(const StepCounts& counts, Step step) {
  size_t left = 0;
  for (size_t i = static_cast<size_t>(step) + 1; i < kSteps; ++i) left += counts[i];
  return left;
}

std::optional<Fall> DeviceJudge::Unselected(std::string_view driver,
                                            const v1::Device& device,
                                            const rules::Rules& rules) {
  const auto [known, is_new] = known_.try_emplace(&device);
  if (is_new) {
    cel::Device seen = cel::DeviceOf(driver, device);
    if (!rules.knows_shares) seen.allow_multiple_allocations = false;
    std::optional<Conditions::Unmet> unmet = conditions_.FirstUnmet(cel::DeviceActivation(seen));
    if (unmet.has_value()) known->second = {.is_met = false, .unmet = *std::move(unmet)};
  }
  if (known->second.is_met) return std::nullopt;
  const Conditions::Unmet& unmet = known->second.unmet;
  const bool of_class = conditions_.all()[unmet.condition].of_class;
  return Fall{.step = of_class ? Step::kClass : Step::kSelectors,
              .condition = unmet.condition,
              .why = unmet.error};
}

Fall NodeDevices::Judge(DeviceJudge& judge, const Entry& entry) {
  if (std::optional<Fall> fall = judge.Unselected(entry.driver(), *entry.device, rules_))
    return *std::move(fall);
  if (std::string why = UnreadFeature(entry); !why.empty())
    return {.step = Step::kSwitchedOff, .why = std::move(why)};
  Fall fall = Alone(judge, entry);
  const bool is_listed = fall.step == Step::kUsable;
  if (std::string why = UnmetFeature(entry); !why.empty()) {
    fall = {.step = Step::kSwitchedOff, .why = std::move(why)};
  } else if (is_listed) {
    fall = BesideUse(judge.variant(), entry);
  }
  fall.is_listed = is_listed;
  return fall;
}

/// The disabled features without which the allocator does not consider the device.
std::string NodeDevices::UnreadFeature(const Entry& entry) const {
  if (!features_.device_binding_and_status && !entry.device->binding_conditions.empty())
    return "binding conditions: DRADeviceBindingConditions is off";
  if (entry.device->no_basic && rules_.needs_basic_part) return "no part \"basic\"";
  return {};
}

/// The disabled features without which the allocator rejects the device after selection.
std::string NodeDevices::UnmetFeature(const Entry& entry) const {
  if (!entry.device->consumes_counters.empty() && !features_.partitionable_devices)
    return "shared counters: DRAPartitionableDevices is off";
  if (entry.slice->spec.skip_node_operations.empty() || !rules_.knows_skipped_operations) return {};
  constexpr std::string_view kFeature = "DRAOptionalNodeOperations";
  if (!features_.optional_node_operations)
    return "skipped node operations: DRAOptionalNodeOperations is off";
  const auto& declared = node_.status.declared_features;
  const bool is_declared = std::ranges::find(declared, kFeature) != declared.end();
  return is_declared ? "" : "skipped node operations: the node does not know them";
}

/// Whether the device is for the node and large enough, if no claim used it.
Fall NodeDevices::Alone(const DeviceJudge& judge, const Entry& entry) const {
  if (entry.slice->spec.per_device_node_selection.value_or(false)) {
    const Result<bool> usable = rules::IsUsableOn(node_, *entry.device);
    if (!usable) return {.step = Step::kNode, .why = usable.error().message};
    if (!*usable) return {.step = Step::kNode};
  }
  if (!features_.consumable_capacity) return {};
  const v1::CapacityRequirements* const request = judge.variant().capacity;
  const Result<bool> fits = rules::FitsCapacity(*entry.device, request, features_);
  if (!fits) return {.step = Step::kTooSmall, .why = fits.error().message};
  if (!*fits) return {.step = Step::kTooSmall, .why = SizeText(*entry.device, request)};
  return {};
}

/// The steps that depend on claims' allocations, and taints, because they come in between.
Fall NodeDevices::BesideUse(const rules::Variant& variant, const Entry& entry) {
  if (features_.device_taints) {
    const v1::DeviceTaint* const taint = rules::BlockingTaint(*entry.device, variant.tolerations);
    if (taint != nullptr) return {.step = Step::kTaints, .why = TaintText(*taint)};
  }
  if (!variant.admin_access && state_.devices.contains(entry.id())) return {.step = Step::kInUse};
  if (Fall fall = Counters(entry); fall.step != Step::kUsable) return fall;
  return Capacity(variant, entry);
}

Fall NodeDevices::Counters(const Entry& entry) {
  if (entry.device->consumes_counters.empty()) return {};
  if (rules::IsShareable(*entry.device, features_) && shares_.IsShared(entry)) return {};
  if (features_.compatibility_groups) {
    if (!groups_.Join(entry))
      return {.step = Step::kCounters, .why = "another compatibility group is in use"};
    groups_.Leave(entry);
  }
  const auto shortage = counters_.ShortageFor(entry);
  if (!shortage.has_value()) return {};
  return {.step = Step::kCounters,
          .why = fmt::format("{} of {} in {} wanted, {} left",
                             shortage->wanted.ToString(),
                             shortage->counter,
                             shortage->set,
                             shortage->left.ToString())};
}

Fall NodeDevices::Capacity(const rules::Variant& variant, const Entry& entry) const {
  if (!features_.consumable_capacity) return {};
  const allocator::ConsumedCapacity* const taken = state_.FindCapacity(entry.id());
  if (taken == nullptr) return {};
  const Result<bool> fits = rules::FitsCapacity(*entry.device, variant.capacity, features_, taken);
  if (fits && *fits) return {};
  Fall fall{.step = Step::kCapacity};
  const Result<allocator::ConsumedCapacity> amounts =
      rules::AmountsTaken(*entry.device, variant.capacity, features_);
  if (!amounts) return fall;
  for (const auto& [name, amount] : *amounts) {
    const auto used = taken->find(name);
    if (used == taken->end()) continue;
    api::Quantity left = entry.device->capacity.find(name)->second.value;
    left -= used->second;
    if (amount <= left) continue;
    const api::Quantity& whole = entry.device->capacity.find(name)->second.value;
    const api::Quantity* const asked = AmountAsked(variant.capacity, name);
    fall.why = fmt::format("{} of {} wanted, {} left",
                           SpelledAs({asked, &whole}, amount).ToString(),
                           name,
                           SpelledAs({&whole, asked}, left).ToString());
    return fall;
  }
  return fall;
}

}  // namespace dray::planning::inline explain
