// SPDX-License-Identifier: Apache-2.0
#include "api/claims/pod_claims.h"

#include <algorithm>

namespace dray::api::claims {

const std::string* ClaimNamedBy(const core_v1::PodResourceClaim& entry) {
  if (entry.resource_claim_name) return &*entry.resource_claim_name;
  const bool is_nested = entry.source && entry.source->resource_claim_name;
  return is_nested ? &*entry.source->resource_claim_name : nullptr;
}

const std::string* TemplateNamedBy(const core_v1::PodResourceClaim& entry) {
  if (entry.resource_claim_template_name) return &*entry.resource_claim_template_name;
  const bool is_nested = entry.source && entry.source->resource_claim_template_name;
  return is_nested ? &*entry.source->resource_claim_template_name : nullptr;
}

Target TargetOf(const core_v1::Pod& pod, const core_v1::PodResourceClaim& entry) {
  using enum Target::State;
  if (const std::string* name = ClaimNamedBy(entry)) return {.state = kClaim, .name = *name};
  const auto& records = pod.status.resource_claim_statuses;
  const auto record =
      std::ranges::find(records, entry.name, &core_v1::PodResourceClaimStatus::name);
  if (record == records.end()) return {.state = kMissing};
  if (!record->resource_claim_name) return {.state = kNone};
  return {.state = kClaim, .name = *record->resource_claim_name, .generated = true};
}

std::vector<std::string> KeysOf(const core_v1::Pod& pod) {
  std::vector<std::string> keys;
  for (const core_v1::PodResourceClaim& entry : pod.spec.resource_claims) {
    const Target target = TargetOf(pod, entry);
    if (target.state != Target::State::kClaim) continue;
    keys.push_back(pod.metadata.namespace_ + "/" + target.name);
  }
  if (const auto& extended = pod.status.extended_resource_claim_status) {
    keys.push_back(pod.metadata.namespace_ + "/" + extended->resource_claim_name);
  }
  return keys;
}

bool HasFinalizer(const meta_v1::ObjectMeta& claim) {
  return std::ranges::find(claim.finalizers, kFinalizer) != claim.finalizers.end();
}

}  // namespace dray::api::claims
