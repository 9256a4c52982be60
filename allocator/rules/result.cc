// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/result.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace dray::allocator {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

v1::DeviceRequestAllocationResult ResultOf(const Placement& placement, const Features& features) {
  const v1::Device& device = *placement.device->device;
  const DeviceIdView id = placement.device->id();
  v1::DeviceRequestAllocationResult result{.request = placement.variant->name.Full(),
                                           .driver = std::string(id.driver),
                                           .pool = std::string(id.pool),
                                           .device = std::string(id.device)};
  if (placement.variant->admin_access) result.admin_access = true;
  result.tolerations.assign(placement.variant->tolerations.begin(),
                            placement.variant->tolerations.end());
  if (!placement.share_id.empty()) result.share_id = placement.share_id;
  for (const auto& [name, amount] : placement.consumed) result.consumed_capacity[name] = amount;
  if (features.Picked() == Implementation::kExperimental)
    result.skip_node_operations = placement.device->slice->spec.skip_node_operations;
  if (features.device_binding_and_status) {
    result.binding_conditions = device.binding_conditions;
    result.binding_failure_conditions = device.binding_failure_conditions;
  }
  return result;
}

/// What the classes bring along: each class once, for all requests that use it.
void AppendClassConfig(const ClaimPlan& plan,
                       std::span<const size_t> alternatives,
                       std::vector<v1::DeviceAllocationConfiguration>& config) {
  std::map<std::string_view, std::pair<size_t, size_t>> entries;  // class → its range in config
  for (size_t i = 0; i < plan.requests.size(); ++i) {
    const Variant& variant = plan.requests[i].variants[alternatives[i]];
    const v1::DeviceClass& device_class = *variant.criteria.device_class;
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

/// Whether the list names every request of the claim as it was satisfied.
bool NamesEveryRequest(const ClaimPlan& plan,
                       std::span<const size_t> alternatives,
                       std::span<const std::string> names) {
  for (size_t i = 0; i < plan.requests.size(); ++i) {
    if (!NamesRequest(names, plan.requests[i].variants[alternatives[i]].name)) return false;
  }
  return true;
}

std::vector<v1::DeviceAllocationConfiguration> ConfigOf(const ClaimPlan& plan,
                                                        std::span<const size_t> alternatives) {
  std::vector<v1::DeviceAllocationConfiguration> config;
  AppendClassConfig(plan, alternatives, config);
  for (const v1::DeviceClaimConfiguration& entry : plan.claim->spec.devices.config) {
    bool applies = entry.requests.empty();
    for (size_t i = 0; i < plan.requests.size() && !applies; ++i) {
      applies = NamesRequest(entry.requests, plan.requests[i].variants[alternatives[i]].name);
    }
    if (!applies) continue;
    config.push_back({.source = "FromClaim",
                      .requests = entry.requests,
                      .device_configuration = entry.device_configuration});
  }
  for (v1::DeviceAllocationConfiguration& entry : config) {
    if (!entry.requests.empty() && NamesEveryRequest(plan, alternatives, entry.requests))
      entry.requests.clear();
  }
  return config;
}

core::NodeSelector OnlyNode(const core::Node& node) {
  return {.node_selector_terms = {
              {.match_fields = {
                   {.key = "metadata.name", .operator_ = "In", .values = {node.metadata.name}}}}}};
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

/// The nodes all devices can be reached from; none when that is every node.
Result<std::optional<core::NodeSelector>> NodesOf(const ClaimPlan& plan,
                                                  std::span<const Placement> placements,
                                                  const core::Node& node) {
  core::NodeSelectorTerm term;
  for (const Placement& placement : placements) {
    const v1::ResourceSliceSpec& slice = placement.device->slice->spec;
    const v1::Device& device = *placement.device->device;
    const bool own_choice = slice.per_device_node_selection.value_or(false);
    const auto& node_name = own_choice ? device.node_name : slice.node_name;
    const auto& selector = own_choice ? device.node_selector : slice.node_selector;
    if (node_name.has_value() || device.binds_to_node.value_or(false)) return OnlyNode(node);
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
  for (const Placement& placement : placements) {
    result.devices.results.push_back(ResultOf(placement, features));
  }
  result.devices.config = ConfigOf(plan, alternatives);
  DRAY_TRY(result.node_selector, NodesOf(plan, placements, node));
  return result;
}

}  // namespace dray::allocator
