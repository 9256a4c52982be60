// SPDX-License-Identifier: Apache-2.0
#include "allocator/named_resources.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "cel/named_instance.h"

namespace dray::allocator {
namespace {

namespace classic = api::resource_v1alpha2;
namespace core_v1 = api::core_v1;

constexpr const char* kAny = "true";

/// The entry of the driver, or null.
template <class List>
auto* Of(const List& list, std::string_view driver) {
  const auto found =
      std::ranges::find_if(list, [&](const auto& entry) { return entry.driver_name == driver; });
  return found == list.end() ? nullptr : &*found;
}

Result<cel::Selector> Compile(cel::SelectorCache& selectors,
                              std::string_view what,
                              std::string_view expression) {
  Result<cel::Selector> compiled = selectors.Compile(expression);
  if (compiled) return compiled;
  Error error = std::move(compiled).error();
  error.message = fmt::format(
      "creating claim controller for named resources structured model: compile {} CEL expression: "
      "{}",
      what,
      error.message);
  return Fail(std::move(error));
}

Result<bool> Evaluate(const cel::Selector& selector,
                      const cel::NamedInstance& instance,
                      std::string_view what) {
  const cel::Evaluation evaluation = selector.Evaluate(instance);
  if (const cel::EvaluationError* error = evaluation.error()) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("evaluate {} CEL expression: {}", what, error->message));
  }
  return evaluation.matches();
}

core_v1::NodeSelector OnlyOn(const std::string& node) {
  core_v1::NodeSelector selector;
  core_v1::NodeSelectorRequirement requirement;
  requirement.key = "kubernetes.io/hostname";
  requirement.operator_ = "In";
  requirement.values.push_back(node);
  selector.node_selector_terms.emplace_back().match_expressions.push_back(std::move(requirement));
  return selector;
}

/// What a claim without parameters asks for.
classic::DriverRequests OneOf(const std::string& driver) {
  classic::DriverRequests requests{.driver_name = driver};
  requests.requests.emplace_back().resource_request_model.named_resources.emplace().selector = kAny;
  return requests;
}

}  // namespace

cel::SelectorCache NamedResourcesSelectors(size_t entries_max) {
  return {cel::Environment{.release = api::Release::k1_30,
                           .use = cel::ExpressionUse::kStored,
                           .purpose = cel::Purpose::kNamedResources},
          entries_max};
}

std::vector<InstanceId> InstancesOf(const classic::AllocationResult& allocation) {
  std::vector<InstanceId> instances;
  for (const classic::ResourceHandle& handle : allocation.resource_handles) {
    if (!handle.structured_data) continue;
    for (const classic::DriverAllocationResult& result : handle.structured_data->results) {
      const auto& named = result.allocation_result_model.named_resources;
      if (!named) continue;
      instances.push_back({handle.structured_data->node_name, handle.driver_name, named->name});
    }
  }
  return instances;
}

Result<NamedResourcesDemand> NamedResourcesDemand::Read(const Parameters& parameters,
                                                        cel::SelectorCache& selectors) {
  NamedResourcesDemand demand;
  demand.driver_ = parameters.of_whom->driver_name;
  api::List<classic::DriverRequests> wanted;
  if (parameters.of_claim == nullptr) {
    wanted.push_back(OneOf(demand.driver_));
  } else {
    wanted = parameters.of_claim->driver_requests;
    demand.shareable_ = parameters.of_claim->shareable;
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].requests.empty()) continue;
    OfDriver of_driver{.driver = wanted[i].driver_name,
                       .class_parameters = {},
                       .claim_parameters = wanted[i].vendor_parameters,
                       .filter = {},
                       .requests = {}};
    for (size_t at = 0; at < wanted[i].requests.size(); ++at) {
      const classic::ResourceRequest& request = wanted[i].requests[at];
      const auto& named = request.resource_request_model.named_resources;
      if (!named) {
        const auto& metadata = parameters.of_claim->metadata;
        return Fail(StatusReason::kBadRequest,
                    fmt::format("claim parameters {}/{}: driverRequests[{}].requests[{}]: no "
                                "supported structured parameters found",
                                metadata.namespace_,
                                metadata.name,
                                i,
                                at));
      }
      DRAY_TRY(cel::Selector selector, Compile(selectors, "request", named->selector));
      of_driver.requests.push_back({request.vendor_parameters, std::move(selector)});
    }
    if (parameters.of_class != nullptr) {
      const auto* own = Of(parameters.of_class->vendor_parameters, of_driver.driver);
      if (own != nullptr) of_driver.class_parameters = own->parameters;
      const auto* filter = Of(parameters.of_class->filters, of_driver.driver);
      if (filter != nullptr && filter->resource_filter_model.named_resources) {
        const std::string& text = filter->resource_filter_model.named_resources->selector;
        DRAY_TRY(of_driver.filter, Compile(selectors, "class filter", text));
      }
    }
    demand.drivers_.push_back(std::move(of_driver));
  }
  return demand;
}

Result<bool> InstancesOnNode::Allows(const OfDriver& demand,
                                     const cel::Selector& request,
                                     const classic::NamedResourcesInstance& instance) const {
  const cel::NamedInstance values(instance);
  if (demand.filter) {
    DRAY_TRY(const bool is_of_class, Evaluate(*demand.filter, values, "filter"));
    if (!is_of_class) return false;
  }
  return Evaluate(request, values, "request");
}

Result<std::optional<InstanceId>> InstancesOnNode::FirstFor(
    const OfDriver& demand, const cel::Selector& request, const std::set<InstanceId>& taken) const {
  for (const Frozen<classic::ResourceSlice>& slice : slices_) {
    const auto& named = slice->resource_model.named_resources;
    if (slice->driver_name != demand.driver || !named) continue;
    for (const classic::NamedResourcesInstance& instance : named->instances) {
      InstanceId id{node_, demand.driver, instance.name};
      if (taken.contains(id) || is_taken_(id)) continue;
      DRAY_TRY(const bool is_allowed, Allows(demand, request, instance));
      if (is_allowed) return std::optional(std::move(id));
    }
  }
  return std::optional<InstanceId>();
}

Result<std::optional<classic::ResourceHandle>> InstancesOnNode::AllocateOf(
    const OfDriver& demand, std::set<InstanceId>& taken) const {
  classic::ResourceHandle handle{.driver_name = demand.driver};
  classic::StructuredResourceHandle& data = handle.structured_data.emplace();
  data.vendor_class_parameters = demand.class_parameters;
  data.vendor_claim_parameters = demand.claim_parameters;
  data.node_name = node_;
  // One that gets nothing does not end the search: a later one may fail, which is said then.
  for (const NamedResourcesDemand::Request& request : demand.requests) {
    DRAY_TRY(std::optional<InstanceId> found, FirstFor(demand, request.selector, taken));
    if (!found) continue;
    classic::DriverAllocationResult& result = data.results.emplace_back();
    result.vendor_request_parameters = request.vendor_parameters;
    result.allocation_result_model.named_resources.emplace().name = found->name;
    taken.insert(*std::move(found));
  }
  if (data.results.size() < demand.requests.size()) return std::optional<classic::ResourceHandle>();
  return std::optional(std::move(handle));
}

Result<std::optional<classic::AllocationResult>> InstancesOnNode::Allocate(
    const NamedResourcesDemand& demand) {
  std::set<InstanceId> taken = taken_;
  classic::AllocationResult allocation{.available_on_nodes = OnlyOn(node_),
                                       .shareable = demand.shareable_};
  for (const OfDriver& of_driver : demand.drivers_) {
    Result<std::optional<classic::ResourceHandle>> handle = AllocateOf(of_driver, taken);
    if (!handle) {
      Error error = std::move(handle).error();
      error.message = fmt::format(R"(checking node "{}" and resources of driver "{}": {})",
                                  node_,
                                  of_driver.driver,
                                  error.message);
      return Fail(std::move(error));
    }
    if (!handle->has_value()) return std::optional<classic::AllocationResult>();
    allocation.resource_handles.push_back(**std::move(handle));
  }
  taken_ = std::move(taken);
  return std::optional(std::move(allocation));
}

}  // namespace dray::allocator
