// SPDX-License-Identifier: Apache-2.0
#include "bench/allocator/cluster_builder.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "base/check.h"

namespace dray::bench {
namespace {

namespace v1 = api::resource_v1;

}  // namespace

v1::DeviceSelector Selector(std::string expression) {
  v1::DeviceSelector selector;
  selector.cel = v1::CELDeviceSelector{.expression = std::move(expression)};
  return selector;
}

v1::DeviceAttribute Text(std::string value) {
  v1::DeviceAttribute attribute;
  attribute.string = std::move(value);
  return attribute;
}

v1::DeviceAttribute Number(int64_t value) {
  v1::DeviceAttribute attribute;
  attribute.int_ = value;
  return attribute;
}

api::Quantity Amount(std::string_view text) {
  const auto amount = api::Quantity::Parse(text);
  DRAY_CHECK(amount.has_value());
  return *amount;
}

v1::DeviceRequest Request(const std::string& name,
                          const std::string& device_class,
                          int64_t count,
                          std::vector<v1::DeviceSelector> selectors) {
  v1::DeviceRequest request;
  request.name = name;
  request.exactly = v1::ExactDeviceRequest{.device_class_name = device_class,
                                           .selectors = std::move(selectors),
                                           .allocation_mode = "ExactCount",
                                           .count = count};
  return request;
}

v1::DeviceConstraint Match(std::string attribute, std::initializer_list<const char*> requests) {
  v1::DeviceConstraint constraint;
  constraint.requests.assign(requests.begin(), requests.end());
  constraint.match_attribute = std::move(attribute);
  return constraint;
}

/// Features are off unless the shape needs them, and the implementation is the peer's.
ClusterBuilder::ClusterBuilder() {
  problem_.features = {.admin_access = false,
                       .prioritized_list = false,
                       .device_taints = false,
                       .device_binding_and_status = false,
                       .partitionable_devices = false,
                       .consumable_capacity = false,
                       .fractional_capacity_range = false,
                       .implementation = allocator::Implementation::kIncubating};
}

std::vector<std::string> ClusterBuilder::AddNodes(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    names.push_back(fmt::format("node-{:03}", i));
    problem_.nodes.emplace_back().metadata.name = names.back();
  }
  return names;
}

void ClusterBuilder::AddClass(const std::string& name, const std::string& driver) {
  auto device_class = std::make_shared<v1::DeviceClass>();
  device_class->metadata.name = name;
  device_class->spec.selectors.push_back(Selector(fmt::format("device.driver == \"{}\"", driver)));
  problem_.classes.push_back(std::move(device_class));
}

void ClusterBuilder::Publish(const std::string& node,
                             const std::string& driver,
                             size_t per_slice,
                             std::vector<v1::Device> devices,
                             std::vector<v1::CounterSet> counters) {
  std::vector<std::shared_ptr<v1::ResourceSlice>> slices;
  const auto add = [&]() -> v1::ResourceSliceSpec& {
    auto slice = std::make_shared<v1::ResourceSlice>();
    slice->metadata.name = fmt::format("{}-{}-{:02}", node, driver, slices.size());
    slice->spec.driver = driver;
    slice->spec.pool = {.name = node, .generation = 1};
    slice->spec.node_name = node;
    slices.push_back(std::move(slice));
    return slices.back()->spec;
  };
  for (size_t i = 0; i < devices.size(); i += per_slice) {
    const auto first = devices.begin() + static_cast<std::ptrdiff_t>(i);
    const size_t count = std::min(per_slice, devices.size() - i);
    add().devices.assign(std::make_move_iterator(first),
                         std::make_move_iterator(first + static_cast<std::ptrdiff_t>(count)));
  }
  if (!counters.empty()) {
    add().shared_counters.assign(std::make_move_iterator(counters.begin()),
                                 std::make_move_iterator(counters.end()));
  }
  for (auto& slice : slices) {
    slice->spec.pool.resource_slice_count = static_cast<int64_t>(slices.size());
    problem_.slices.push_back(std::move(slice));
  }
}

void ClusterBuilder::Take(const std::string& driver,
                          const std::string& pool,
                          const std::string& device) {
  problem_.allocated.devices.insert({driver, pool, device});
}

void ClusterBuilder::AddClaim(const std::string& name,
                              std::vector<v1::DeviceRequest> requests,
                              std::vector<v1::DeviceConstraint> constraints) {
  auto claim = std::make_shared<v1::ResourceClaim>();
  claim->metadata.namespace_ = "default";
  claim->metadata.name = name;
  for (auto& request : requests) claim->spec.devices.requests.push_back(std::move(request));
  for (auto& constraint : constraints)
    claim->spec.devices.constraints.push_back(std::move(constraint));
  problem_.claims.push_back(std::move(claim));
}

}  // namespace dray::bench
