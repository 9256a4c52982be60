// SPDX-License-Identifier: Apache-2.0
#include "controllers/claim_generation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/claims/either_claim.h"
#include "api/claims/pod_claims.h"
#include "controllers/claim_sync.h"

namespace dray::controllers {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
namespace scheduling_v1beta1 = api::scheduling_v1beta1;
namespace resource_v1alpha2 = api::resource_v1alpha2;

constexpr const char* kGroupVersion = "scheduling.k8s.io/v1beta1";

/// What the status of a pod or a group says about an entry; null when it says nothing.
const auto* RecordOf(const auto& records, std::string_view entry) {
  const auto found =
      std::ranges::find_if(records, [&](const auto& record) { return record.name == entry; });
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
  return api::claims::VisitClaim(*claim, [&](const auto& value) {
    return value.status.allocation && !api::claims::IsKeptFor(value, pod);
  });
}

/// Whether this controller must pass the pod's node to the claim's driver, so that it allocates
/// there. The scheduler does that for pods that did not bypass it.
bool WaitsForDriver(const core_v1::Pod& pod, const api::Object* object) {
  if (pod.spec.node_name.empty() || object == nullptr || object->metadata().deletion_timestamp) {
    return false;
  }
  if (api::claims::IsClassic(*object)) {
    const auto& claim = object->As<resource_v1alpha2::ResourceClaim>();
    return !claim.status.allocation && claim.spec.allocation_mode != "Immediate";
  }
  const auto& claim = object->As<resource_v1::ResourceClaim>();
  return !claim.status.allocation && !claim.spec.controller.empty();
}

std::string KeyBeside(const api::meta_v1::ObjectMeta& owner, std::string_view name) {
  return fmt::format("{}/{}", owner.namespace_, name);
}

bool IsControlledBy(const api::Object& claim, std::string_view uid) {
  return std::ranges::any_of(claim.metadata().owner_references, [&](const auto& owner) {
    return owner.controller.value_or(false) && owner.uid == uid;
  });
}

/// The claim made for an entry with a template: the one that is recorded, or one whose record was
/// lost.
const api::Object* Generated(const api::meta_v1::ObjectMeta& owner,
                             std::string_view entry,
                             const std::optional<std::string>& recorded,
                             const std::vector<const api::Object*>& owned,
                             const api::claims::Lookup& find) {
  if (recorded) {
    const api::Object* claim = find(KeyBeside(owner, *recorded));
    if (claim != nullptr && IsControlledBy(*claim, owner.uid)) return claim;
  }
  const auto orphan = std::ranges::find_if(
      owned, [&](const api::Object* candidate) { return IsFor(*candidate, entry); });
  return orphan == owned.end() ? nullptr : *orphan;
}

/// What the status of an owner should say about its entries with a template.
template <class Record>
struct Generation {
  std::vector<Record> known;
  std::vector<MissingClaim> missing;

  /// The claim of `entry`, if it is there.
  const api::Object* Add(const api::meta_v1::ObjectMeta& owner,
                         MissingClaim entry,
                         const Record* record,
                         const std::vector<const api::Object*>& owned,
                         const api::claims::Lookup& find) {
    if (record != nullptr && !record->resource_claim_name) {  // it was found not to be needed
      known.push_back(*record);
      return nullptr;
    }
    const api::Object* claim =
        Generated(owner,
                  entry.entry,
                  record == nullptr ? std::nullopt : record->resource_claim_name,
                  owned,
                  find);
    if (claim == nullptr) {
      missing.push_back(std::move(entry));
    } else {
      known.push_back({.name = entry.entry, .resource_claim_name = claim->metadata().name});
    }
    return claim;
  }
};

/// The claim that the group has for an entry of its pods; null: there is none yet.
const api::Object* SharedClaim(const scheduling_v1beta1::PodGroup& group,
                               std::string_view entry,
                               const api::claims::Lookup& find) {
  const auto* record = RecordOf(group.status.resource_claim_statuses, entry);
  if (record == nullptr || !record->resource_claim_name) return nullptr;
  const api::Object* claim = find(KeyBeside(group.metadata, *record->resource_claim_name));
  return claim != nullptr && IsControlledBy(*claim, group.metadata.uid) ? claim : nullptr;
}

/// `api_version`: one of them, or a group and a slash.
std::string OwnerUid(const api::meta_v1::ObjectMeta& claim,
                     std::string_view kind,
                     std::string_view api_version) {
  for (const auto& owner : claim.owner_references) {
    const bool is_version = api_version.ends_with('/') ? owner.api_version.starts_with(api_version)
                                                       : owner.api_version == api_version;
    if (owner.controller.value_or(false) && owner.kind == kind && is_version) return owner.uid;
  }
  return {};
}

}  // namespace

ClaimOwner AsOwner(const scheduling_v1beta1::PodGroup& group) {
  return {.api_version = kGroupVersion,
          .kind = "PodGroup",
          .namespace_ = group.metadata.namespace_,
          .name = group.metadata.name,
          .uid = group.metadata.uid};
}

PodPlan PlanClaims(const core_v1::Pod& pod,
                   const std::vector<const api::Object*>& owned,
                   const api::claims::Lookup& find,
                   const scheduling_v1beta1::PodGroup* group) {
  PodPlan plan;
  if (IsDone(pod) || pod.metadata.deletion_timestamp) return plan;
  Generation<core_v1::PodResourceClaimStatus> generation;
  for (const core_v1::PodResourceClaim& entry : pod.spec.resource_claims) {
    const bool is_shared = group != nullptr && api::claims::IsSharedByGroup(entry, *group);
    const api::Object* claim = nullptr;
    if (const std::string* name = api::claims::ClaimNamedBy(entry)) {
      claim = find(KeyBeside(pod.metadata, *name));
    } else if (is_shared) {
      claim = SharedClaim(*group, entry.name, find);
      if (claim == nullptr) continue;  // the group will say
      generation.known.push_back(
          {.name = entry.name, .resource_claim_name = claim->metadata().name});
    } else if (const std::string* pattern = api::claims::TemplateNamedBy(entry)) {
      claim = generation.Add(pod.metadata,
                             {.entry = entry.name, .template_name = *pattern},
                             RecordOf(pod.status.resource_claim_statuses, entry.name),
                             owned,
                             find);
    }
    plan.waits_for_driver = plan.waits_for_driver || WaitsForDriver(pod, claim);
    if (!NeedsReservation(pod, claim)) continue;
    plan.to_reserve.push_back(
        {.claim = api::ObjectKey(claim->metadata()),
         .consumer = is_shared ? api::claims::ConsumerOf(*group) : api::claims::ConsumerOf(pod)});
  }
  plan.known = std::move(generation.known);
  plan.missing = std::move(generation.missing);
  return plan;
}

GroupPlan PlanGroupClaims(const scheduling_v1beta1::PodGroup& group,
                          const std::vector<const api::Object*>& owned,
                          const api::claims::Lookup& find) {
  Generation<scheduling_v1beta1::PodGroupResourceClaimStatus> generation;
  if (group.metadata.deletion_timestamp) return {};
  for (const auto& entry : group.spec.resource_claims) {
    if (!entry.resource_claim_template_name) continue;
    generation.Add(group.metadata,
                   {.entry = entry.name, .template_name = *entry.resource_claim_template_name},
                   RecordOf(group.status.resource_claim_statuses, entry.name),
                   owned,
                   find);
  }
  return {.known = std::move(generation.known), .missing = std::move(generation.missing)};
}

api::Object MakeClaim(const ClaimOwner& owner,
                      std::string_view entry,
                      const resource_v1::ResourceClaimTemplate& claim_template) {
  return api::Object::Of(
      api::claims::GeneratedClaim<resource_v1::ResourceClaim>(owner, entry, claim_template));
}

api::Object MakeClaimOfEither(const ClaimOwner& owner,
                              std::string_view entry,
                              const api::Object& claim_template) {
  using Classic = resource_v1alpha2::ResourceClaimTemplate;
  if (&claim_template.kind() != &api::Reflected<Classic>::kKind) {
    return MakeClaim(owner, entry, claim_template.As<resource_v1::ResourceClaimTemplate>());
  }
  return api::Object::Of(api::claims::GeneratedClaim<resource_v1alpha2::ResourceClaim>(
      owner, entry, claim_template.As<Classic>()));
}

std::string OwnerPodUid(const api::meta_v1::ObjectMeta& claim) {
  return OwnerUid(claim, "Pod", "v1");
}

std::string OwnerGroupUid(const api::meta_v1::ObjectMeta& claim) {
  return OwnerUid(claim, "PodGroup", "scheduling.k8s.io/");
}

}  // namespace dray::controllers
