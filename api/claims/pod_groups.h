// SPDX-License-Identifier: Apache-2.0
// Pod groups and the claims that their pods share, for server, scheduler and controllers (KEP-4671,
// KEP-5729).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/scheduling_v1beta1.h"

namespace dray::api::claims {

/// The finalizer that keeps a group while pods need it.
inline constexpr const char* kPodGroupFinalizer = "scheduling.k8s.io/podgroup-protection";

/// "namespace/name" of the group that the pod names, whether it exists or not; empty if it names
/// none.
std::string PodGroupKeyOf(const core_v1::Pod& pod);

/// Whether the claim of the pod's entry belongs to the group: it is reserved for all its pods at
/// once and, if it is generated, made for the group. It is if the group has an equal entry.
bool IsSharedByGroup(const core_v1::PodResourceClaim& entry,
                     const scheduling_v1beta1::PodGroup& group);

/// Whether the claim was generated for the pod, or for its group, which then is its controller.
bool IsMadeFor(const meta_v1::ObjectMeta& claim, const core_v1::Pod& pod);

/// Whether the claim is reserved for the pod, or for its group. A pod does not know the uid of its
/// group, so a group that was deleted and created again counts as the same.
bool IsKeptFor(const resource_v1::ResourceClaim& claim, const core_v1::Pod& pod);

/// The consumer entry with which a claim is reserved for a pod or a pod group.
resource_v1::ResourceClaimConsumerReference ConsumerOf(const core_v1::Pod& pod);
resource_v1::ResourceClaimConsumerReference ConsumerOf(const scheduling_v1beta1::PodGroup& group);

enum class ConsumerKind : uint8_t { kPod, kPodGroup, kOther };
ConsumerKind KindOf(const resource_v1::ResourceClaimConsumerReference& consumer);

}  // namespace dray::api::claims
