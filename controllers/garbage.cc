// SPDX-License-Identifier: Apache-2.0
#include "controllers/garbage.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dray::controllers {
namespace {

using api::meta_v1::ObjectMeta;

bool Has(const ObjectMeta& object, std::string_view finalizer) {
  return std::ranges::find(object.finalizers, finalizer) != object.finalizers.end();
}

std::vector<GarbageAction> PlanOwner(const ObjectMeta& object, const Dependents& dependents) {
  std::vector<GarbageAction> actions;
  if (Has(object, kOrphanFinalizer)) {
    actions.emplace_back(OrphanDependents{});
    actions.emplace_back(RemoveDeletionFinalizer{kOrphanFinalizer});
  } else if (Has(object, kForegroundFinalizer)) {
    if (dependents.any) actions.emplace_back(CollectDependents{});
    if (!dependents.any_blocks) actions.emplace_back(RemoveDeletionFinalizer{kForegroundFinalizer});
  }
  return actions;
}

// A finalizer that is there already says how the object wants to go.
std::string_view PolicyOf(const ObjectMeta& object) {
  if (Has(object, kOrphanFinalizer)) return "Orphan";
  return Has(object, kForegroundFinalizer) ? "Foreground" : "Background";
}

bool Contains(std::span<const OwnerState> owners, OwnerState state) {
  return std::ranges::find(owners, state) != owners.end();
}

}  // namespace

bool AwaitsCollector(const ObjectMeta& object) {
  return object.deletion_timestamp.has_value() &&
         (Has(object, kOrphanFinalizer) || Has(object, kForegroundFinalizer));
}

bool WaitsForDependents(const ObjectMeta& object) {
  return object.deletion_timestamp.has_value() && Has(object, kForegroundFinalizer);
}

std::vector<GarbageAction> PlanGarbage(const ObjectMeta& object,
                                       std::span<const OwnerState> owners,
                                       const Dependents& dependents) {
  if (object.deletion_timestamp.has_value()) return PlanOwner(object, dependents);
  if (owners.empty() || Contains(owners, OwnerState::kUnknown)) return {};
  std::vector<GarbageAction> actions;
  if (Contains(owners, OwnerState::kThere)) {
    RemoveOwners remove;
    for (size_t i = 0; i < owners.size(); ++i) {
      if (owners[i] != OwnerState::kThere) remove.uids.push_back(object.owner_references[i].uid);
    }
    if (!remove.uids.empty()) actions.emplace_back(std::move(remove));
    return actions;
  }
  if (Contains(owners, OwnerState::kWaits) && dependents.any) {
    if (dependents.any_waits) actions.emplace_back(UnblockOwners{});
    actions.emplace_back(CollectObject{"Foreground"});
  } else {
    actions.emplace_back(CollectObject{PolicyOf(object)});
  }
  return actions;
}

}  // namespace dray::controllers
