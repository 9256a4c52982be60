// SPDX-License-Identifier: Apache-2.0
// A problem on one node, prepared for a judge: which devices each request accepts, by the rules
// about single devices. Written independently of the allocator's planning and selection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"
#include "api/value/quantity.h"
#include "base/result.h"
#include "dray/features.h"
#include "tests/judges/problem.h"
#include "tests/judges/seen_pools.h"
#include "tests/judges/taken_amounts.h"

namespace dray::judges {

/// Whether a request, or one of its alternatives, accepts a device.
struct Opinion {
  Answer selectable = Answer::kNo;  // by class, selectors, and the device's own nodes
  Answer acceptable = Answer::kNo;  // by all rules about single devices
  std::map<std::string, api::Quantity> amounts = {};  // consumed capacity
};

/// One way to satisfy a request.
struct Way {
  std::string_view request;      // name
  std::string_view alternative;  // name; empty for an exact request
  const api::resource_v1::DeviceClass* device_class = nullptr;
  std::span<const api::resource_v1::DeviceSelector> selectors = {};
  std::span<const api::resource_v1::DeviceToleration> tolerations = {};
  std::span<const api::resource_v1::DeviceDerivedAttribute> derived = {};
  const api::resource_v1::CapacityRequirements* capacity = nullptr;  // null: none requested
  bool is_admin = false;
  bool wants_all = false;
  int64_t count = 0;                     // if it has an exact count
  std::vector<size_t> all_devices = {};  // if `wants_all`: exactly these
  std::vector<Opinion> opinions = {};    // by device

  std::string FullName() const;
  /// Whether `names` has it, by its request's name or its own.
  bool IsNamedIn(const std::vector<std::string>& names) const;
  int64_t needed() const { return wants_all ? static_cast<int64_t>(all_devices.size()) : count; }
};

/// A request of a claim: one of the ways must be satisfied.
struct Want {
  size_t claim;
  std::vector<Way> ways;
};

/// Refers to the problem and the node.
struct Question {
  const Problem* problem;
  const api::core_v1::Node* node;
  SeenPools seen;
  std::vector<Want> wants;  // claim by claim, in order
  bool has_invalid_pool = false;

  const allocator::Features& features() const { return problem->features; }
  bool is_shareable(const api::resource_v1::Device& device) const {
    return features().consumable_capacity && device.allow_multiple_allocations.value_or(false);
  }
};

/// Prepares the question. Errors: every allocation on this node fails with an error, whatever the
/// devices.
Result<Question> Read(const Problem& problem, const api::core_v1::Node& node);

/// The most devices that one claim may get.
inline constexpr int64_t kClaimDevicesMax = 32;

}  // namespace dray::judges
