// SPDX-License-Identifier: Apache-2.0
// The alternative ways to satisfy a claim: its requests, and the alternatives of prioritized lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_request.h"

namespace dray::planning::inline lint {

/// One request, or an alternative of one. Refers to it.
struct RequestWay {
  std::string field;  // spec.devices.requests[0].exactly
  std::string name;   // gpu, gpu/large
  size_t request = 0;
  std::optional<size_t> alternative;
  const std::string* device_class = nullptr;
  std::span<const api::resource_v1::DeviceSelector> selectors;
  bool wants_all = false;
  bool is_admin = false;
  int64_t count = 1;
  std::span<const api::resource_v1::DeviceToleration> tolerations;
  const api::resource_v1::CapacityRequirements* capacity = nullptr;
  std::span<const api::resource_v1::DeviceDerivedAttribute> derived;
};

template <class Request>
RequestWay WayOf(const std::string& field, const std::string& name, const Request& request) {
  return {.field = field,
          .name = name,
          .device_class = &request.device_class_name,
          .selectors = request.selectors,
          .wants_all = request.allocation_mode == "All",
          .count = request.count,
          .tolerations = request.tolerations,
          .capacity = request.capacity.has_value() ? &*request.capacity : nullptr,
          .derived = request.derived_attributes};
}

/// Calls `visit` with each way of the claim at `field` ("spec.devices"), in the order of requests.
template <class Visit>
void ForEachWay(const std::string& field, const api::resource_v1::DeviceClaim& claim, Visit visit) {
  for (size_t i = 0; i < claim.requests.size(); ++i) {
    const api::resource_v1::DeviceRequest& request = claim.requests[i];
    const std::string at = fmt::format("{}.requests[{}]", field, i);
    if (request.exactly.has_value()) {
      RequestWay way = WayOf(at + ".exactly", request.name, *request.exactly);
      way.request = i;
      way.is_admin = request.exactly->admin_access.value_or(false);
      visit(std::move(way));
    }
    for (size_t j = 0; j < request.first_available.size(); ++j) {
      const auto& alternative = request.first_available[j];
      RequestWay way = WayOf(fmt::format("{}.firstAvailable[{}]", at, j),
                             fmt::format("{}/{}", request.name, alternative.name),
                             alternative);
      way.request = i;
      way.alternative = j;
      visit(std::move(way));
    }
  }
}

/// Whether `requests` name the way; an empty list names all ways.
inline bool IsConcerned(std::span<const std::string> requests, const std::string& way) {
  if (requests.empty()) return true;
  for (const std::string& request : requests) {
    if (request == way || way.starts_with(request + "/")) return true;
  }
  return false;
}

}  // namespace dray::planning::inline lint
