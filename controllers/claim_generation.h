// SPDX-License-Identifier: Apache-2.0
// The beginning of a generated claim's life: which claims a pod still needs, and what they look
// like.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/claims/generated_claim.h"
#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim_template.h"

namespace dray::controllers {

using api::claims::AsOwner;
using api::claims::ClaimNamePrefix;
using api::claims::ClaimOwner;
using api::claims::kPodClaimNameAnnotation;

ClaimOwner AsOwner(const api::scheduling_v1beta1::PodGroup& group);

/// A claim to make for an entry of a pod, or of a group.
struct MissingClaim {
  std::string entry, template_name;
};

/// A claim that a bound pod, or its group, must be added to, because the pod bypassed the
/// scheduler.
struct MissingReservation {
  std::string claim;  // "namespace/name"
  api::resource_v1::ResourceClaimConsumerReference consumer;
};

struct PodPlan {
  /// Entries with the names of their claims: recorded before, or adopted just now.
  std::vector<api::core_v1::PodResourceClaimStatus> known;
  std::vector<MissingClaim> missing;
  std::vector<MissingReservation> to_reserve;
  /// A claim of a bound pod waits for its driver's controller, which needs the name of the node.
  bool waits_for_driver = false;
};

/// What the pod needs now; nothing when it is done or being deleted. `owned`: the claims whose
/// controller it is, among them those whose name did not reach the pod's status. A recorded claim
/// that is missing or belongs to another pod is made again.
///
/// `group`: the group of the pod, if there is one that shares claims. What it shares is made for
/// the group, and known here once the status of the group says so.
PodPlan PlanClaims(const api::core_v1::Pod& pod,
                   const std::vector<const api::Object*>& owned,
                   const api::claims::Lookup& find,
                   const api::scheduling_v1beta1::PodGroup* group = nullptr);

struct GroupPlan {
  std::vector<api::scheduling_v1beta1::PodGroupResourceClaimStatus> known;
  std::vector<MissingClaim> missing;
};
/// The same for a group: what it needs unless it is being deleted, whatever pods it has.
GroupPlan PlanGroupClaims(const api::scheduling_v1beta1::PodGroup& group,
                          const std::vector<const api::Object*>& owned,
                          const api::claims::Lookup& find);

/// The claim for `entry`: metadata and spec of the template, an annotation, its owner.
api::Object MakeClaim(const ClaimOwner& owner,
                      std::string_view entry,
                      const api::resource_v1::ResourceClaimTemplate& claim_template);
/// The same from a template of either generation.
api::Object MakeClaimOfEither(const ClaimOwner& owner,
                              std::string_view entry,
                              const api::Object& claim_template);

/// The uid of the pod that controls the claim; empty when none does.
std::string OwnerPodUid(const api::meta_v1::ObjectMeta& claim);
/// The same of the group.
std::string OwnerGroupUid(const api::meta_v1::ObjectMeta& claim);

}  // namespace dray::controllers
