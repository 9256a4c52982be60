// SPDX-License-Identifier: Apache-2.0
// Signs in claims that wait for devices, and in templates.
#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "allocator/rules/taints.h"
#include "api/resource_v1/claim_template.h"
#include "planning/lint/defect_signs.h"

namespace dray::planning::inline lint::signs {
namespace {

namespace v1 = api::resource_v1;
using Evidence = std::optional<DefectEvidence>;

/// Requests that have no devices yet.
struct WaitingClaim {
  std::string field;
  const v1::DeviceClaim* claim = nullptr;  // null: the object is something else
};

WaitingClaim WaitingIn(const api::Object& object) {
  if (const auto* claim = object.If<v1::ResourceClaim>()) {
    if (claim->status.allocation.has_value()) return {};
    return {.field = "spec.devices", .claim = &claim->spec.devices};
  }
  if (const auto* made = object.If<v1::ResourceClaimTemplate>())
    return {.field = "spec.spec.devices", .claim = &made->spec.spec.devices};
  return {};
}

bool DrawsCounters(const PopulationDevice& device) {
  return !device.device->consumes_counters.empty();
}

/// The first way of the object's requests for which `evidence` returns something.
template <class EvidenceOf>
Evidence FirstWay(const api::Object& object, EvidenceOf evidence_of) {
  const WaitingClaim waiting = WaitingIn(object);
  Evidence found;
  if (waiting.claim == nullptr) return found;
  ForEachWay(waiting.field, *waiting.claim, [&](const RequestWay& way) {
    if (!found.has_value()) found = evidence_of(way);
  });
  return found;
}

Evidence MayGet(const RequestWay& way, const PopulationDevice* device, std::string_view which) {
  if (device == nullptr) return {};
  return DefectEvidence{
      .field = way.field,
      .what = fmt::format("request {} may get {}, {}", way.name, device->id().ToString(), which)};
}

}  // namespace

Evidence AllMeetsCounters(const api::Object& object, DefectFacts& facts) {
  return FirstWay(object, [&](const RequestWay& way) -> Evidence {
    if (!way.wants_all) return {};
    return MayGet(way, facts.FindMatching(way, DrawsCounters), "which draws from counters");
  });
}

Evidence AllMeetsBadPool(const api::Object& object, DefectFacts& facts) {
  return FirstWay(object, [&](const RequestWay& way) -> Evidence {
    const LintChoice* const choice = way.wants_all ? facts.Choose(way) : nullptr;
    if (choice == nullptr || choice->troubled_pool.empty()) return {};
    return DefectEvidence{
        .field = way.field,
        .what =
            fmt::format("request {} asks for all, also of {}", way.name, choice->troubled_pool)};
  });
}

Evidence AllMeetsSpreadPool(const api::Object& object, DefectFacts& facts) {
  const auto is_spread = [&](const PopulationDevice& device) {
    const PopulationPool& pool = facts.devices().population().pools()[device.pool];
    std::set<std::string> nodes;
    for (const auto& slice : pool.usage->slices) nodes.insert(slice->spec.node_name.value_or(""));
    return nodes.size() > 1;
  };
  return FirstWay(object, [&](const RequestWay& way) -> Evidence {
    if (!way.wants_all) return {};
    return MayGet(way, facts.FindMatching(way, is_spread), "whose pool is of several nodes");
  });
}

Evidence AllInList(const api::Object& object, DefectFacts& /*facts*/) {
  return FirstWay(object, [&](const RequestWay& way) -> Evidence {
    if (!way.wants_all || !way.alternative.has_value()) return {};
    return DefectEvidence{.field = way.field,
                          .what = fmt::format("alternative {} asks for all devices", way.name)};
  });
}

Evidence RefusedCounters(const api::Object& object, DefectFacts& facts) {
  const WaitingClaim waiting = WaitingIn(object);
  if (waiting.claim == nullptr) return {};
  return FirstWay(object, [&](const RequestWay& way) -> Evidence {
    const PopulationDevice* const device = facts.FindMatching(way, DrawsCounters);
    if (device == nullptr) return {};
    if (!waiting.claim->constraints.empty())
      return MayGet(way, device, "which draws from counters, and the claim has a constraint");
    const auto is_refused = [&](const PopulationDevice& other) {
      if (other.device->allow_multiple_allocations.value_or(false)) return true;
      return std::ranges::any_of(other.device->taints, [&](const v1::DeviceTaint& taint) {
        return taint.effect != "None" &&
               std::ranges::none_of(way.tolerations, [&](const auto& one) {
                 return allocator::rules::Tolerates(one, taint);
               });
      });
    };
    if (facts.FindMatching(way, is_refused) == nullptr) return {};
    return MayGet(
        way, device, "which draws from counters, and others that are shared or have taints");
  });
}

Evidence AdminMeetsCounters(const api::Object& object, DefectFacts& facts) {
  return FirstWay(object, [&](const RequestWay& way) -> Evidence {
    if (!way.is_admin) return {};
    return MayGet(way, facts.FindMatching(way, DrawsCounters), "which draws from counters");
  });
}

Evidence AdminWithCount(const api::Object& object, DefectFacts& /*facts*/) {
  return FirstWay(object, [&](const RequestWay& way) -> Evidence {
    if (!way.is_admin || way.wants_all || way.count < 2) return {};
    return DefectEvidence{
        .field = way.field,
        .what =
            fmt::format("request {} asks for {} devices with adminAccess", way.name, way.count)};
  });
}

Evidence CapacityInOtherDomain(const api::Object& object, DefectFacts& facts) {
  return FirstWay(object, [&](const RequestWay& way) -> Evidence {
    if (way.capacity == nullptr) return {};
    for (const auto& [wanted, amount] : way.capacity->requests) {
      const auto has_other_form = [&](const PopulationDevice& device) {
        const std::string prefix = device.driver() + "/";
        const auto& capacity = device.device->capacity;
        if (capacity.contains(wanted)) return false;
        return wanted.starts_with(prefix) ? capacity.contains(wanted.substr(prefix.size()))
                                          : capacity.contains(prefix + wanted);
      };
      const PopulationDevice* const device = facts.FindMatching(way, has_other_form);
      if (device == nullptr) continue;
      return DefectEvidence{
          .field = fmt::format("{}.capacity.requests[{}]", way.field, wanted),
          .what = fmt::format("{} writes the name of capacity {} {} the driver's domain",
                              device->id().ToString(),
                              wanted,
                              wanted.contains('/') ? "without" : "with")};
    }
    return {};
  });
}

Evidence ManyDevices(const api::Object& object, DefectFacts& /*facts*/) {
  constexpr int64_t kMax = 16;  // the limit of the defect
  const WaitingClaim waiting = WaitingIn(object);
  if (waiting.claim == nullptr) return {};
  int64_t wanted = 0;
  ForEachWay(waiting.field, *waiting.claim, [&](const RequestWay& way) {
    if (!way.wants_all && way.alternative.value_or(0) == 0 && wanted <= kMax) wanted += way.count;
  });
  if (wanted <= kMax) return {};
  return DefectEvidence{.field = waiting.field,
                        .what = fmt::format("it asks for more than {} devices", kMax)};
}

}  // namespace dray::planning::inline lint::signs
