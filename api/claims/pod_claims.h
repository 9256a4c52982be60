// SPDX-License-Identifier: Apache-2.0
// Pods and their ResourceClaims, for scheduler, controllers and nodes (KEP-4381): the claim of a
// pod's entry, and whether it is reserved for the pod.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"

namespace dray::api::claims {

/// The finalizer that keeps an allocated claim while devices are in use.
inline constexpr const char* kFinalizer = "resource.kubernetes.io/delete-protection";

/// The same for allocations by the scheduler of 1.30 (structured parameters of v1alpha2).
inline constexpr const char* kClassicFinalizer = "dra.k8s.io/delete-protection";

/// The claim that an entry of spec.resourceClaims names, or the template from which one is made, in
/// the form of any release; null when it names none.
const std::string* ClaimNamedBy(const core_v1::PodResourceClaim& entry);
const std::string* TemplateNamedBy(const core_v1::PodResourceClaim& entry);

/// The claim "namespace/name", or null.
using Lookup = std::function<const Object*(std::string_view key)>;

/// The target of an entry of spec.resourceClaims.
struct Target {
  enum class State : uint8_t {
    kClaim,
    kNone,     // according to the pod's status, no claim is needed
    kMissing,  // a claim will be generated; its name is not in the pod's status yet
  } state;
  std::string name = {};   // of kClaim
  bool generated = false;  // from a template, for this pod
};
Target TargetOf(const core_v1::Pod& pod, const core_v1::PodResourceClaim& entry);

/// "namespace/name" of every claim the pod names in spec or status, in the order of its entries,
/// then the one for its extended resources; whether the claim exists or not.
std::vector<std::string> KeysOf(const core_v1::Pod& pod);

/// Whether `claim`, of either generation, lists the pod with this uid among its consumers.
template <class Claim>
bool IsReservedFor(const Claim& claim, std::string_view pod_uid) {
  return std::ranges::any_of(claim.status.reserved_for,
                             [&](const auto& consumer) { return consumer.uid == pod_uid; });
}

bool HasFinalizer(const meta_v1::ObjectMeta& claim);

}  // namespace dray::api::claims
