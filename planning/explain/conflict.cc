// SPDX-License-Identifier: Apache-2.0
// Minimal by deletion: a part whose removal leaves the rest infeasible is dropped for good, until
// no part can be dropped. With monotone rules (fewer requests and fewer taken devices never hurt)
// one pass would be enough. Passes are repeated until nothing changes, so the result is minimal
// without that assumption. QuickXplain needs fewer searches for small conflicts among many parts;
// the chunks of Minimal are enough for the many parts here, which are claims of others.
#include "planning/explain/conflict.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/resource_v1/claim.h"
#include "planning/explain/holders.h"

namespace dray::planning::inline explain {
namespace {

namespace v1 = api::resource_v1;

std::string ConstraintText(const v1::DeviceConstraint& constraint) {
  if (constraint.match_attribute.has_value())
    return "matchAttribute " + *constraint.match_attribute;
  return "distinctAttribute " + constraint.distinct_attribute.value_or("");
}

/// In the order in which they are dropped.
std::vector<ConflictPart> AllParts(const ConflictQuestion& question, const Holders& holders) {
  std::vector<ConflictPart> parts;
  for (const size_t place : question.holders) {
    parts.push_back(
        {.kind = PartKind::kHolder, .claim_index = place, .claim = KeyOf(holders.ClaimAt(place))});
  }
  for (size_t i = 0; i < question.claims.size(); ++i) {
    const v1::ResourceClaim& claim = *question.claims[i];
    for (size_t j = 0; j < claim.spec.devices.constraints.size(); ++j) {
      parts.push_back({.kind = PartKind::kConstraint,
                       .claim_index = i,
                       .index = j,
                       .claim = KeyOf(claim),
                       .name = ConstraintText(claim.spec.devices.constraints[j])});
    }
  }
  for (size_t i = 0; i < question.claims.size(); ++i) {
    const v1::ResourceClaim& claim = *question.claims[i];
    for (size_t j = 0; j < claim.spec.devices.requests.size(); ++j) {
      parts.push_back({.kind = PartKind::kRequest,
                       .claim_index = i,
                       .index = j,
                       .claim = KeyOf(claim),
                       .name = claim.spec.devices.requests[j].name});
    }
  }
  return parts;
}

}  // namespace

WantedClaims OnlyParts(const WantedClaims& claims, std::span<const ConflictPart> parts) {
  WantedClaims only;
  for (size_t i = 0; i < claims.size(); ++i) {
    auto reduced = std::make_shared<v1::ResourceClaim>(*claims[i]);
    auto& devices = reduced->spec.devices;
    devices.requests.clear();
    devices.constraints.clear();
    const auto& all = claims[i]->spec.devices;
    const auto has = [&](PartKind kind, size_t index) {
      return std::ranges::any_of(parts, [&](const ConflictPart& part) {
        return part.kind == kind && part.claim_index == i && part.index == index;
      });
    };
    for (size_t j = 0; j < all.requests.size(); ++j) {
      if (has(PartKind::kRequest, j)) devices.requests.push_back(all.requests[j]);
    }
    for (size_t j = 0; j < all.constraints.size(); ++j) {
      if (has(PartKind::kConstraint, j)) devices.constraints.push_back(all.constraints[j]);
    }
    if (!devices.requests.empty()) only.push_back(std::move(reduced));
  }
  return only;
}

std::optional<Conflict> FindConflict(const ConflictQuestion& question,
                                     const allocator::Snapshot& snapshot,
                                     const Holders& holders,
                                     FreedClaims& freed) {
  const std::vector<ConflictPart> parts = AllParts(question, holders);
  const auto is_infeasible = [&](std::span<const size_t> kept) {
    std::vector<ConflictPart> here;
    for (const size_t place : kept) here.push_back(parts[place]);
    std::vector<size_t> gone;
    for (size_t i = 0; i < question.holders.size(); ++i) {
      if (std::ranges::find(kept, i) == kept.end()) gone.push_back(question.holders[i]);
    }
    const WantedClaims claims = OnlyParts(question.claims, here);
    const allocator::Snapshot cluster = gone.empty() ? snapshot : freed.Without(gone);
    return FitOn(allocator::Attempt(cluster, claims), question.node, question.budget) == Fit::kNo;
  };
  std::vector<size_t> everything(parts.size());
  for (size_t i = 0; i < everything.size(); ++i) everything[i] = i;
  if (!is_infeasible(everything)) return std::nullopt;
  Conflict conflict{.node = question.node.metadata.name, .parts = {}};
  for (const size_t place : Minimal(parts.size(), is_infeasible))
    conflict.parts.push_back(parts[place]);
  std::ranges::sort(conflict.parts, {}, [](const ConflictPart& part) {
    return std::tuple(part.kind, part.claim_index, part.index);
  });
  return conflict;
}

}  // namespace dray::planning::inline explain
