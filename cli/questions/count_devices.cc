// SPDX-License-Identifier: Apache-2.0
#include "cli/questions/count_devices.h"

#include <cstddef>

#include "allocator/selector_cache.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "base/zoneinfo.h"
#include "dray/selector.h"
#include "planning/explain/device_health.h"

namespace dray::cli::inline questions {
namespace {

constexpr size_t kCapacitySelectorsKept = 10'000;

}  // namespace

std::vector<Frozen<api::resource_v1::ResourceClaim>> ClaimsOf(
    const planning::OfflineObjects& objects) {
  std::vector<Frozen<api::resource_v1::ResourceClaim>> claims;
  claims.reserve(objects.claims.size());
  for (const auto& [key, placed] : objects.claims)
    claims.push_back(api::FrozenOf<api::resource_v1::ResourceClaim>(placed.object));
  return claims;
}

Result<planning::CapacityReport> CountDevices(World& world,
                                              const OfflineInput& input,
                                              const CountOptions& options) {
  const planning::OfflineObjects& objects = input.objects;
  const auto claims = ClaimsOf(objects);
  std::vector<const api::core_v1::Pod*> pods;
  pods.reserve(objects.pods.size());
  for (const auto& placed : objects.pods) pods.push_back(&placed.object.As<api::core_v1::Pod>());
  const auto unhealthy = planning::UnhealthyDevices(claims, pods);
  const auto selectors =
      allocator::SelectorCacheFor(input.features, kCapacitySelectorsKept, ZoneFilesOf(world.disk));
  const bool is_of_node = !options.node.empty();
  return planning::CapacityOf(
      {.slices = objects.slices,
       .claims = claims,
       .classes = objects.classes,
       .unhealthy = unhealthy,
       .nodes = objects.nodes,
       .node = is_of_node ? &objects.nodes.at(options.node).As<api::core_v1::Node>() : nullptr,
       .driver = options.driver,
       .pool = options.pool,
       .features = input.features,
       .selectors = *selectors,
       .by = options.by,
       .lists_devices = options.lists_devices});
}

}  // namespace dray::cli::inline questions
