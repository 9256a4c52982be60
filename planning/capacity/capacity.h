// SPDX-License-Identifier: Apache-2.0
// Computes what is left of the devices of a cluster: values in, a value out.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/result.h"
#include "cel/selector_cache.h"
#include "dray/device_id.h"
#include "dray/features.h"
#include "planning/capacity/capacity_report.h"

namespace dray::planning::inline capacity {

struct CapacityQuestion {
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;  // with the taints of rules
  std::span<const Frozen<api::resource_v1::ResourceClaim>> claims;
  std::span<const Frozen<api::resource_v1::DeviceClass>> classes;
  const std::set<allocator::DeviceId, allocator::DeviceIdLess>& unhealthy;
  const std::map<std::string, api::Object>& nodes;  // by name
  const api::core_v1::Node* node = nullptr;         // only devices that it can use; null: all
  std::string_view driver = {}, pool = {};          // only these; empty: all
  allocator::Features features = {};
  cel::SelectorCache& selectors;
  CapacityBy by = CapacityBy::kDriver;
  bool lists_devices = false;  // CapacityReport::judged in place of rows
};

/// O(devices * log), times the number of classes if rows are by class. Searches only for partitions
/// whose pattern of counters was not solved before (see Carve). Errors: kBadRequest  a node
/// selector of a slice is invalid.
Result<CapacityReport> CapacityOf(const CapacityQuestion& question);

}  // namespace dray::planning::inline capacity
