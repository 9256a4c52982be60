// SPDX-License-Identifier: Apache-2.0
#include "server/registry/resource_kinds.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "api/validation/field_error.h"

namespace dray::server::registry {
namespace {

namespace resource_v1 = api::resource_v1;

bool IsAllocated(const resource_v1::AllocatedDeviceStatus& device,
                 const api::Maybe<resource_v1::AllocationResult>& allocation) {
  if (!allocation.has_value()) return false;
  const auto& results = allocation->devices.results;
  return std::ranges::any_of(results, [&](const auto& result) {
    return result.driver == device.driver && result.pool == device.pool &&
           result.device == device.device && result.share_id == device.share_id;
  });
}

bool HasCapitals(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

void PrepareClaimStatus(api::Object& object,
                        const api::Object& old,
                        const api::Profile& /*profile*/) {
  auto& status = object.Mutable<resource_v1::ResourceClaim>().status;
  const auto& before = old.As<resource_v1::ResourceClaim>().status.allocation;
  std::erase_if(status.devices, [&](const resource_v1::AllocatedDeviceStatus& device) {
    return IsAllocated(device, before) && !IsAllocated(device, status.allocation);
  });
}

void PrepareTaintRule(api::Object& object,
                      const api::Object& old,
                      WallTime now,
                      const api::Profile& profile) {
  if (!profile.Since(36)) return;
  resource_v1::DeviceTaint& taint = object.Mutable<resource_v1::DeviceTaintRule>().spec.taint;
  const resource_v1::DeviceTaint& before = old.As<resource_v1::DeviceTaintRule>().spec.taint;
  if (taint.effect == before.effect || taint.time_added != before.time_added) return;
  taint.time_added = api::Time::Of(now);
}

std::vector<std::string> SliceWarnings(const api::Object& object,
                                       const api::Object* /*old*/,
                                       const api::Profile& profile) {
  const std::string& driver = object.As<resource_v1::ResourceSlice>().spec.driver;
  if (!profile.Since(35) || !HasCapitals(driver)) return {};
  return {
      fmt::format("spec.driver: driver names should be lowercase; {} contains uppercase characters",
                  api::validation::Shown(driver))};
}

}  // namespace dray::server::registry
