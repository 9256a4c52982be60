// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/claim_growth.h"

#include <string>
#include <string_view>

#include "api/core_v1/persistent_volume_claim.h"
#include "api/storage_v1/storage_class.h"
#include "api/value/quantity.h"
#include "server/errors/errors.h"
#include "server/verbs/context/node_relations.h"

namespace dray::server::verbs::admission {
namespace {

using api::core_v1::PersistentVolumeClaim;
using api::storage_v1::StorageClass;

api::Quantity SizeOf(const PersistentVolumeClaim& claim) {
  const auto found = claim.spec.resources.requests.find("storage");
  return found == claim.spec.resources.requests.end() ? api::Quantity() : found->second;
}

std::string_view ClassOf(const PersistentVolumeClaim& claim) {
  const auto old_form = claim.metadata.annotations.find("volume.beta.kubernetes.io/storage-class");
  if (old_form != claim.metadata.annotations.end()) return old_form->second;
  return claim.spec.storage_class_name.has_value()
             ? std::string_view(*claim.spec.storage_class_name)
             : std::string_view();
}

bool MayGrow(const PersistentVolumeClaim& claim,
             const PersistentVolumeClaim& old,
             const store::Snapshot& snapshot) {
  const std::string_view name = ClassOf(claim);
  if (name.empty() || name != ClassOf(old)) return false;
  const api::Object found = FindStored(snapshot, api::Reflected<StorageClass>::kKind, "", name);
  return !found.empty() && found.As<StorageClass>().allow_volume_expansion.value_or(false);
}

}  // namespace

Result<> CheckClaimGrowth(const Call& call, const store::Snapshot& snapshot, const Write& write) {
  if (!write.subresource.empty() || write.object == nullptr || write.old_object == nullptr) {
    return {};
  }
  const auto* const claim = write.object->If<PersistentVolumeClaim>();
  if (claim == nullptr) return {};
  const auto& old = write.old_object->As<PersistentVolumeClaim>();
  if (SizeOf(*claim) <= SizeOf(old)) return {};
  const auto refuse = [&](std::string_view why) {
    return Fail(errors::Forbidden(call.kind(), claim->metadata.name, why));
  };
  if (old.status.phase != "Bound") {
    return refuse("Only bound persistent volume claims can be expanded");
  }
  if (MayGrow(*claim, old, snapshot)) return {};
  return refuse(
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
      "pvc must support resize");
}

}  // namespace dray::server::verbs::admission
