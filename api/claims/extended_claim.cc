// SPDX-License-Identifier: Apache-2.0
#include "api/claims/extended_claim.h"

namespace dray::api::claims {

ExtendedOwner PodOfExtendedClaim(const meta_v1::ObjectMeta& claim) {
  const auto mark = claim.annotations.find(kExtendedClaimAnnotation);
  if (mark == claim.annotations.end() || mark->second != "true") return {};
  for (const auto& owner : claim.owner_references) {
    const bool is_pod = owner.kind == "Pod" && owner.api_version == "v1";
    if (owner.controller.value_or(false) && is_pod) return {.name = owner.name, .uid = owner.uid};
  }
  return {};
}

}  // namespace dray::api::claims
