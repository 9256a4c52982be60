// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/result_check.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/node.h"
#include "api/resource_v1/allocation.h"
#include "api/resource_v1/slice.h"
#include "api/selectors/node_selector_match.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;
using Results = std::span<const v1::DeviceRequestAllocationResult>;

Failure Object(std::string why) {
  return Fail(StatusReason::kInvalid, std::move(why));
}

std::optional<size_t> DeviceOf(const Question& question,
                               const v1::DeviceRequestAllocationResult& result) {
  const allocator::DeviceIdView id{result.driver, result.pool, result.device};
  for (size_t i = 0; i < question.seen.devices.size(); ++i) {
    if (question.seen.devices[i].id() == id) return i;
  }
  return std::nullopt;
}

/// The first results, which belong to one way of the want, and that way; without results, a way
/// that needs none.
struct Share {
  size_t way;
  size_t count;
};
std::optional<Share> ShareOf(const Want& want, Results results) {
  for (size_t i = 0; i < want.ways.size(); ++i) {
    const std::string name = want.ways[i].FullName();
    size_t count = 0;
    while (count < results.size() && results[count].request == name) ++count;
    if (count > 0) return Share{i, count};
  }
  for (size_t i = 0; i < want.ways.size(); ++i) {
    if (!want.ways[i].wants_all && want.ways[i].count <= 0) return Share{i, 0};
  }
  return std::nullopt;
}

/// Whether these are the requested number of devices, or all, in order.
bool AreAsWanted(const Way& way, std::span<const Taken> taken) {
  std::vector<size_t> devices;
  for (const Taken& one : taken) devices.push_back(one.device);
  if (way.wants_all) return !devices.empty() && devices == way.all_devices;
  const bool rises = std::ranges::adjacent_find(devices, std::greater_equal()) == devices.end();
  return rises && std::ssize(devices) == std::max<int64_t>(way.count, 0);
}

bool FitsNodes(const Question& question,
               const api::Maybe<core::NodeSelector>& selector,
               std::span<const Taken> taken) {
  const bool is_stable = question.features().Picked() == allocator::Implementation::kStable;
  bool is_local = false;
  bool is_limited = false;
  bool is_open = false;
  for (const Taken& one : taken) {
    const SeenDevice& seen = question.seen.devices[one.device];
    const bool by_device = seen.slice->spec.per_device_node_selection.value_or(false);
    const auto& name = by_device ? seen.device->node_name : seen.slice->spec.node_name;
    const auto& nodes = by_device ? seen.device->node_selector : seen.slice->spec.node_selector;
    is_local =
        is_local || name.has_value() || (!is_stable && seen.device->binds_to_node.value_or(false));
    is_limited = is_limited || (nodes.has_value() && !nodes->node_selector_terms.empty() &&
                                nodes->node_selector_terms[0] != core::NodeSelectorTerm());
    const auto& everywhere = by_device ? seen.device->all_nodes : seen.slice->spec.all_nodes;
    is_open = is_open || everywhere.value_or(false);
  }
  if (!is_local && !is_limited) return !selector.has_value();
  if (!selector.has_value() || selector->node_selector_terms.size() != 1) return false;
  const core::Node& node = *question.node;
  const core::NodeSelectorTerm only_here = {
      .match_fields = {
          {.key = "metadata.name", .operator_ = "In", .values = {node.metadata.name}}}};
  if (is_local) return selector->node_selector_terms[0] == only_here;
  // A slice that sets both is open to all nodes. Its selector is copied, but not evaluated.
  if (is_open) return true;
  const Result<api::NodeSelector> parsed = api::NodeSelector::Parse(api::NodeTerms(*selector));
  return parsed.has_value() && parsed->Matches(node.metadata.labels, node.metadata.name);
}

/// The name of the wrong field, or empty.
std::string_view WrongField(const Question& question,
                            const Taken& taken,
                            const v1::DeviceRequestAllocationResult& result) {
  const Way& way = question.wants[taken.want].ways[taken.way];
  const SeenDevice& seen = question.seen.devices[taken.device];
  const allocator::Features& features = question.features();
  const bool is_shared = question.is_shareable(*seen.device);
  if (result.admin_access != (way.is_admin ? std::optional(true) : std::nullopt))
    return "adminAccess";
  if (!std::ranges::equal(result.tolerations, way.tolerations)) return "tolerations";
  if (result.share_id.has_value() != is_shared) return "shareID";
  const std::map<std::string, api::Quantity> consumed(result.consumed_capacity.begin(),
                                                      result.consumed_capacity.end());
  const std::map<std::string, api::Quantity> nothing;
  if (consumed != (is_shared ? way.opinions[taken.device].amounts : nothing))
    return "consumedCapacity";
  const bool has_binding = features.device_binding_and_status;
  const v1::Device bare;
  const v1::Device& bound = has_binding ? *seen.device : bare;
  if (result.binding_conditions != bound.binding_conditions) return "bindingConditions";
  if (result.binding_failure_conditions != bound.binding_failure_conditions)
    return "bindingFailureConditions";
  const bool copies_skips = features.Picked() == allocator::Implementation::kExperimental;
  if (copies_skips ? result.skip_node_operations.items() != seen.slice->spec.skip_node_operations
                   : !result.skip_node_operations.empty()) {
    return "skipNodeOperations";
  }
  return {};
}

}  // namespace

Result<std::vector<Taken>> TakenBy(const Question& question,
                                   const allocator::Allocation& allocation) {
  if (allocation.results.size() != question.problem->claims.size())
    return Object("there is not one result for each claim");
  std::vector<Taken> taken;
  std::vector<Results> left;
  for (const v1::AllocationResult& result : allocation.results)
    left.emplace_back(result.devices.results);
  for (size_t i = 0; i < question.wants.size(); ++i) {
    const Want& want = question.wants[i];
    Results& results = left[want.claim];
    const std::optional<Share> share = ShareOf(want, results);
    if (!share.has_value())
      return Object(fmt::format("request {} got nothing", want.ways[0].request));
    const size_t first = taken.size();
    for (const auto& result : results.first(share->count)) {
      const std::optional<size_t> device = DeviceOf(question, result);
      if (!device.has_value())
        return Object(fmt::format("{} cannot be seen from the node", result.device));
      taken.push_back({i, share->way, *device});
    }
    const Way& way = want.ways[share->way];
    if (!AreAsWanted(way, std::span(taken).subspan(first)))
      return Object(fmt::format("request {} got other devices than wanted", way.FullName()));
    results = results.subspan(share->count);
  }
  if (std::ranges::any_of(left, [](const Results& results) { return !results.empty(); }))
    return Object("there are results for no request");
  return taken;
}

std::string WrongWords(const Question& question,
                       const allocator::Allocation& allocation,
                       const std::vector<Taken>& taken) {
  std::set<std::string> shares;
  size_t first = 0;
  for (size_t i = 0; i < allocation.results.size(); ++i) {
    const auto& results = allocation.results[i].devices.results;
    const std::span<const Taken> of_claim = std::span(taken).subspan(first, results.size());
    for (size_t k = 0; k < results.size(); ++k) {
      const std::string_view field = WrongField(question, of_claim[k], results[k]);
      if (!field.empty()) return fmt::format("{} of {} is wrong", field, results[k].device);
      if (results[k].share_id.has_value() && !shares.insert(*results[k].share_id).second)
        return "two shares have the same id";
    }
    if (!FitsNodes(question, allocation.results[i].node_selector, of_claim))
      return fmt::format("the node selector of claim {} is wrong", i);
    first += results.size();
  }
  return {};
}

}  // namespace dray::judges
