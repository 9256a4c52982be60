// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/defect_facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "controllers/pool_usage.h"

namespace dray::planning::inline lint {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;
using allocator::DeviceIdView;

DeviceIdView IdOf(const v1::DeviceRequestAllocationResult& result) {
  return {.driver = result.driver, .pool = result.pool, .device = result.device};
}

}  // namespace

DefectFacts::DefectFacts(const OfflineObjects& cluster,
                         const ClassesByName& classes,
                         LintDevices& devices)
    : cluster_(cluster), classes_(classes), devices_(devices) {
  const auto& all = devices.population().devices();
  for (size_t lane = 0; lane < all.size(); ++lane) lanes_.emplace(all[lane].id(), lane);
  for (const PopulationPool& pool : devices.population().pools())
    pools_[pool.name].push_back(&pool);
  for (const auto& [key, placed] : cluster.claims) {
    const auto* const claim = placed.object.If<v1::ResourceClaim>();
    if (claim == nullptr || !claim->status.allocation.has_value()) continue;
    for (const auto& result : claim->status.allocation->devices.results)
      given_[IdOf(result)].push_back({.claim = claim, .result = &result});
  }
  for (const PlacedObject& placed : cluster.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    pods_.emplace(api::ObjectKey(pod.metadata), &pod);
    for (std::string& key : api::claims::KeysOf(pod)) users_[std::move(key)].push_back(&pod);
  }
}

const LintChoice* DefectFacts::Choose(const RequestWay& way) {
  const auto found = classes_.find(*way.device_class);
  if (found == classes_.end() || devices_.size() == 0) return nullptr;
  const LintChoice& choice = devices_.Choose(*found->second, way.selectors);
  return choice.of_class.compiles && choice.chosen.compiles ? &choice : nullptr;
}

const PopulationDevice* DefectFacts::Find(const DeviceIdView& device) const {
  const auto found = lanes_.find(device);
  return found == lanes_.end() ? nullptr : &devices_.population().devices()[found->second];
}

const std::vector<DefectFacts::Given>& DefectFacts::GivenOf(const DeviceIdView& device) const {
  static const std::vector<Given> kNone;
  const auto found = given_.find(device);
  return found == given_.end() ? kNone : found->second;
}

const v1::ResourceClaim* DefectFacts::ClaimOf(std::string_view key) const {
  const auto found = cluster_.claims.find(std::string(key));
  return found == cluster_.claims.end() ? nullptr : found->second.object.If<v1::ResourceClaim>();
}

const core::Pod* DefectFacts::PodOf(const std::string& namespace_, const std::string& name) const {
  const auto found = pods_.find(fmt::format("{}/{}", namespace_, name));
  return found == pods_.end() ? nullptr : found->second;
}

const std::vector<const core::Pod*>& DefectFacts::UsersOf(const std::string& key) const {
  static const std::vector<const core::Pod*> kNone;
  const auto found = users_.find(key);
  return found == users_.end() ? kNone : found->second;
}

const std::vector<const PopulationPool*>& DefectFacts::PoolsNamed(std::string_view name) const {
  static const std::vector<const PopulationPool*> kNone;
  const auto found = pools_.find(name);
  return found == pools_.end() ? kNone : found->second;
}

bool DefectFacts::IsOverdrawn(std::string_view driver, std::string_view name) const {
  const controllers::PoolUsage* const pool = devices_.PoolOf(driver, name);
  if (pool == nullptr) return false;
  controllers::PoolUsage used = *pool;
  for (const auto& slice : pool->slices) {
    for (const v1::Device& device : slice->spec.devices) {
      const bool is_taken = std::ranges::any_of(
          GivenOf({.driver = driver, .pool = name, .device = device.name}),
          [](const Given& given) { return !given.result->admin_access.value_or(false); });
      if (is_taken) used.used.insert(device.name);
    }
  }
  for (const auto& [set, counters] : controllers::CountersLeft(used)) {
    for (const auto& [counter, left] : counters) {
      if (left < api::Quantity()) return true;
    }
  }
  return false;
}

}  // namespace dray::planning::inline lint
