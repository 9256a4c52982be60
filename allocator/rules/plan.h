// SPDX-License-Identifier: Apache-2.0
// What is asked for, checked and laid out before the search: per request its ways of being
// satisfied (the exact request, or its alternatives in order), with classes found, counts known and
// the devices of "all devices" requests listed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/rules/constraints.h"
#include "allocator/rules/pools.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "base/result.h"
#include "dray/allocated_state.h"

namespace dray::allocator::rules {

/// Devices one claim may get: the API's limit on allocation results.
inline constexpr int64_t kDevicesPerClaimMax = 32;

/// What a device must satisfy.
struct Criteria {
  const api::resource_v1::DeviceClass* device_class = nullptr;  // null: of any class
  std::span<const api::resource_v1::DeviceSelector> selectors = {};
  std::string_view claim_key = {};  // in messages
  size_t row = 0;                   // number of the request or alternative among those of a plan
};

enum class CountMode : uint8_t { kExactCount, kAll };

/// One way to satisfy a request.
struct Variant {
  RequestName name;
  std::string_view own_name;  // in messages: the alternative's own name, or the request's
  Criteria criteria;
  CountMode mode = CountMode::kExactCount;
  int64_t needed = 0;
  std::vector<const DeviceEntry*> all_devices = {};  // of kAll
  bool admin_access = false;
  const api::resource_v1::CapacityRequirements* capacity = nullptr;  // null: none is asked for
  std::span<const api::resource_v1::DeviceDerivedAttribute> derived_attributes = {};
  std::span<const api::resource_v1::DeviceToleration> tolerations = {};
};

struct RequestPlan {
  std::vector<Variant> variants;
  bool is_prioritized = false;  // variants are alternatives, the first that works out wins
};

struct ClaimPlan {
  const api::resource_v1::ResourceClaim* claim;
  std::string key;  // namespace/name, as messages write it
  std::vector<RequestPlan> requests = {};
  std::vector<Constraint> constraints = {};
};

/// A device given to a request.
struct Placement {
  const Variant* variant;
  const DeviceEntry* device;
  std::string share_id = {};  // of a device that can be shared
  ConsumedCapacity consumed = {};
};

/// The error when all devices are wanted, but a constraint rules this one out.
std::string ConstraintRefuses(const ClaimPlan& plan,
                              const Variant& variant,
                              const DeviceEntry& device);

/// What a plan is made from; all outlives the plan.
struct PlanInput {
  const inventory::Inventory& inventory;
  const GatheredPools& gathered;
  const AllocatedState& state;
  const Features& features;
};

/// Whether a device satisfies the criteria.
using Chooser = std::function<Result<bool>(const Criteria&, const DeviceEntry&)>;

/// Lays out the claims in order. Asks `chooser` only for "all devices" requests.
///
/// Errors: kInvalid with upstream's text, the first in the order of claims and requests: a switch
/// that is off, a missing class, an unknown mode, an incomplete or invalid pool all of whose
/// devices are wanted, more devices than a claim may have, an empty constraint, a selector that
/// fails.
Result<std::vector<ClaimPlan>> PlanClaims(
    const PlanInput& input,
    const Chooser& chooser,
    std::span<const Frozen<api::resource_v1::ResourceClaim>> claims);

}  // namespace dray::allocator::rules
