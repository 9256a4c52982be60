// SPDX-License-Identifier: Apache-2.0
// What pods are charged for under a ResourceQuota, and what they must say.
#pragma once

#include <string>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/core_v1/resource_quota.h"
#include "api/quota/amounts.h"
#include "base/world.h"

namespace dray::api::quota {

/// The pod itself, and what it requests and is limited to, unless it has ended, or should have been
/// gone by `now`: then there is only its "count/pods".
Amounts ChargeOfPod(const core_v1::Pod& pod, WallTime now);

/// Whether a name in a quota is about pods.
bool IsAboutPods(std::string_view name);

/// Whether it is about extended resources: "requests.acme.example/gpu".
bool IsExtendedRequest(std::string_view name);

/// What is missing where a quota of these names wants every container to say what it needs:
/// "must specify cpu for: main,side; memory for: side". Empty: nothing, or the pod says it for all
/// containers together.
std::string MissingRequests(const core_v1::ResourceQuota& quota, const core_v1::Pod& pod);

}  // namespace dray::api::quota
