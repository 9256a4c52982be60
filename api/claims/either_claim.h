// SPDX-License-Identifier: Apache-2.0
// Claims of either generation (docs/design/versions.md), whose fields often have the same names.
// Code that uses only those fields is written once.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "api/feature_gates.h"
#include "api/object.h"
#include "api/release.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1alpha2.h"

namespace dray::api::claims {

/// Which claims a driver's own controller may allocate (KEP-3063).
enum class ClassicClaims : uint8_t {
  kNone,
  kAll,     // up to 1.30: claims, classes and templates are v1alpha2's
  kMarked,  // 1.31 with DRAControlPlaneController: those with spec.controller
};

/// For the emulated release. kNone for kAny, where Dray does not act on classic claims.
inline ClassicClaims ClassicClaimsOf(Release release, const FeatureGates& gates) {
  if (!gates.Has(Gate::kDynamicResourceAllocation)) return ClassicClaims::kNone;
  if (release != Release::kAny && release <= Release::k1_30) return ClassicClaims::kAll;
  const bool is_marked = release == Release::k1_31 && gates.Has(Gate::kControlPlaneController);
  return is_marked ? ClassicClaims::kMarked : ClassicClaims::kNone;
}

/// Whether the object is a claim of the classic generation, as 1.30 has them.
inline bool IsClassic(const Object& claim) {
  return &claim.kind() == &Reflected<resource_v1alpha2::ResourceClaim>::kKind;
}

/// The finalizer that keeps the claim while it has devices that the scheduler chose.
inline const char* FinalizerOf(const Object& claim) {
  return IsClassic(claim) ? kClassicFinalizer : kFinalizer;
}

/// Calls `visit` with the claim as its own type.
template <class Visit>
decltype(auto) VisitClaim(const Object& claim, Visit&& visit) {
  return IsClassic(claim) ? std::forward<Visit>(visit)(claim.As<resource_v1alpha2::ResourceClaim>())
                          : std::forward<Visit>(visit)(claim.As<resource_v1::ResourceClaim>());
}

/// The same for changing a claim that has no other owner.
template <class Visit>
decltype(auto) EditClaim(Object& claim, Visit&& visit) {
  return IsClassic(claim)
             ? std::forward<Visit>(visit)(claim.Mutable<resource_v1alpha2::ResourceClaim>())
             : std::forward<Visit>(visit)(claim.Mutable<resource_v1::ResourceClaim>());
}

/// Whether the claim only waits to be used: it has no status, no owner, no finalizer, and is not
/// being deleted.
inline bool IsUntouched(const Object& claim) {
  const meta_v1::ObjectMeta& metadata = claim.metadata();
  if (metadata.deletion_timestamp || !metadata.finalizers.empty()) return false;
  if (!metadata.owner_references.empty()) return false;
  return VisitClaim(claim, [](const auto& value) {
    return value.status == std::remove_cvref_t<decltype(value.status)>{};
  });
}

/// Releases the devices, and removes the status about them.
inline void ClearAllocation(resource_v1::ResourceClaimStatus& status) {
  status.allocation.reset();
  status.devices.clear();
}
inline void ClearAllocation(resource_v1alpha2::ResourceClaimStatus& status) {
  status.allocation.reset();
}

/// Converts a consumer of a classic claim to the newer generation's type.
inline resource_v1::ResourceClaimConsumerReference AsConsumer(
    const resource_v1alpha2::ResourceClaimConsumerReference& consumer) {
  return {.api_group = consumer.api_group,
          .resource = consumer.resource,
          .name = consumer.name,
          .uid = consumer.uid};
}

/// The consumers of the claim.
inline std::vector<resource_v1::ResourceClaimConsumerReference> ConsumersOf(const Object& claim) {
  return VisitClaim(claim, [](const auto& value) {
    std::vector<resource_v1::ResourceClaimConsumerReference> consumers;
    for (const auto& consumer : value.status.reserved_for) {
      consumers.push_back({.api_group = consumer.api_group,
                           .resource = consumer.resource,
                           .name = consumer.name,
                           .uid = consumer.uid});
    }
    return consumers;
  });
}

/// Adds a consumer to a claim that has no other owner.
inline void AddConsumer(Object& claim,
                        const resource_v1::ResourceClaimConsumerReference& consumer) {
  EditClaim(claim, [&](auto& value) {
    value.status.reserved_for.push_back({.api_group = consumer.api_group,
                                         .resource = consumer.resource,
                                         .name = consumer.name,
                                         .uid = consumer.uid});
  });
}

inline ConsumerKind KindOf(const resource_v1alpha2::ResourceClaimConsumerReference& consumer) {
  return KindOf(AsConsumer(consumer));
}

/// Classic claims can be reserved for pods only.
inline bool IsKeptFor(const resource_v1alpha2::ResourceClaim& claim, const core_v1::Pod& pod) {
  return IsReservedFor(claim, pod.metadata.uid);
}

}  // namespace dray::api::claims
