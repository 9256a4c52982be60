// SPDX-License-Identifier: Apache-2.0
#include "planning/capacity/device_changes.h"

#include <algorithm>
#include <utility>

#include "allocator/selector_cache.h"
#include "base/try.h"
#include "dray/device_id.h"
#include "dray/selector.h"
#include "planning/capacity/capacity.h"

namespace dray::planning::inline capacity {
namespace {

using allocator::DeviceId;

struct Situated {
  std::string node;
  DeviceSituation situation;
};
using Situations = std::map<DeviceId, Situated, allocator::DeviceIdLess>;

Result<Situations> SituationsOf(const DeviceFacts& facts, const allocator::Features& features) {
  const auto selectors = allocator::SelectorCacheFor(features, 1);  // no class is evaluated
  DRAY_TRY(CapacityReport report,
           CapacityOf({.slices = facts.slices,
                       .claims = facts.claims,
                       .classes = {},
                       .unhealthy = {},
                       .nodes = facts.nodes,
                       .features = features,
                       .selectors = *selectors,
                       .lists_devices = true}));
  Situations situations;
  for (JudgedPool& pool : report.judged) {
    for (JudgedDevice& device : pool.devices) {
      situations.emplace(
          DeviceId{.driver = pool.driver, .pool = pool.pool, .device = std::move(device.name)},
          Situated{.node = std::move(device.node), .situation = {.state = device.state}});
    }
  }
  for (const auto& claim : facts.claims) {
    if (!claim->status.allocation.has_value()) continue;
    for (const auto& result : claim->status.allocation->devices.results) {
      if (result.admin_access.value_or(false)) continue;
      const auto found = situations.find(allocator::DeviceIdView{
          .driver = result.driver, .pool = result.pool, .device = result.device});
      if (found != situations.end())
        found->second.situation.claims.push_back(api::ObjectKey(claim->metadata));
    }
  }
  for (auto& [id, device] : situations) {
    std::vector<std::string>& claims = device.situation.claims;
    std::ranges::sort(claims);
    claims.erase(std::ranges::unique(claims).begin(), claims.end());
  }
  return situations;
}

}  // namespace

Result<std::vector<DeviceChange>> DeviceChanges(const DeviceFacts& before,
                                                const DeviceFacts& after,
                                                const allocator::Features& features) {
  DRAY_TRY(const Situations old, SituationsOf(before, features));
  DRAY_TRY(const Situations now, SituationsOf(after, features));
  std::vector<DeviceChange> changes;
  const auto add = [&](const DeviceId& id, const Situated* was, const Situated* is) {
    const auto situation = [](const Situated* one) {
      return one == nullptr ? std::optional<DeviceSituation>() : one->situation;
    };
    changes.push_back({.driver = id.driver,
                       .pool = id.pool,
                       .device = id.device,
                       .node = (is != nullptr ? is : was)->node,
                       .before = situation(was),
                       .after = situation(is)});
  };
  for (const auto& [id, was] : old) {
    const auto is = now.find(id);
    if (is == now.end()) {
      add(id, &was, nullptr);
    } else if (was.situation != is->second.situation) {
      add(id, &was, &is->second);
    }
  }
  for (const auto& [id, is] : now) {
    if (!old.contains(id)) add(id, nullptr, &is);
  }
  std::ranges::sort(changes, {}, [](const DeviceChange& one) {
    return allocator::DeviceIdView{.driver = one.driver, .pool = one.pool, .device = one.device};
  });
  return changes;
}

}  // namespace dray::planning::inline capacity
