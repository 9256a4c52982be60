// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/context/node_relations.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "api/certificates_v1/trust.h"
#include "api/claims/pod_claims.h"
#include "api/core_v1/persistent_volume.h"
#include "api/core_v1/pod.h"
#include "api/pods/life.h"
#include "api/pods/references.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha2.h"
#include "api/storage_v1/volume_attachment.h"
#include "server/registry/pod_account.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "store/record.h"

namespace dray::server::verbs::inline context {
namespace {

namespace core_v1 = api::core_v1;
using access::Attributes;
using core_v1::PersistentVolume;
using core_v1::Pod;

api::Object ObjectIn(const api::KindInfo& kind, const store::Record& record) {
  const auto item = storage::ItemOf(storage::View::OfStorage(kind), record);
  return item.has_value() && item->has_value() ? (*item)->object : api::Object();
}

/// The namespace and name of the requested object, and the node that requests it.
struct Place {
  const store::Snapshot& snapshot;
  std::string_view node;
  std::string_view namespace_name;
  std::string_view name;

  template <class T>
  api::Object Find() const {
    return FindStored(snapshot, api::Reflected<T>::kKind, namespace_name, name);
  }
};

// --------------------------------------------------------------------------- what a pod needs

bool NeedsClaim(const Pod& pod, std::string_view name) {
  using enum api::claims::Target::State;
  const auto& extended = pod.status.extended_resource_claim_status;
  if (extended.has_value() && !name.empty() && extended->resource_claim_name == name) return true;
  return std::ranges::any_of(pod.spec.resource_claims, [&](const auto& entry) {
    const api::claims::Target target = api::claims::TargetOf(pod, entry);
    return target.state == kClaim && target.name == name;
  });
}

bool NeedsVolumeClaim(const Pod& pod, std::string_view name) {
  return std::ranges::any_of(pod.spec.volumes, [&](const core_v1::Volume& volume) {
    return api::pods::VolumeClaimOf(pod, volume) == name;
  });
}

bool NeedsSecret(const Pod& pod, std::string_view name) {
  return !api::pods::VisitSecrets(pod, [&](const std::string& one) { return one != name; });
}

bool NeedsConfigMap(const Pod& pod, std::string_view name) {
  return !api::pods::VisitConfigMaps(pod, [&](const std::string& one) { return one != name; });
}

bool NeedsAccount(const Pod& pod, std::string_view name) {
  return pod.spec.service_account_name == name;
}

using Needs = bool (*)(const Pod& pod, std::string_view name);

bool IsNeeded(const Place& place, Needs needs) {
  if (place.namespace_name.empty() || place.name.empty()) return false;
  constexpr const api::KindInfo& kPods = api::Reflected<Pod>::kKind;
  const std::string prefix = storage::CollectionPrefix(kPods, place.namespace_name);
  for (const store::Record& record : place.snapshot.Range({.prefix = prefix})) {
    const api::Object object = ObjectIn(kPods, record);
    if (object.empty()) continue;
    const Pod& pod = object.As<Pod>();
    if (pod.spec.node_name != place.node || api::pods::IsMirror(pod.metadata)) continue;
    if (needs(pod, place.name)) return true;
  }
  return false;
}

// ------------------------------------------------------------------------ what volumes need

bool IsOfUsedClaim(const Place& place, const PersistentVolume& volume) {
  const auto& claim = volume.spec.claim_ref;
  if (!claim.has_value()) return false;
  return IsNeeded({.snapshot = place.snapshot,
                   .node = place.node,
                   .namespace_name = claim->namespace_,
                   .name = claim->name},
                  NeedsVolumeClaim);
}

/// Whether a kubelet needs the secret to mount the volume.
bool NamesSecret(const PersistentVolume& volume, const Place& secret) {
  const core_v1::PersistentVolumeSource& source = volume.spec.persistent_volume_source;
  const std::string claim_namespace =
      volume.spec.claim_ref.has_value() ? volume.spec.claim_ref->namespace_ : std::string();
  const auto is_it = [&](std::string_view namespace_name, std::string_view name) {
    return name == secret.name && namespace_name == secret.namespace_name;
  };
  const auto is_ref = [&](const auto& reference, std::string_view otherwise) {
    if (!reference.has_value()) return false;
    const std::string_view said = reference->namespace_;
    return is_it(said.empty() ? otherwise : said, reference->name);
  };
  if (source.azure_file.has_value()) {
    const std::string said = source.azure_file->secret_namespace.value_or("");
    return is_it(said.empty() ? claim_namespace : said, source.azure_file->secret_name);
  }
  if (source.cephfs.has_value()) return is_ref(source.cephfs->secret_ref, claim_namespace);
  if (source.cinder.has_value()) return is_ref(source.cinder->secret_ref, "");
  if (source.flex_volume.has_value()) {
    return is_ref(source.flex_volume->secret_ref, claim_namespace);
  }
  if (source.rbd.has_value()) return is_ref(source.rbd->secret_ref, claim_namespace);
  if (source.scale_io.has_value()) return is_ref(source.scale_io->secret_ref, claim_namespace);
  if (source.iscsi.has_value()) return is_ref(source.iscsi->secret_ref, claim_namespace);
  if (source.storageos.has_value()) return is_ref(source.storageos->secret_ref, "");
  if (!source.csi.has_value()) return false;
  return is_ref(source.csi->node_publish_secret_ref, "") ||
         is_ref(source.csi->node_stage_secret_ref, "") ||
         is_ref(source.csi->node_expand_secret_ref, "");
}

bool IsNeededByVolume(const Place& secret) {
  constexpr const api::KindInfo& kVolumes = api::Reflected<PersistentVolume>::kKind;
  const std::string prefix = storage::ResourcePrefix(kVolumes);
  for (const store::Record& record : secret.snapshot.Range({.prefix = prefix})) {
    const api::Object object = ObjectIn(kVolumes, record);
    if (object.empty()) continue;
    const auto& volume = object.As<PersistentVolume>();
    if (NamesSecret(volume, secret) && IsOfUsedClaim(secret, volume)) return true;
  }
  return false;
}

// ------------------------------------------------------------------------------- the relations

bool IsOwnPod(const Place& place) {
  const api::Object pod = place.Find<Pod>();
  return !pod.empty() && pod.As<Pod>().spec.node_name == place.node;
}

bool IsOwnSlice(const Place& place) {
  for (const api::KindInfo* kind :
       {&api::Reflected<api::resource_v1::ResourceSlice>::kKind,
        &api::Reflected<api::resource_v1alpha2::ResourceSlice>::kKind}) {
    const api::Object slice = FindStored(place.snapshot, *kind, place.namespace_name, place.name);
    if (!slice.empty() && NodeOfSlice(slice) == place.node) return true;
  }
  return false;
}

bool IsOwnAttachment(const Place& place) {
  using api::storage_v1::VolumeAttachment;
  const api::Object attachment = place.Find<VolumeAttachment>();
  return !attachment.empty() && attachment.As<VolumeAttachment>().spec.node_name == place.node;
}

bool IsOwnCertificate(const Place& place) {
  using api::certificates_v1::PodCertificateRequest;
  const api::Object request = place.Find<PodCertificateRequest>();
  return !request.empty() && request.As<PodCertificateRequest>().spec.node_name == place.node;
}

bool IsUsedVolume(const Place& place) {
  const api::Object volume = place.Find<PersistentVolume>();
  return !volume.empty() && IsOfUsedClaim(place, volume.As<PersistentVolume>());
}

struct Relation {
  std::string_view group, resource;
  bool is_in_namespace;
  bool (*is_of_node)(const Place& place);
};

template <Needs kNeeds>
bool OfAPod(const Place& place) {
  return IsNeeded(place, kNeeds);
}

bool OfAPodOrVolume(const Place& secret) {
  return IsNeeded(secret, NeedsSecret) || IsNeededByVolume(secret);
}

constexpr std::array kRelations = {
    Relation{"", "pods", true, IsOwnPod},
    Relation{"", "secrets", true, OfAPodOrVolume},
    Relation{"", "configmaps", true, OfAPod<NeedsConfigMap>},
    Relation{"", "serviceaccounts", true, OfAPod<NeedsAccount>},
    Relation{"", "persistentvolumeclaims", true, OfAPod<NeedsVolumeClaim>},
    Relation{"", "persistentvolumes", false, IsUsedVolume},
    Relation{"resource.k8s.io", "resourceclaims", true, OfAPod<NeedsClaim>},
    Relation{"resource.k8s.io", "resourceslices", false, IsOwnSlice},
    Relation{"storage.k8s.io", "volumeattachments", false, IsOwnAttachment},
    Relation{"certificates.k8s.io", "podcertificaterequests", true, IsOwnCertificate}};

}  // namespace

api::Object FindStored(const store::Snapshot& snapshot,
                       const api::KindInfo& kind,
                       std::string_view namespace_name,
                       std::string_view name) {
  const store::Record* record = snapshot.Find(storage::ObjectKey(kind, namespace_name, name));
  return record == nullptr ? api::Object() : ObjectIn(kind, *record);
}

std::string_view NodeOfSlice(const api::Object& slice) {
  if (const auto* const one = slice.If<api::resource_v1::ResourceSlice>()) {
    return one->spec.node_name.has_value() ? std::string_view(*one->spec.node_name)
                                           : std::string_view();
  }
  const auto* const classic = slice.If<api::resource_v1alpha2::ResourceSlice>();
  return classic == nullptr ? std::string_view() : std::string_view(classic->node_name);
}

bool IsOfNode(const store::Snapshot& snapshot, std::string_view node, const Attributes& asked) {
  const auto* const relation = std::ranges::find_if(kRelations, [&](const Relation& one) {
    return one.group == asked.group && one.resource == asked.resource;
  });
  // No object matches without a name, or with a namespace that does not fit the scope of the kind.
  if (relation == kRelations.end() || asked.name.empty()) return false;
  if (relation->is_in_namespace == asked.namespace_.empty()) return false;
  return relation->is_of_node(
      {.snapshot = snapshot, .node = node, .namespace_name = asked.namespace_, .name = asked.name});
}

}  // namespace dray::server::verbs::inline context
