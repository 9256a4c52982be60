// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/in_use_protection.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/persistent_volume.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/scheduling_v1beta1.h"
#include "api/storage_v1/volume_attributes_class.h"

namespace dray::server::verbs::admission {
namespace {

void AddFinalizer(api::Object& object, std::string_view finalizer) {
  std::vector<std::string>& finalizers = object.mutable_metadata().finalizers;
  if (std::ranges::find(finalizers, finalizer) == finalizers.end()) {
    finalizers.emplace_back(finalizer);
  }
}

/// Empty: objects of this kind are not protected.
std::string_view StorageFinalizerOf(const api::Object& object) {
  if (object.If<api::core_v1::PersistentVolume>() != nullptr) return "kubernetes.io/pv-protection";
  if (object.If<api::core_v1::PersistentVolumeClaim>() != nullptr) {
    return "kubernetes.io/pvc-protection";
  }
  if (object.If<api::storage_v1::VolumeAttributesClass>() != nullptr) {
    return "kubernetes.io/vac-protection";
  }
  return {};
}

}  // namespace

Result<> ProtectStorage(const Call& /*call*/,
                        const store::Snapshot& /*snapshot*/,
                        const Write& write,
                        api::Object* object) {
  if (!write.subresource.empty() || object == nullptr) return {};
  const std::string_view finalizer = StorageFinalizerOf(*object);
  if (!finalizer.empty()) AddFinalizer(*object, finalizer);
  return {};
}

Result<> ProtectPodGroup(const Call& /*call*/,
                         const store::Snapshot& /*snapshot*/,
                         const Write& write,
                         api::Object* object) {
  if (!write.subresource.empty() || object == nullptr) return {};
  if (object->If<api::scheduling_v1beta1::PodGroup>() == nullptr) return {};
  AddFinalizer(*object, "scheduling.k8s.io/podgroup-protection");
  return {};
}

}  // namespace dray::server::verbs::admission
