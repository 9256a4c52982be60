// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/default_class.h"

#include <optional>
#include <string>
#include <string_view>

#include "api/core_v1/persistent_volume_claim.h"
#include "api/meta_v1/object_meta.h"
#include "api/networking_v1/ingress.h"
#include "api/networking_v1/ingress_class.h"
#include "api/storage_v1/storage_class.h"
#include "server/verbs/admission/in_snapshot.h"

namespace dray::server::verbs::admission {
namespace {

using api::core_v1::PersistentVolumeClaim;
using api::meta_v1::ObjectMeta;
using api::networking_v1::Ingress;

bool Says(const ObjectMeta& meta, std::string_view annotation) {
  const auto found = meta.annotations.find(annotation);
  return found != meta.annotations.end() && found->second == "true";
}

bool IsDefaultStorageClass(const ObjectMeta& meta) {
  return Says(meta, "storageclass.kubernetes.io/is-default-class") ||
         Says(meta, "storageclass.beta.kubernetes.io/is-default-class");
}

bool IsDefaultIngressClass(const ObjectMeta& meta) {
  return Says(meta, "ingressclass.kubernetes.io/is-default-class");
}

/// The name of the newest class that `is_default` accepts, of equally new ones the first by name.
/// O(classes)
template <class Class>
std::optional<std::string> DefaultOf(const Call& call,
                                     const store::Snapshot& snapshot,
                                     bool (*is_default)(const ObjectMeta& meta)) {
  std::optional<ObjectMeta> newest;
  InSnapshot(*call.core, snapshot)
      .Each(api::Reflected<Class>::kKind, "", [&](const api::Object& one) {
        const ObjectMeta& meta = one.metadata();
        const bool is_newer =
            !newest.has_value() || newest->creation_timestamp < meta.creation_timestamp;
        if (is_newer && is_default(meta)) newest = meta;
        return true;
      });
  if (!newest.has_value()) return std::nullopt;
  return newest->name;
}

/// Whether a plugin is asked about `object` itself, and it is one of the kind.
template <class Kind>
bool IsNew(const Write& write, const api::Object* object) {
  return write.subresource.empty() && object != nullptr && object->If<Kind>() != nullptr;
}

}  // namespace

Result<> GiveStorageClass(const Call& call,
                          const store::Snapshot& snapshot,
                          const Write& write,
                          api::Object* object) {
  if (!IsNew<PersistentVolumeClaim>(write, object)) return {};
  const auto& claim = object->As<PersistentVolumeClaim>();
  if (claim.spec.storage_class_name.has_value()) return {};
  if (claim.metadata.annotations.contains("volume.beta.kubernetes.io/storage-class")) return {};
  auto name = DefaultOf<api::storage_v1::StorageClass>(call, snapshot, IsDefaultStorageClass);
  if (name.has_value()) object->Mutable<PersistentVolumeClaim>().spec.storage_class_name = name;
  return {};
}

Result<> GiveIngressClass(const Call& call,
                          const store::Snapshot& snapshot,
                          const Write& write,
                          api::Object* object) {
  if (!IsNew<Ingress>(write, object)) return {};
  const auto& ingress = object->As<Ingress>();
  if (ingress.spec.ingress_class_name.has_value()) return {};
  if (ingress.metadata.annotations.contains("kubernetes.io/ingress.class")) return {};
  auto name = DefaultOf<api::networking_v1::IngressClass>(call, snapshot, IsDefaultIngressClass);
  if (name.has_value()) object->Mutable<Ingress>().spec.ingress_class_name = name;
  return {};
}

}  // namespace dray::server::verbs::admission
