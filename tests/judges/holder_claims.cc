// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/holder_claims.h"

#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dray/device_id.h"

namespace dray::judges {

namespace v1 = api::resource_v1;

std::vector<Frozen<v1::ResourceClaim>> HoldersOf(const allocator::AllocatedState& state) {
  std::vector<Frozen<v1::ResourceClaim>> claims;
  const auto add = [&](v1::DeviceRequestAllocationResult result) {
    auto claim = std::make_shared<v1::ResourceClaim>();
    claim->metadata.namespace_ = "others";
    claim->metadata.name = fmt::format("holder-{}", claims.size());
    claim->metadata.uid = claim->metadata.name;
    result.request = "r";
    claim->status.allocation.emplace().devices.results.push_back(std::move(result));
    claims.push_back(std::move(claim));
  };
  const auto named = [](const allocator::DeviceId& id) {
    v1::DeviceRequestAllocationResult result;
    result.driver = id.driver;
    result.pool = id.pool;
    result.device = id.device;
    return result;
  };
  for (const allocator::DeviceId& device : state.devices) add(named(device));
  std::set<allocator::DeviceId> paid;
  for (const allocator::SharedDeviceId& share : state.shares) {
    v1::DeviceRequestAllocationResult result = named(share.device);
    result.share_id = share.share;
    const auto capacity = state.capacity.find(share.device);
    if (capacity != state.capacity.end() && paid.insert(share.device).second) {
      for (const auto& [name, amount] : capacity->second)
        result.consumed_capacity.insert_or_assign(name, amount);
    }
    add(std::move(result));
  }
  return claims;
}

}  // namespace dray::judges
