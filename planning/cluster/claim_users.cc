// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/claim_users.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/resource_v1/claim.h"
#include "api/validation/devices/claim.h"

namespace dray::planning::inline cluster {

std::string WhyNoMoreUsers(std::span<const api::Object> claims, const api::core_v1::Pod& pod) {
  const auto full = std::ranges::find_if(claims, [&](const api::Object& object) {
    const auto& claim = object.As<api::resource_v1::ResourceClaim>();
    return claim.status.reserved_for.size() >= api::validation::kReservedForMax &&
           !api::claims::IsReservedFor(claim, pod.metadata.uid);
  });
  if (full == claims.end()) return {};
  return fmt::format(
      "claim {} is reserved for {} consumers, the maximum; the pod can use it when one of them is "
      "gone",
      api::ObjectKey(full->metadata()),
      api::validation::kReservedForMax);
}

}  // namespace dray::planning::inline cluster
