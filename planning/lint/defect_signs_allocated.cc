// SPDX-License-Identifier: Apache-2.0
// Signs in claims that have devices.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "allocator/rules/attribute_values.h"
#include "allocator/rules/constraints.h"
#include "api/claims/extended_claim.h"
#include "api/claims/pod_groups.h"
#include "controllers/pool_usage.h"
#include "planning/lint/defect_signs.h"

namespace dray::planning::inline lint::signs {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;
using Evidence = std::optional<DefectEvidence>;
using allocator::DeviceIdView;

constexpr const char* kResults = "status.allocation.devices.results";

/// The claim, if it has devices.
const v1::ResourceClaim* AllocatedIn(const api::Object& object) {
  const auto* const claim = object.If<v1::ResourceClaim>();
  return claim != nullptr && claim->status.allocation.has_value() ? claim : nullptr;
}

const std::vector<v1::DeviceRequestAllocationResult>& ResultsOf(const v1::ResourceClaim& claim) {
  return claim.status.allocation->devices.results;
}

DeviceIdView DeviceOf(const v1::DeviceRequestAllocationResult& result) {
  return {.driver = result.driver, .pool = result.pool, .device = result.device};
}

bool HasEnded(const core::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

/// The consumer's pod does not exist, or another pod has its name.
bool IsStale(const v1::ResourceClaim& claim,
             const v1::ResourceClaimConsumerReference& consumer,
             const DefectFacts& facts) {
  if (api::claims::KindOf(consumer) != api::claims::ConsumerKind::kPod) return false;
  const core::Pod* const pod = facts.PodOf(claim.metadata.namespace_, consumer.name);
  return pod == nullptr || pod->metadata.uid != consumer.uid;
}

/// Finds two results, of requests under the constraint, with the same value.
Evidence EqualValues(const v1::ResourceClaim& claim,
                     const v1::DeviceConstraint& constraint,
                     const DefectFacts& facts) {
  using Type = allocator::rules::AttributeValues::Type;
  std::map<std::pair<Type, std::string>, std::string> seen;  // device by value
  for (const auto& result : ResultsOf(claim)) {
    if (!IsConcerned(constraint.requests, result.request)) continue;
    const PopulationDevice* const device = facts.Find(DeviceOf(result));
    if (device == nullptr) continue;
    const v1::DeviceAttribute* const attribute = allocator::rules::FindAttribute(
        {.slice = device->slice, .device = device->device}, *constraint.distinct_attribute);
    if (attribute == nullptr) continue;
    const auto values = allocator::rules::ValuesOf(*attribute);
    if (!values.has_value()) continue;
    for (const std::string& value : values->values) {
      const auto [known, is_new] = seen.emplace(std::pair(values->type, value), result.device);
      if (is_new) continue;
      return DefectEvidence{.field = kResults,
                            .what = fmt::format("{} and {} have the same {}",
                                                known->second,
                                                result.device,
                                                *constraint.distinct_attribute),
                            .is_seen = true};
    }
  }
  return {};
}

}  // namespace

Evidence DistinctInOneRequest(const api::Object& object, DefectFacts& facts) {
  const auto* const claim = object.If<v1::ResourceClaim>();
  if (claim == nullptr) return {};
  const v1::DeviceClaim& devices = claim->spec.devices;
  for (size_t i = 0; i < devices.constraints.size(); ++i) {
    const v1::DeviceConstraint& constraint = devices.constraints[i];
    if (!constraint.distinct_attribute.has_value()) continue;
    Evidence found;
    if (claim->status.allocation.has_value()) {
      found = EqualValues(*claim, constraint, facts);
    } else {
      ForEachWay("spec.devices", devices, [&](const RequestWay& way) {
        const bool is_several = way.wants_all || way.count > 1;
        if (found.has_value() || !is_several || !IsConcerned(constraint.requests, way.name)) return;
        found = DefectEvidence{
            .field = fmt::format("spec.devices.constraints[{}].distinctAttribute", i),
            .what = fmt::format("it is to hold within request {} for several devices", way.name)};
      });
    }
    if (found.has_value()) return found;
  }
  return {};
}

Evidence DeviceGivenTwice(const api::Object& object, DefectFacts& facts) {
  const v1::ResourceClaim* const claim = AllocatedIn(object);
  if (claim == nullptr) return {};
  const auto is_whole = [](const v1::DeviceRequestAllocationResult& result) {
    return !result.admin_access.value_or(false) && !result.share_id.has_value();
  };
  for (const auto& result : ResultsOf(*claim)) {
    if (!is_whole(result)) continue;
    for (const DefectFacts::Given& given : facts.GivenOf(DeviceOf(result))) {
      const bool is_other = given.claim->metadata.name != claim->metadata.name ||
                            given.claim->metadata.namespace_ != claim->metadata.namespace_;
      if (!is_other || !is_whole(*given.result)) continue;
      return DefectEvidence{.field = kResults,
                            .what = fmt::format("claim {} has {} too",
                                                api::ObjectKey(given.claim->metadata),
                                                DeviceOf(result).ToString()),
                            .is_seen = true};
    }
  }
  return {};
}

Evidence DeviceVanished(const api::Object& object, DefectFacts& facts) {
  const v1::ResourceClaim* const claim = AllocatedIn(object);
  if (claim == nullptr) return {};
  for (const auto& result : ResultsOf(*claim)) {
    const controllers::PoolUsage* const pool = facts.devices().PoolOf(result.driver, result.pool);
    if (pool == nullptr || facts.Find(DeviceOf(result)) != nullptr) continue;
    const bool is_whole = std::cmp_equal(pool->slices.size(), pool->expected_slices());
    const bool has_counters = std::ranges::any_of(
        pool->slices, [](const auto& slice) { return !slice->spec.shared_counters.empty(); });
    if (!is_whole || !has_counters) continue;
    return DefectEvidence{.field = kResults,
                          .what = fmt::format("it has {}, which its pool no longer publishes",
                                              DeviceOf(result).ToString()),
                          .is_seen = true};
  }
  return {};
}

Evidence TolerationsLost(const api::Object& object, DefectFacts& /*facts*/) {
  const v1::ResourceClaim* const claim = AllocatedIn(object);
  if (claim == nullptr) return {};
  Evidence found;
  ForEachWay("spec.devices", claim->spec.devices, [&](const RequestWay& way) {
    const bool may_stay = std::ranges::any_of(way.tolerations, [](const auto& toleration) {
      return toleration.effect.empty() || toleration.effect == "NoExecute";
    });
    if (!may_stay || found.has_value()) return;
    for (const auto& result : ResultsOf(*claim)) {
      if (result.request != way.name || !result.tolerations.empty()) continue;
      found = DefectEvidence{
          .field = way.field + ".tolerations",
          .what = fmt::format("the allocation of request {} has none of its tolerations", way.name),
          .is_seen = true};
    }
  });
  return found;
}

Evidence StaleConsumers(const api::Object& object, DefectFacts& facts) {
  const v1::ResourceClaim* const claim = AllocatedIn(object);
  if (claim == nullptr || claim->status.reserved_for.empty() || facts.cluster().pods.empty())
    return {};
  const bool all = std::ranges::all_of(claim->status.reserved_for, [&](const auto& consumer) {
    return IsStale(*claim, consumer, facts);
  });
  if (!all) return {};
  return DefectEvidence{.field = "status.reservedFor",
                        .what = fmt::format("pod {}, for which it is reserved, is not there",
                                            claim->status.reserved_for.front().name),
                        .is_seen = true};
}

Evidence OtherConsumers(const api::Object& object, DefectFacts& facts) {
  const v1::ResourceClaim* const claim = AllocatedIn(object);
  if (claim == nullptr) return {};
  const auto& consumers = claim->status.reserved_for;
  const auto other = std::ranges::find_if(consumers, [](const auto& consumer) {
    return api::claims::KindOf(consumer) != api::claims::ConsumerKind::kPod;
  });
  if (other == consumers.end()) return {};
  const bool is_seen =
      !facts.cluster().pods.empty() &&
      std::ranges::any_of(consumers, [&](const auto& one) { return IsStale(*claim, one, facts); });
  return DefectEvidence{.field = "status.reservedFor",
                        .what = fmt::format("it is reserved for {} {}{}",
                                            other->resource,
                                            other->name,
                                            is_seen ? ", and for a pod that is not there" : ""),
                        .is_seen = is_seen};
}

Evidence ExtendedClaimLeft(const api::Object& object, DefectFacts& facts) {
  const v1::ResourceClaim* const claim = AllocatedIn(object);
  if (claim == nullptr) return {};
  const api::claims::ExtendedOwner owner = api::claims::PodOfExtendedClaim(claim->metadata);
  if (owner.name.empty()) return {};
  const core::Pod* const pod = facts.PodOf(claim->metadata.namespace_, owner.name);
  if (pod == nullptr || !HasEnded(*pod)) return {};
  return DefectEvidence{
      .field = "status.allocation",
      .what = fmt::format("pod {} has ended, and the claim keeps its devices", owner.name),
      .is_seen = true};
}

Evidence ManyConsumers(const api::Object& object, DefectFacts& /*facts*/) {
  constexpr size_t kMax = 32;  // the limit of the defect
  const auto* const claim = object.If<v1::ResourceClaim>();
  if (claim == nullptr || claim->status.reserved_for.size() < kMax) return {};
  return DefectEvidence{.field = "status.reservedFor",
                        .what = fmt::format("{} pods use it", claim->status.reserved_for.size()),
                        .is_seen = true};
}

}  // namespace dray::planning::inline lint::signs
