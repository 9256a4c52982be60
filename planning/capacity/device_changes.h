// SPDX-License-Identifier: Apache-2.0
// The devices that differ between two states of a cluster: in their state, or in the claims that
// have them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/result.h"
#include "dray/features.h"
#include "planning/capacity/capacity_report.h"

namespace dray::planning::inline capacity {

/// What decides about the states of devices, at one moment.
struct DeviceFacts {
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;  // with the taints of rules
  std::vector<Frozen<api::resource_v1::ResourceClaim>> claims;
  std::map<std::string, api::Object> nodes;  // by name
};

struct DeviceSituation {
  DeviceState state = DeviceState::kFree;
  std::vector<std::string> claims = {};  // that have it, namespace/name, sorted

  bool operator==(const DeviceSituation&) const = default;
};

struct DeviceChange {
  std::string driver, pool, device;
  std::string node;                              // the only one that reaches it; empty: several may
  std::optional<DeviceSituation> before, after;  // absent: it is not there

  bool operator==(const DeviceChange&) const = default;
};

/// Sorted by driver, pool and device. O(devices * log). Errors: kBadRequest  a node selector of a
/// slice is invalid.
Result<std::vector<DeviceChange>> DeviceChanges(const DeviceFacts& before,
                                                const DeviceFacts& after,
                                                const allocator::Features& features);

}  // namespace dray::planning::inline capacity
