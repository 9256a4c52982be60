// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/binding_state.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "api/text/go_quote.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace resource_v1 = api::resource_v1;
using Kind = BindingState::Kind;

const resource_v1::AllocatedDeviceStatus* StatusOf(
    const resource_v1::ResourceClaim& claim,
    const resource_v1::DeviceRequestAllocationResult& device) {
  for (const resource_v1::AllocatedDeviceStatus& status : claim.status.devices) {
    if (status.driver == device.driver && status.pool == device.pool &&
        status.device == device.device && status.share_id == device.share_id) {
      return &status;
    }
  }
  return nullptr;
}

const api::meta_v1::Condition* FindTrue(const resource_v1::AllocatedDeviceStatus& status,
                                        std::string_view type) {
  for (const api::meta_v1::Condition& condition : status.conditions) {
    if (condition.type == type) return condition.status == "True" ? &condition : nullptr;
  }
  return nullptr;
}

BindingState StateOfDevice(const resource_v1::ResourceClaim& claim,
                           const resource_v1::DeviceRequestAllocationResult& device) {
  const resource_v1::AllocatedDeviceStatus* status = StatusOf(claim, device);
  if (status == nullptr) return {.kind = Kind::kWaits, .failure = {}};
  for (const std::string& type : device.binding_failure_conditions) {
    const api::meta_v1::Condition* failed = FindTrue(*status, type);
    if (failed == nullptr) continue;
    return {.kind = Kind::kFailed,
            .failure = fmt::format("device binding failed: claim={}, reason={}, message={}",
                                   claim.metadata.name,
                                   failed->reason,
                                   api::GoQuote(failed->message))};
  }
  const bool is_ready = std::ranges::all_of(
      device.binding_conditions,
      [&](const std::string& type) { return FindTrue(*status, type) != nullptr; });
  return {.kind = is_ready ? Kind::kReady : Kind::kWaits, .failure = {}};
}

}  // namespace

bool HasBindingConditions(const resource_v1::AllocationResult& allocation) {
  return std::ranges::any_of(allocation.devices.results,
                             [](const auto& device) { return !device.binding_conditions.empty(); });
}

BindingState BindingStateOf(const resource_v1::ResourceClaim& claim) {
  const auto& allocation = claim.status.allocation;
  if (!allocation.has_value()) return {.kind = Kind::kWaits, .failure = {}};
  for (const resource_v1::DeviceRequestAllocationResult& device : allocation->devices.results) {
    if (device.binding_conditions.empty()) continue;
    BindingState state = StateOfDevice(claim, device);
    if (state.kind != Kind::kReady) return state;
  }
  return {};
}

bool HasTimedOut(const resource_v1::AllocationResult& allocation,
                 std::chrono::nanoseconds timeout,
                 WallTime now) {
  if (!allocation.allocation_timestamp.has_value() || !HasBindingConditions(allocation)) {
    return false;
  }
  return AgeOf(allocation, now) > timeout;
}

// The difference saturates.
std::chrono::nanoseconds AgeOf(const resource_v1::AllocationResult& allocation, WallTime now) {
  constexpr int64_t kSecondsMax = 1'000'000'000;
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const int64_t seconds =
      second.time_since_epoch().count() - allocation.allocation_timestamp->unix_seconds();
  return std::chrono::seconds(std::clamp(seconds, -kSecondsMax, kSecondsMax)) + (now - second);
}

}  // namespace dray::scheduler::inline cluster
