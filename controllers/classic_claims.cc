// SPDX-License-Identifier: Apache-2.0
#include "controllers/classic_claims.h"

#include <cstddef>
#include <utility>

#include "api/pods/life.h"
#include "api/resource_v1/claim_template.h"

namespace dray::controllers {
namespace {

namespace classic = api::resource_v1alpha2;
namespace resource_v1 = api::resource_v1;

// The limits of status.reservedFor in the API. A server with higher ones only sees us wait longer.
constexpr size_t kConsumersMax = 256;
constexpr size_t kClassicConsumersMax = 32;

}  // namespace

const api::KindInfo& ClaimKind(ClassicClaims classic) {
  return classic == ClassicClaims::kAll ? api::Reflected<classic::ResourceClaim>::kKind
                                        : api::Reflected<resource_v1::ResourceClaim>::kKind;
}

const api::KindInfo& TemplateKind(ClassicClaims classic) {
  return classic == ClassicClaims::kAll ? api::Reflected<classic::ResourceClaimTemplate>::kKind
                                        : api::Reflected<resource_v1::ResourceClaimTemplate>::kKind;
}

bool MayBeReserved(const resource_v1::ResourceClaim& claim) {
  return claim.status.reserved_for.size() < kConsumersMax && !claim.status.deallocation_requested;
}

bool MayBeReserved(const classic::ResourceClaim& claim) {
  const size_t consumers = claim.status.reserved_for.size();
  const bool is_shareable = claim.status.allocation && claim.status.allocation->shareable;
  return consumers < (is_shareable ? kClassicConsumersMax : 1) &&
         !claim.status.deallocation_requested;
}

api::Object MakeContext(const api::core_v1::Pod& pod) {
  classic::PodSchedulingContext context;
  context.metadata.namespace_ = pod.metadata.namespace_;
  context.metadata.name = pod.metadata.name;
  context.metadata.owner_references.push_back(api::pods::AsController(pod.metadata));
  context.spec.selected_node = pod.spec.node_name;
  return api::Object::Of(std::move(context));
}

}  // namespace dray::controllers
