// SPDX-License-Identifier: Apache-2.0
#include "controllers/claim_generation.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "controllers/claim_sync.h"

namespace dray::controllers {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

/// The recorded claim of an entry; null when there is no record.
const core_v1::PodResourceClaimStatus* RecordOf(const core_v1::Pod& pod, std::string_view entry) {
  const auto& records = pod.status.resource_claim_statuses;
  const auto found = std::ranges::find(records, entry, &core_v1::PodResourceClaimStatus::name);
  return found == records.end() ? nullptr : &*found;
}

bool IsFor(const api::Object& claim, std::string_view entry) {
  const auto& annotations = claim.metadata().annotations;
  const auto found = annotations.find(kPodClaimNameAnnotation);
  return found != annotations.end() && found->second == entry &&
         !claim.metadata().deletion_timestamp;
}

bool NeedsReservation(const core_v1::Pod& pod, const api::Object* claim) {
  if (pod.spec.node_name.empty() || claim == nullptr || claim->metadata().deletion_timestamp) {
    return false;
  }
  const auto& value = claim->As<resource_v1::ResourceClaim>();
  return value.status.allocation && !api::claims::IsReservedFor(value, pod.metadata.uid);
}

std::string KeyBeside(const core_v1::Pod& pod, std::string_view name) {
  return fmt::format("{}/{}", pod.metadata.namespace_, name);
}

/// The claim made for an entry with a template: the one in `record`, or one whose record was lost.
const api::Object* Generated(const core_v1::Pod& pod,
                             std::string_view entry,
                             const core_v1::PodResourceClaimStatus* record,
                             const std::vector<const api::Object*>& owned,
                             const api::claims::Lookup& find) {
  if (record != nullptr && record->resource_claim_name) {
    const api::Object* claim = find(KeyBeside(pod, *record->resource_claim_name));
    if (claim != nullptr && OwnerPodUid(claim->metadata()) == pod.metadata.uid) return claim;
  }
  const auto orphan = std::ranges::find_if(
      owned, [&](const api::Object* candidate) { return IsFor(*candidate, entry); });
  return orphan == owned.end() ? nullptr : *orphan;
}

}  // namespace

PodPlan PlanClaims(const core_v1::Pod& pod,
                   const std::vector<const api::Object*>& owned,
                   const api::claims::Lookup& find) {
  PodPlan plan;
  if (IsDone(pod) || pod.metadata.deletion_timestamp) return plan;
  for (const core_v1::PodResourceClaim& entry : pod.spec.resource_claims) {
    const api::Object* claim = nullptr;
    if (entry.resource_claim_name) {
      claim = find(KeyBeside(pod, *entry.resource_claim_name));
    } else if (entry.resource_claim_template_name) {
      const core_v1::PodResourceClaimStatus* record = RecordOf(pod, entry.name);
      if (record != nullptr && !record->resource_claim_name) {
        plan.known.push_back(*record);
        continue;
      }
      claim = Generated(pod, entry.name, record, owned, find);
      if (claim == nullptr) {
        plan.missing.push_back(
            {.entry = entry.name, .template_name = *entry.resource_claim_template_name});
        continue;
      }
      plan.known.push_back({.name = entry.name, .resource_claim_name = claim->metadata().name});
    }
    if (NeedsReservation(pod, claim)) plan.to_reserve.push_back(api::ObjectKey(claim->metadata()));
  }
  return plan;
}

api::Object MakeClaim(const core_v1::Pod& pod,
                      std::string_view entry,
                      const resource_v1::ResourceClaimTemplate& claim_template) {
  resource_v1::ResourceClaim claim;
  claim.metadata.namespace_ = pod.metadata.namespace_;
  claim.metadata.generate_name = ClaimNamePrefix(pod.metadata.name, entry);
  claim.metadata.labels = claim_template.spec.metadata.labels;
  claim.metadata.annotations = claim_template.spec.metadata.annotations;
  claim.metadata.annotations[kPodClaimNameAnnotation] = entry;
  claim.metadata.owner_references.push_back({.api_version = "v1",
                                             .kind = "Pod",
                                             .name = pod.metadata.name,
                                             .uid = pod.metadata.uid,
                                             .controller = true});
  claim.spec = claim_template.spec.spec;
  return api::Object::Of(std::move(claim));
}

std::string ClaimNamePrefix(std::string_view pod, std::string_view entry) {
  // The server appends 5 characters and cuts what is before to 57, which would lose the entry.
  constexpr size_t kPrefixMax = 57;
  const size_t size = pod.size() + 1 + entry.size() + 1;
  if (size <= kPrefixMax) return fmt::format("{}-{}-", pod, entry);
  return fmt::format("{}-{}",
                     pod.substr(0, pod.size() * kPrefixMax / size),
                     entry.substr(0, entry.size() * kPrefixMax / size));
}

std::string OwnerPodUid(const api::meta_v1::ObjectMeta& claim) {
  for (const auto& owner : claim.owner_references) {
    if (owner.controller.value_or(false) && owner.kind == "Pod" && owner.api_version == "v1") {
      return owner.uid;
    }
  }
  return {};
}

}  // namespace dray::controllers
