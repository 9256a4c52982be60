// SPDX-License-Identifier: Apache-2.0
// The beginning of a generated claim's life: which claims a pod still needs, and what they look
// like.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/claims/pod_claims.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim_template.h"

namespace dray::controllers {

/// Says for which entry of the pod a claim was generated.
inline constexpr const char* kPodClaimNameAnnotation = "resource.kubernetes.io/pod-claim-name";

/// A claim to make for an entry of a pod.
struct MissingClaim {
  std::string entry, template_name;
};

struct PodPlan {
  /// Entries with the names of their claims: recorded before, or adopted just now.
  std::vector<api::core_v1::PodResourceClaimStatus> known;
  std::vector<MissingClaim> missing;
  /// Claims that a bound pod must be added to, because it bypassed the scheduler.
  std::vector<std::string> to_reserve;
};

/// What the pod needs now; nothing when it is done or being deleted. `owned`: the claims whose
/// controller it is, among them those whose name did not reach the pod's status. A recorded claim
/// that is missing or belongs to another pod is made again.
PodPlan PlanClaims(const api::core_v1::Pod& pod,
                   const std::vector<const api::Object*>& owned,
                   const api::claims::Lookup& find);

/// The claim for `entry`: metadata and spec of the template, an annotation, the pod as its owner.
api::Object MakeClaim(const api::core_v1::Pod& pod,
                      std::string_view entry,
                      const api::resource_v1::ResourceClaimTemplate& claim_template);

/// "<pod>-<entry>-", shortened on both sides when the server could not append its five characters.
std::string ClaimNamePrefix(std::string_view pod, std::string_view entry);

/// The uid of the pod that controls the claim; empty when none does.
std::string OwnerPodUid(const api::meta_v1::ObjectMeta& claim);

}  // namespace dray::controllers
