// SPDX-License-Identifier: Apache-2.0
// Owners and dependents: which objects go with their owner, and what an owner that is being deleted
// waits for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/meta_v1/object_meta.h"

namespace dray::controllers {

/// The owner stays until what it owned has forgotten it (`propagationPolicy=Orphan`).
inline constexpr std::string_view kOrphanFinalizer = "orphan";
/// The owner stays until what it owns and blocks it is gone (`propagationPolicy=Foreground`).
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

/// What an owner reference leads to.
enum class OwnerState : uint8_t {
  kThere,
  kWaits,    // being deleted, after its dependents
  kGone,     // deleted, or replaced by another object of that name
  kUnknown,  // a kind that is not served, or an object in a namespace that cannot own this one
};

/// Facts about the objects that name an object as their owner.
struct Dependents {
  bool any = false;
  bool any_blocks = false;  // one that says blockOwnerDeletion
  bool any_waits = false;   // one that is being deleted after its own dependents
};

/// Takes the object out of the owner references of all its dependents.
struct OrphanDependents {};
/// Looks at each dependent again: its owner waits for it.
struct CollectDependents {};
struct RemoveDeletionFinalizer {
  std::string_view finalizer;
};
/// Removes the owner references with these uids.
struct RemoveOwners {
  std::vector<std::string> uids;
};
/// The owners no longer wait for this object: they and it would wait for each other.
struct UnblockOwners {};
struct CollectObject {
  std::string_view policy;  // Background, Foreground, Orphan
};
using GarbageAction = std::variant<OrphanDependents,
                                   CollectDependents,
                                   RemoveDeletionFinalizer,
                                   RemoveOwners,
                                   UnblockOwners,
                                   CollectObject>;

/// True while `object` is being deleted and the garbage collector has something to do first.
bool AwaitsCollector(const api::meta_v1::ObjectMeta& object);
/// True while `object` is being deleted after its dependents.
bool WaitsForDependents(const api::meta_v1::ObjectMeta& object);

/// What must happen to an object with `dependents` whose owner references lead to `owners`, in
/// their order. The runner performs the actions in order and drops the rest when one fails; the
/// next event starts afresh. An object goes when none of its owners is there, and loses references
/// to those that are gone when one is. An object with an owner of an unknown kind stays as it is.
///
/// Follows upstream's garbage collector (pkg/controller/garbagecollector).
std::vector<GarbageAction> PlanGarbage(const api::meta_v1::ObjectMeta& object,
                                       std::span<const OwnerState> owners,
                                       const Dependents& dependents);

}  // namespace dray::controllers
