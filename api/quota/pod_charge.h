// SPDX-License-Identifier: Apache-2.0
// The amounts that pods use of a ResourceQuota, and the values that they must set.
#pragma once

#include <string>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/core_v1/resource_quota.h"
#include "api/quota/amounts.h"
#include "base/world.h"

namespace dray::api::quota {

/// The largest sum of the containers' requests at any moment of the pod's life, or the pod's own
/// requests in its place, and the overhead. O(containers × entries).
Amounts RequestsOfPod(const core_v1::Pod& pod);

/// The pod itself, its requests and its limits. If it has ended, or should have been gone by `now`,
/// only its "count/pods".
Amounts ChargeOfPod(const core_v1::Pod& pod, WallTime now);

/// Whether a name in a quota is about pods.
bool IsAboutPods(std::string_view name);

/// Whether it is about extended resources: "requests.acme.example/gpu".
bool IsExtendedRequest(std::string_view name);

/// The values that are missing if a quota with these names requires them of every container: "must
/// specify cpu for: main,side; memory for: side". Empty if nothing is missing, or the pod sets them
/// for all containers together.
std::string MissingRequests(const core_v1::ResourceQuota& quota, const core_v1::Pod& pod);

}  // namespace dray::api::quota
