// SPDX-License-Identifier: Apache-2.0
#include "control_plane/new_claims.h"

#include "api/claims/either_claim.h"
#include "api/resource_v1/claim.h"

namespace dray::control_plane {

bool IsNewClaim(const server::verbs::WatchEvent& event) {
  if (event.status != nullptr || event.type != server::verbs::WatchEventType::kAdded) return false;
  const api::Object& object = event.item.object;
  const bool is_claim = &object.kind() == &api::Reflected<api::resource_v1::ResourceClaim>::kKind ||
                        api::claims::IsClassic(object);
  return is_claim && api::claims::IsUntouched(object);
}

}  // namespace dray::control_plane
