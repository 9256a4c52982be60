// SPDX-License-Identifier: Apache-2.0
#include "dray/claims.h"

#include <utility>

#include "api/claims/pool_accounts.h"

namespace dray::allocator {
namespace {

namespace v1 = api::resource_v1;

template <class LooksOn>
std::vector<AllocatedPart> Parts(const v1::AllocationResult& allocation,
                                 const Features& features,
                                 LooksOn looks_on) {
  const bool admin_takes = features.release == api::Release::k1_31;
  std::vector<AllocatedPart> parts;
  parts.reserve(allocation.devices.results.size());
  for (const v1::DeviceRequestAllocationResult& result : allocation.devices.results) {
    if (!admin_takes && result.admin_access.value_or(false) && looks_on(result)) continue;
    AllocatedPart& part = parts.emplace_back(
        AllocatedPart{.id = {.device = {result.driver, result.pool, result.device}, .share = {}}});
    if (!features.consumable_capacity || !result.share_id.has_value()) continue;
    part.id.share = *result.share_id;
    part.consumed.insert(result.consumed_capacity.begin(), result.consumed_capacity.end());
  }
  return parts;
}

}  // namespace

std::vector<AllocatedPart> v0::PartsOf(const v1::AllocationResult& allocation,
                                       const Features& features) {
  return Parts(allocation, features, [](const auto&) { return true; });
}

std::vector<AllocatedPart> v0::PartsOf(const v1::ResourceClaim& claim, const Features& features) {
  if (!claim.status.allocation.has_value()) return {};
  return Parts(*claim.status.allocation, features, [&](const auto& result) {
    return api::claims::AsksForAdminAccess(claim, result.request);
  });
}

AllocatedState v0::StateOf(std::span<const Frozen<v1::ResourceClaim>> claims,
                           const Features& features) {
  AllocatedState state;
  for (const Frozen<v1::ResourceClaim>& claim : claims) {
    for (AllocatedPart& part : PartsOf(*claim, features)) {
      if (part.id.share.empty()) {
        state.devices.insert(std::move(part.id.device));
        continue;
      }
      for (const auto& [name, amount] : part.consumed)
        state.capacity[part.id.device][name] += amount;
      state.shares.insert(std::move(part.id));
    }
  }
  return state;
}

}  // namespace dray::allocator
