// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/result.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "allocator/rules/release_rules.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"
#include "base/try.h"

namespace dray::allocator::rules {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

v1::DeviceRequestAllocationResult ResultOf(const Placement& placement, const Features& features) {
  const Rules& rules = RulesOf(features);
  const v1::Device& device = *placement.device->device;
  const DeviceIdView id = placement.device->id();
  v1::DeviceRequestAllocationResult result{.request = placement.variant->name.Full(),
                                           .driver = std::string(id.driver),
                                           .pool = std::string(id.pool),
                                           .device = std::string(id.device)};
  if (placement.variant->admin_access && rules.marks_admin_results) result.admin_access = true;
  result.tolerations = std::vector<v1::DeviceToleration>(placement.variant->tolerations.begin(),
                                                         placement.variant->tolerations.end());
  if (!placement.share_id.empty()) result.share_id = placement.share_id;
  for (const auto& [name, amount] : placement.consumed) result.consumed_capacity[name] = amount;
  if (rules.knows_skipped_operations)
    result.skip_node_operations = placement.device->slice->spec.skip_node_operations;
  if (features.device_binding_and_status) {
    result.binding_conditions = device.binding_conditions;
    result.binding_failure_conditions = device.binding_failure_conditions;
  }
  return result;
}

using Config = std::vector<v1::DeviceAllocationConfiguration>;

/// What the classes bring along: each class once, for all requests that use it.
void AppendMergedClassConfig(const ClaimPlan& plan,
                             std::span<const size_t> alternatives,
                             Config& config) {
  std::map<std::string_view, std::pair<size_t, size_t>> entries;  // class → its range in config
  for (size_t i = 0; i < plan.requests.size(); ++i) {
    const Variant& variant = plan.requests[i].variants[alternatives[i]];
    const v1::DeviceClass& device_class = *variant.criteria.device_class;
    if (device_class.spec.config.empty()) continue;
    const auto [found, is_new] = entries.try_emplace(
        device_class.metadata.name, config.size(), device_class.spec.config.size());
    if (is_new) {
      for (const v1::DeviceClassConfiguration& entry : device_class.spec.config) {
        config.push_back(
            {.source = "FromClass", .device_configuration = entry.device_configuration});
      }
    }
    for (size_t k = 0; k < found->second.second; ++k) {
      config[found->second.first + k].requests.push_back(variant.name.Full());
    }
  }
}

/// The same before classes were merged: each request brings its class along, for all requests.
void AppendClassConfig(const ClaimPlan& plan,
                       std::span<const size_t> alternatives,
                       Config& config) {
  for (size_t i = 0; i < plan.requests.size(); ++i) {
    const Variant& variant = plan.requests[i].variants[alternatives[i]];
    for (const v1::DeviceClassConfiguration& entry : variant.criteria.device_class->spec.config) {
      config.push_back({.source = "FromClass", .device_configuration = entry.device_configuration});
    }
  }
}

/// How often an entry of the claim appears in the result.
size_t CopiesOf(const v1::DeviceClaimConfiguration& entry,
                const ClaimPlan& plan,
                std::span<const size_t> alternatives,
                const Rules& rules) {
  if (entry.requests.empty() || !rules.filters_claim_config) return 1;
  size_t named = 0;
  for (size_t i = 0; i < plan.requests.size(); ++i) {
    if (NamesRequest(entry.requests, plan.requests[i].variants[alternatives[i]].name)) ++named;
  }
  return rules.repeats_claim_config ? named : std::min<size_t>(named, 1);
}

/// Whether the list names every request of the claim as it was satisfied.
bool NamesEveryRequest(const ClaimPlan& plan,
                       std::span<const size_t> alternatives,
                       std::span<const std::string> names) {
  for (size_t i = 0; i < plan.requests.size(); ++i) {
    if (!NamesRequest(names, plan.requests[i].variants[alternatives[i]].name)) return false;
  }
  return true;
}

Config ConfigOf(const ClaimPlan& plan, std::span<const size_t> alternatives, const Rules& rules) {
  Config config;
  if (rules.merges_class_config) {
    AppendMergedClassConfig(plan, alternatives, config);
  } else {
    AppendClassConfig(plan, alternatives, config);
  }
  for (const v1::DeviceClaimConfiguration& entry : plan.claim->spec.devices.config) {
    config.insert(config.end(),
                  CopiesOf(entry, plan, alternatives, rules),
                  {.source = "FromClaim",
                   .requests = entry.requests,
                   .device_configuration = entry.device_configuration});
  }
  if (!rules.clears_full_config_lists) return config;
  for (v1::DeviceAllocationConfiguration& entry : config) {
    if (!entry.requests.empty() && NamesEveryRequest(plan, alternatives, entry.requests))
      entry.requests.clear();
  }
  return config;
}

/// Made in place, for each claim of each node that is asked about: braces around lists would copy.
core::NodeSelector OnlyNode(const std::string& node) {
  core::NodeSelector selector;
  core::NodeSelectorRequirement& requirement =
      selector.node_selector_terms.emplace_back().match_fields.emplace_back();
  requirement.key = "metadata.name";
  requirement.operator_ = "In";
  requirement.values.push_back(node);
  return selector;
}

bool SameRequirement(const core::NodeSelectorRequirement& a,
                     const core::NodeSelectorRequirement& b) {
  return a.key == b.key && a.operator_ == b.operator_ &&
         std::set(a.values.begin(), a.values.end()) == std::set(b.values.begin(), b.values.end());
}

void AddNew(const std::vector<core::NodeSelectorRequirement>& from,
            std::vector<core::NodeSelectorRequirement>& to) {
  for (const core::NodeSelectorRequirement& requirement : from) {
    const bool known = std::ranges::any_of(to, [&](const core::NodeSelectorRequirement& other) {
      return SameRequirement(requirement, other);
    });
    if (!known) to.push_back(requirement);
  }
}

/// The node a device is tied to, if it is to one; `named` is what its slice, or it, says.
const std::string* PinOf(const v1::Device& device,
                         const std::optional<std::string>& named,
                         const core::Node& tried,
                         const Rules& rules) {
  if (!rules.pins_to_tried_node) return named.has_value() ? &*named : nullptr;
  return named.has_value() || device.binds_to_node.value_or(false) ? &tried.metadata.name : nullptr;
}

/// The nodes all devices can be reached from; none when that is every node.
Result<std::optional<core::NodeSelector>> NodesOf(const ClaimPlan& plan,
                                                  std::span<const Placement> placements,
                                                  const core::Node& node,
                                                  const Rules& rules) {
  core::NodeSelectorTerm term;
  for (const Placement& placement : placements) {
    const v1::ResourceSliceSpec& slice = placement.device->named_in->spec;
    const v1::Device& device = *placement.device->device;
    const bool own_choice = slice.per_device_node_selection.value_or(false);
    const auto& node_name = own_choice ? device.node_name : slice.node_name;
    const auto& selector = own_choice ? device.node_selector : slice.node_selector;
    if (const std::string* pin = PinOf(device, node_name, node, rules)) return OnlyNode(*pin);
    if (!selector.has_value() || selector->node_selector_terms.empty()) continue;
    if (selector->node_selector_terms.size() > 1) {
      return Fail(StatusReason::kInvalid,
                  fmt::format("create NodeSelector for claim {}: unsupported "
                              "ResourceSlice.NodeSelector with {} terms",
                              plan.claim->metadata.name,
                              selector->node_selector_terms.size()));
    }
    AddNew(selector->node_selector_terms[0].match_fields, term.match_fields);
    AddNew(selector->node_selector_terms[0].match_expressions, term.match_expressions);
  }
  if (term == core::NodeSelectorTerm()) return std::nullopt;
  return core::NodeSelector{.node_selector_terms = {std::move(term)}};
}

}  // namespace

Result<v1::AllocationResult> BuildResult(const ClaimPlan& plan,
                                         std::span<const Placement> placements,
                                         std::span<const size_t> alternatives,
                                         const core::Node& node,
                                         const Features& features) {
  v1::AllocationResult result;
  result.devices.results.reserve(placements.size());
  for (const Placement& placement : placements) {
    result.devices.results.push_back(ResultOf(placement, features));
  }
  result.devices.config = ConfigOf(plan, alternatives, RulesOf(features));
  DRAY_TRY(result.node_selector, NodesOf(plan, placements, node, RulesOf(features)));
  return result;
}

}  // namespace dray::allocator::rules
